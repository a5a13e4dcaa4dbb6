"""A mixture of Gaussians over a few coefficients of the data: what a linear denoiser cannot know of high noise.

At high noise the best denoiser guesses what the data may be *of* before it guesses details. One Gaussian has one
answer, its mean. A mixture with weights pi_k, means m_k and variances v_k (one per coefficient) has as many answers as
components, and its posterior is known in closed form too. With x = alpha c + sqrt(beta) n,

    p(k | x)  ~  pi_k N(x; alpha m_k, alpha^2 v_k + beta),
    E[c | x]  =  sum_k p(k | x) ( m_k + alpha v_k / (alpha^2 v_k + beta) (x - alpha m_k) ).

The coefficients are the leading ones of a `GaussianBasis`, in which a picture's large shapes and colours are. The
mixture is fitted by expectation and maximisation; variances are drawn towards those within all components by as many
examples as `PRIOR`, so that a component of few examples does not collapse onto them.
"""

import torch
from jaxtyping import Float
from torch import Tensor, nn

#: How many coefficients the mixture is over, at most.
LEADING = 64
#: The numbers of components that are tried.
COMPONENTS = (1, 4, 16, 64)
#: The examples' worth of pooled variance, and of a uniform share, that each component gets beside its own.
PRIOR = 10.0
#: Rounds of k-means to begin with, and then of expectation and maximisation.
ROUNDS = (10, 10)


class Mixture(nn.Module):
    """Components with a weight, and a mean and a variance per coefficient.

    Args:
        components: How many components.
        width: How many coefficients.
    """

    def __init__(self, components: int, width: int) -> None:
        super().__init__()
        self.register_buffer("log_weights", torch.zeros(components))
        self.register_buffer("means", torch.zeros(components, width))
        self.register_buffer("variances", torch.ones(components, width))

    log_weights: Float[Tensor, " components"]
    means: Float[Tensor, "components width"]
    variances: Float[Tensor, "components width"]

    def log_joint(
        self, x: Float[Tensor, "batch width"], alpha: Float[Tensor, "batch 1"], beta: Float[Tensor, "batch 1"]
    ) -> Float[Tensor, "batch components"]:
        """log pi_k N(x; alpha m_k, alpha^2 v_k + beta), but for a constant.

        Args:
            x: Noisy coefficients.
            alpha: The size of the signal in each.
            beta: The variance of the noise in each.
        """
        scale, level = alpha[:, :, None], beta[:, :, None]
        total = scale**2 * self.variances.to(x) + level
        off = x[:, None] - scale * self.means.to(x)
        return self.log_weights.to(x) - 0.5 * (off.square() / total + total.log()).sum(dim=2)

    def posterior(
        self, x: Float[Tensor, "batch width"], alpha: Float[Tensor, "batch 1"], beta: Float[Tensor, "batch 1"]
    ) -> tuple[Float[Tensor, "batch width"], Float[Tensor, "batch width"]]:
        """The mean and the variance of each coefficient given its noisy value.

        Args:
            x: Noisy coefficients.
            alpha: The size of the signal in each.
            beta: The variance of the noise in each.
        """
        share = torch.softmax(self.log_joint(x, alpha, beta), dim=1)[:, :, None]
        scale, level = alpha[:, :, None], beta[:, :, None]
        means, variances = self.means.to(x), self.variances.to(x)
        gain = scale * variances / (scale**2 * variances + level)
        guesses = means + gain * (x[:, None] - scale * means)
        mean = (share * guesses).sum(dim=1)
        spread = (1.0 - scale * gain) * variances + (guesses - mean[:, None]).square()
        return mean, (share * spread).sum(dim=1)

    @torch.no_grad()
    def fit(self, c: Float[Tensor, "examples width"], generator: torch.Generator) -> None:
        """Fit the mixture to coefficients.

        Args:
            c: Coefficients of the examples.
            generator: Chooses the examples that the components begin at.
        """
        c = c.to(self.means)
        count, number = len(c), len(self.log_weights)
        self.means.copy_(c[torch.randperm(count, generator=generator)[:number].to(c.device)])
        pooled = c.var(dim=0, correction=0)
        self.variances.copy_(pooled.mean().expand_as(self.variances))
        for _ in range(ROUNDS[0]):  # k-means: all variances equal, each example in the nearest component
            nearest = torch.cdist(c, self.means).argmin(dim=1)
            member = nn.functional.one_hot(nearest, number).to(c)
            size = member.sum(dim=0)[:, None]
            self.means.copy_(torch.where(size > 0, member.T @ c / size.clamp(min=1.0), self.means))
        for _ in range(ROUNDS[1]):
            self._maximise(c, member)
            member = torch.softmax(self._log_joint_of_all(c), dim=1)
        self._maximise(c, member)

    def _maximise(self, c: Tensor, member: Tensor) -> None:
        """Weights, means and variances given the share of each example that is in each component."""
        count, number = member.shape
        size = member.sum(dim=0)[:, None]
        means = member.T @ c / size.clamp(min=1e-6)
        within = (member.T @ c.square() - size * means.square()).clamp(min=0.0)
        pooled = within.sum(dim=0) / count
        self.means.copy_(torch.where(size > 1e-3, means, self.means))
        self.variances.copy_((within + PRIOR * pooled) / (size + PRIOR))
        self.log_weights.copy_(((size[:, 0] + PRIOR / number) / (count + PRIOR)).log())

    def _log_joint_of_all(self, c: Tensor) -> Tensor:
        """`log_joint` without noise, by products of matrices."""
        inverse = 1.0 / self.variances
        constant = self.log_weights - 0.5 * (self.means.square() * inverse + self.variances.log()).sum(dim=1)
        return constant - 0.5 * c.square() @ inverse.T + c @ (self.means * inverse).T


def best_components(c: Float[Tensor, "examples width"], sigma: float, seed: int = 0) -> int:
    """The number of components under which every fourth example, left out, is most probable at a noise level.

    Args:
        c: Coefficients of the examples.
        sigma: The noise level, beside a signal of 1.
        seed: Of the beginnings of the fits.
    """
    left_out = torch.arange(len(c), device=c.device) % 4 == 3
    own, other = c[~left_out], c[left_out]
    noise = torch.randn(other.shape, generator=torch.Generator().manual_seed(seed)).to(other)
    one = torch.ones(len(other), 1).to(other)
    found = {}
    for number in COMPONENTS:
        if number > 1 and len(own) < 8 * number:
            continue
        mixture = Mixture(number, c.shape[1]).to(c)
        mixture.fit(own, torch.Generator().manual_seed(seed))
        parts = (other + sigma * noise).split(256), one.split(256)
        log_joint = torch.cat([mixture.log_joint(x, a, sigma**2 * a) for x, a in zip(*parts, strict=True)])
        found[number] = float(torch.logsumexp(log_joint, dim=1).mean())
    return max(found, key=lambda number: found[number])

"""A mixture of Gaussians over a few coefficients of the data: what one Gaussian cannot know of high noise.

At high noise the best denoiser guesses what the data may be *of* before it guesses details. One Gaussian has one
answer, its mean. A mixture has as many answers as components, and its posterior is known in closed form too. Let
component k have the weight pi_k and the mean m_k, and let all have the same variances v, one per coefficient. With
x = alpha c + sqrt(beta) n and V = alpha^2 v + beta,

    p(k | x)  ~  pi_k exp( alpha m_k . (x / V) - alpha^2 m_k . (m_k / V) / 2 ),        m = sum_k p(k | x) m_k,
    E[c | x]  =  m + alpha v / V (x - alpha m),
    var[c | x] = v beta / V + (beta / V)^2 sum_k p(k | x) (m_k - m)^2.

These are products of small matrices, so that hundreds of components cost next to nothing.

The coefficients are the leading ones of a `GaussianBasis`, in which a picture's large shapes and colours are. The
mixture is fitted by expectation and maximisation.
"""

import torch
from jaxtyping import Float
from torch import Tensor, nn

#: How many coefficients the mixture is over, at most.
LEADING = 64
#: The numbers of components that are tried.
COMPONENTS = (1, 4, 16, 64, 256)
#: Rounds of k-means to begin with, and then of expectation and maximisation.
ROUNDS = (10, 10)


class Mixture(nn.Module):
    """Components with a weight and a mean, and one variance per coefficient.

    Args:
        components: How many components.
        width: How many coefficients.
    """

    def __init__(self, components: int, width: int) -> None:
        super().__init__()
        self.register_buffer("log_weights", torch.zeros(components))
        self.register_buffer("means", torch.zeros(components, width))
        self.register_buffer("variances", torch.ones(width))

    log_weights: Float[Tensor, " components"]
    means: Float[Tensor, "components width"]
    variances: Float[Tensor, " width"]

    def log_shares(
        self, x: Float[Tensor, "batch width"], alpha: Float[Tensor, "batch 1"], beta: Float[Tensor, "batch 1"]
    ) -> Float[Tensor, "batch components"]:
        """The logarithm of pi_k N(x; alpha m_k, V), but for what is the same for all components.

        Args:
            x: Noisy coefficients.
            alpha: The size of the signal in each.
            beta: The variance of the noise in each.
        """
        means = self.means.to(x)
        inverse = 1.0 / (alpha**2 * self.variances.to(x) + beta)
        return self.log_weights.to(x) + (alpha * x * inverse) @ means.T - 0.5 * (alpha**2 * inverse) @ means.T.square()

    def posterior(
        self, x: Float[Tensor, "batch width"], alpha: Float[Tensor, "batch 1"], beta: Float[Tensor, "batch 1"]
    ) -> tuple[Float[Tensor, "batch width"], Float[Tensor, "batch width"]]:
        """The mean and the variance of each coefficient given its noisy value.

        Args:
            x: Noisy coefficients.
            alpha: The size of the signal in each.
            beta: The variance of the noise in each.
        """
        share = torch.softmax(self.log_shares(x, alpha, beta), dim=1)
        means, variances = self.means.to(x), self.variances.to(x)
        middle = share @ means
        between = (share @ means.square() - middle.square()).clamp(min=0.0)  # rounding may take it below
        left = beta / (alpha**2 * variances + beta)
        gain = alpha * variances / (alpha**2 * variances + beta)
        return middle + gain * (x - alpha * middle), left * variances + left.square() * between

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
        for _ in range(ROUNDS[0]):  # k-means: each example in the nearest component
            share = nn.functional.one_hot(torch.cdist(c, self.means).argmin(dim=1), number).to(c)
            size = share.sum(dim=0)[:, None]
            self.means.copy_(torch.where(size > 0, share.T @ c / size.clamp(min=1.0), self.means))
        one, none = torch.ones(count, 1).to(c), torch.zeros(count, 1).to(c)
        for _ in range(ROUNDS[1]):
            self._maximise(c, share)
            share = torch.softmax(self.log_shares(c, one, none), dim=1)
        self._maximise(c, share)

    def _maximise(self, c: Tensor, share: Tensor) -> None:
        """Weights, means and variances given the share of each example that is in each component."""
        count, number = share.shape
        size = share.sum(dim=0)
        means = share.T @ c / size.clamp(min=1e-6)[:, None]
        self.means.copy_(torch.where(size[:, None] > 1e-3, means, self.means))
        total = c.square().mean(dim=0)
        within = total - (size[:, None] * self.means.square()).sum(dim=0) / count
        # Where every example is a component of its own there is nothing within them.
        self.variances.copy_(torch.maximum(within, 1e-3 * total + 1e-12))
        self.log_weights.copy_(((size + 1.0 / number) / (count + 1.0)).log())


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
        x, total = other + sigma * noise, mixture.variances + sigma**2
        same = -0.5 * (x.square() / total + total.log()).sum(dim=1)
        shares = mixture.log_shares(x, one, sigma**2 * one)
        found[number] = float((same + torch.logsumexp(shares, dim=1)).mean())
    return max(found, key=lambda number: found[number])

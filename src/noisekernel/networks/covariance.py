"""A simple model of the data in closed form: mean and covariance, in a basis that is cheap to apply at any size.

For data of the shape (channels, *space), the covariance is taken to be diagonal in an orthonormal basis of three steps,

    channels      rotated to their principal axes (for colours: brightness, then two differences),
    space         a cosine transform along each dimension, which decorrelates what is stationary (pictures, sound),
    `dense`       of the coefficients with the largest variances, the principal axes of their full covariance.

Vectors have no space, so that for them the first step alone is the full covariance. For small pictures the third step
takes in most of the coefficients and the result is close to the full covariance; for large ones it costs no more, and
the rest is a spectrum. In this basis everything that a denoiser needs is elementwise: with variance l of a coefficient
and x = alpha z + sqrt(beta) n, the posterior of z has

    mean      m + alpha l / (alpha^2 l + beta) (x - alpha m),
    variance  l beta / (alpha^2 l + beta).

The leading coefficients may have a mixture of Gaussians in the place of one (`networks.mixture`), so that what the data
are roughly of is known too.

**Few examples.** The covariance of the dense coefficients is shrunk towards its diagonal. By how much is decided by the
likelihood of examples that were left out, at the noise level from which on the covariance will be used.
"""

import math
from collections.abc import Sequence

import torch
from jaxtyping import Float, Integer
from torch import Tensor, nn

from noisekernel.core.errors import InputError
from noisekernel.networks.mixture import LEADING, Mixture, best_components

#: Coefficients whose full covariance is kept, unless told otherwise: one megabyte of numbers.
DENSE = 512
#: Variances that differ little are put together where the variance of each element is computed.
GROUPS = 32
#: Fewer examples than these say nothing about a covariance.
FEWEST = 8
#: The shares of the way from the full covariance to its diagonal that are tried.
SHRINKAGES = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.85, 1.0)
#: No variance is smaller than this share of the mean variance; so pixels that never change cause no harm.
SMALLEST = 1e-5


def cosines(n: int) -> Float[Tensor, "n n"]:
    """The orthonormal cosine transform of n numbers: rows are the frequencies.

    >>> basis = cosines(4)
    >>> torch.allclose(basis @ basis.T, torch.eye(4), atol=1e-6)
    True
    """
    # On the CPU even where a network without weights is built, whose buffers would else have no values.
    place = torch.arange(n, dtype=torch.float64, device="cpu")
    rows = torch.cos(math.pi / n * (place + 0.5)[None, :] * place[:, None]) * math.sqrt(2.0 / n)
    rows[0] /= math.sqrt(2.0)
    return rows.float()


class GaussianBasis(nn.Module):
    """The mean of the data, the basis in which its covariance is diagonal, and the variances there.

    Args:
        shape: (channels, *space).
        dense: How many coefficients are kept with their full covariance; at most as many as there are.
        components: The number of components of the mixture over the leading coefficients; 1 for none.
    """

    def __init__(self, shape: Sequence[int], dense: int = DENSE, components: int = 1) -> None:
        super().__init__()
        self.shape = tuple(shape)
        size = math.prod(self.shape)
        # Without space, the rotation of the channels is all there is.
        self.dense = min(dense, size) if len(self.shape) > 1 else 0
        groups = min(GROUPS, size)
        for place, length in enumerate(self.shape[1:]):
            self.register_buffer(f"cosines{place}", cosines(length), persistent=False)
        self.register_buffer("mean", torch.zeros(self.shape))
        self.register_buffer("channels", torch.eye(self.shape[0]))
        self.register_buffer("chosen", torch.arange(self.dense))
        self.register_buffer("axes", torch.eye(self.dense))
        self.register_buffer("variances", torch.ones(size))
        # The group of each axis, and of the variance of each element the share that is along each group.
        self.register_buffer("group", torch.zeros(size, dtype=torch.int64))
        self.register_buffer("shares", torch.full((size, groups), 1.0 / groups))
        self.mixture = Mixture(components, min(LEADING, size)) if components > 1 else None
        self.register_buffer("leading", torch.arange(min(LEADING, size) if components > 1 else 0))

    mean: Float[Tensor, "channels *space"]
    channels: Float[Tensor, "channels channels"]
    chosen: Integer[Tensor, " dense"]
    axes: Float[Tensor, "dense dense"]
    variances: Float[Tensor, " size"]
    group: Integer[Tensor, " size"]
    shares: Float[Tensor, "size groups"]
    leading: Integer[Tensor, " leading"]

    @property
    def bytes(self) -> int:
        """The bytes that it takes in a file."""
        return sum(value.numel() * value.element_size() for value in self.state_dict().values())

    # There and back ---------------------------------------------------------------------------------------------------

    def spectrum(self, z: Float[Tensor, "batch channels *space"]) -> Float[Tensor, "batch size"]:
        """The coefficients after the first two steps, of data whose mean was taken off."""
        h = torch.tensordot(z, self.channels.to(z), dims=([1], [0])).movedim(-1, 1)
        for place in range(len(self.shape) - 1):
            h = torch.tensordot(h, self._cosines(place, z), dims=([2 + place], [1])).movedim(-1, 2 + place)
        return h.flatten(1)

    def forth(self, z: Float[Tensor, "batch channels *space"]) -> Float[Tensor, "batch size"]:
        """The coefficients of data whose mean was taken off, in the basis where the covariance is diagonal."""
        c = self.spectrum(z)
        if self.dense:
            c = c.index_copy(1, self.chosen, c[:, self.chosen] @ self.axes.to(z))
        return c

    def back(self, c: Float[Tensor, "batch size"]) -> Float[Tensor, "batch channels *space"]:
        """The data that has these coefficients, less the mean."""
        if self.dense:
            c = c.index_copy(1, self.chosen, c[:, self.chosen] @ self.axes.to(c).T)
        h = c.unflatten(1, self.shape)
        for place in range(len(self.shape) - 1):
            h = torch.tensordot(h, self._cosines(place, c), dims=([2 + place], [0])).movedim(-1, 2 + place)
        return torch.tensordot(h, self.channels.to(c), dims=([1], [1])).movedim(-1, 1)

    def _cosines(self, place: int, like: Tensor) -> Tensor:
        return self.get_buffer(f"cosines{place}").to(like)

    # The posterior ----------------------------------------------------------------------------------------------------

    def posterior(
        self, x: Float[Tensor, "batch channels *space"], beta: Float[Tensor, " batch"]
    ) -> tuple[Float[Tensor, "batch channels *space"], Float[Tensor, "batch channels *space"]]:
        """The mean of z given x, and the variance of each of its elements, if the data were of this simple law.

        Args:
            x: States, alpha z + sqrt(beta) n.
            beta: Their noise levels.
        """
        alpha, level = ((1.0 - beta).to(x)[:, None], beta.to(x)[:, None])
        mean = self.mean.to(x)
        off = x - alpha.reshape(-1, *[1] * len(self.shape)) * mean
        variances = self.variances.to(x)
        c = self.forth(off)
        gain = alpha * variances / (alpha**2 * variances + level)
        guess, spread = c * gain, (1.0 - alpha * gain) * variances
        if self.mixture is not None:
            leading = self.mixture.posterior(c[:, self.leading], alpha, level)
            guess, spread = (h.index_copy(1, self.leading, of) for h, of in zip((guess, spread), leading, strict=True))
        return mean + self.back(guess), self._of_elements(spread).unflatten(1, self.shape)

    def _of_elements(self, spread: Float[Tensor, "batch size"]) -> Float[Tensor, "batch size"]:
        """The variance of each element from those along the axes: exact where each axis is a group of its own."""
        shares = self.shares.to(spread)
        zeros = spread.new_zeros(len(spread), shares.shape[1])
        sums = zeros.index_add(1, self.group, spread)
        sizes = zeros[0].index_add(0, self.group, torch.ones_like(spread[0])).clamp(min=1.0)
        return (sums / sizes) @ shares.T

    # Measuring --------------------------------------------------------------------------------------------------------

    @torch.no_grad()
    def fit(self, z: Float[Tensor, "examples channels *space"], sigma: float = 0.1) -> float:
        """Measure mean and covariance of these examples.

        Args:
            z: Examples, at least 8.
            sigma: The noise level, beside a signal of 1, at which examples that are left out decide on the shrinkage.

        Returns:
            How far the covariance of the dense coefficients was shrunk towards its diagonal, from 0 to 1.
        """
        count = len(z)
        if count < FEWEST:
            raise InputError(f"{count} examples say nothing about a covariance; it takes at least {FEWEST}")
        mean = z.double().mean(dim=0).float()
        off = z - mean
        pixels = off.movedim(1, -1).flatten(0, -2).double()
        self.mean.copy_(mean)
        self.channels.copy_(_axes(pixels.T @ pixels / len(pixels))[1])
        c = self.spectrum(off)
        # A new example differs from the mean of the others by this much more than they do.
        more = (count + 1) / (count - 1)
        variances = c.square().mean(dim=0, dtype=torch.float64) * more
        floor = SMALLEST * float(variances.mean())
        if floor <= 0:
            raise InputError("all examples are one and the same, so that they have no covariance")
        shrinkage = 0.0
        if self.dense:
            chosen = variances.topk(self.dense).indices.sort().values
            self.chosen.copy_(chosen)
            of_chosen = c[:, chosen].double()
            shrinkage = _best_shrinkage(of_chosen, sigma)
            values, axes = _axes(_shrunk(of_chosen.T @ of_chosen / count * more, shrinkage))
            self.axes.copy_(axes)
            variances[chosen] = values
        self.variances.copy_(variances.clamp(min=floor))
        self._group()
        if self.mixture is not None:
            self.leading.copy_(self._leading())
            self.mixture.fit(self.forth(off)[:, self.leading], torch.Generator().manual_seed(0))
        return shrinkage

    @torch.no_grad()
    def components_for(self, z: Float[Tensor, "examples channels *space"], sigma: float) -> int:
        """The number of components that a mixture for these examples should have, once the rest has been measured.

        Args:
            z: Examples.
            sigma: The noise level at which examples that are left out decide.
        """
        return best_components(self.forth(z - self.mean)[:, self._leading()], sigma)

    def _leading(self) -> Tensor:
        return self.variances.topk(min(LEADING, self.variances.numel())).indices

    def _group(self) -> None:
        """Put axes of like variance together, and find what share of each element's variance is along each group."""
        size, groups = self.shares.shape
        log = self.variances.log()
        if groups == size:
            self.group.copy_(torch.arange(size))
        else:
            low, high = log.aminmax()
            width = max(float(high - low), 1e-9) / groups
            self.group.copy_(((log - low) / width).long().clamp(max=groups - 1))
        self.shares.zero_()
        # The squares of the basis, a few of its vectors at a time.
        for some in torch.arange(size, device=log.device).split(256):
            units = torch.zeros(len(some), size, device=log.device)
            units[torch.arange(len(some)), some] = 1.0
            squares = self.back(units).flatten(1).square()
            self.shares.index_add_(1, self.group[some], squares.T.contiguous())


def _axes(covariance: Tensor) -> tuple[Tensor, Tensor]:
    """Variances, from large to small, and principal axes as columns."""
    values, axes = torch.linalg.eigh(covariance)
    return values.flip(0), axes.flip(1).contiguous()


def _shrunk(covariance: Tensor, share: float) -> Tensor:
    return (1.0 - share) * covariance + share * covariance.diagonal().diag()


def _best_shrinkage(c: Float[Tensor, "examples dense"], sigma: float, parts: int = 4) -> float:
    """The share of shrinkage under which left-out examples are most probable, with noise sigma added to all."""
    count = len(c)
    totals = torch.zeros(len(SHRINKAGES), dtype=torch.float64)
    noise = sigma**2 * torch.eye(c.shape[1], dtype=c.dtype, device=c.device)
    part = torch.arange(count, device=c.device) % parts
    for left_out in range(parts):
        own, other = c[part != left_out], c[part == left_out]
        own_mean = own.mean(dim=0)
        covariance = (own - own_mean).T @ (own - own_mean) / len(own)
        second = other - own_mean
        # Of the noise that is added, only its mean effect: E (c + sigma n)(c + sigma n)' = c c' + sigma^2.
        scatter = second.T @ second / len(other) + noise
        for place, share in enumerate(SHRINKAGES):
            factor = torch.linalg.cholesky(_shrunk(covariance, share) + noise)
            quadratic = torch.cholesky_solve(scatter, factor).diagonal().sum()
            totals[place] += (quadratic + 2.0 * factor.diagonal().log().sum()).cpu() * len(other)
    return SHRINKAGES[int(totals.argmin())]

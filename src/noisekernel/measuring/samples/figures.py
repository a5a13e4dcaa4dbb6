"""All figures of two sets of features: FID, Inception score and KID through torchmetrics, and those by neighbours.

| figure | what it is | its interval speaks of |
|---|---|---|
| `fid` | Fréchet distance of all samples to all examples | other samples, as many, of the same model |
| `fid_unbiased` | the same, less the bias of finite sets | the distributions behind samples and examples |
| `kid` | squared maximum mean discrepancy, cubic kernel, unbiased (Bińkowski et al. 2018) | the same |
| `inception_score` | exp of the information a sample has of its class (Salimans et al. 2016) | other samples |
| `precision` … `coverage` | see `neighbours` | other samples |
"""

import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec

import torch
from torch import Tensor, nn

from noisekernel.core.errors import InputError, NoiseKernelError
from noisekernel.measuring.samples.frechet import frechet_intervals
from noisekernel.measuring.samples.intervals import Figure, around, groups_of, jackknife
from noisekernel.measuring.samples.neighbours import NEIGHBOURS, shares_intervals

#: Points a set in the tables of distances, and in those of kernels: time grows with their square.
MOST_NEIGHBOURED, MOST_KERNELLED = 5_000, 10_000
#: Parts that the Inception score is the mean of, as in its paper.
PARTS = 10
FEWEST = 2 * PARTS


@dataclass(frozen=True)
class Encoded:
    """Features of examples, and logits of classes where the features come with any."""

    features: Tensor
    logits: Tensor | None = None

    def __len__(self) -> int:
        return len(self.features)

    def __getitem__(self, rows: Tensor | slice) -> "Encoded":
        return Encoded(self.features[rows], None if self.logits is None else self.logits[rows])

    def tensors(self) -> dict[str, Tensor]:
        """By name, to be kept."""
        return {"features": self.features} | ({} if self.logits is None else {"logits": self.logits})


def check_torchmetrics() -> None:
    """Refuse, before any work is done, to go on without it."""
    if find_spec("torchmetrics") is None:
        raise NoiseKernelError(
            "FID, KID and the Inception score come from torchmetrics: pip install 'noisekernel[evaluate]'"
        )


def compare(real: Encoded, fake: Encoded, seed: int = 0) -> dict[str, Figure]:
    """Every figure of samples `fake` against examples `real` that can be had, by name.

    Which points go to which part, or to the tables of distances, is drawn from the seed.
    """
    check_torchmetrics()
    if min(len(real), len(fake)) < FEWEST:
        raise InputError(f"figures need at least {FEWEST} samples and examples: {len(fake)} and {len(real)} given")
    generator = torch.Generator().manual_seed(seed % 2**63)
    # Data sets are often sorted, and labels come by turns.
    real, fake = (each[torch.randperm(len(each), generator=generator)] for each in (real, fake))
    plain, unbiased = frechet_intervals(real.features, fake.features)
    figures = {
        # The value is torchmetrics'; ours differs in rounding.
        "fid": Figure(fid(real.features, fake.features), max(0.0, plain.low), plain.high),
        "fid_unbiased": unbiased,
        "kid": kid(real.features[:MOST_KERNELLED], fake.features[:MOST_KERNELLED]),
    }
    if fake.logits is not None:
        figures["inception_score"] = inception_score(fake.logits, seed).limited(1.0)
    count = min(len(real), len(fake), MOST_NEIGHBOURED)
    return figures | shares_intervals(real.features[:count], fake.features[:count], NEIGHBOURS)


class _AsTheyAre(nn.Module):
    """Features have been computed, once: torchmetrics takes them as they are."""

    def __init__(self, num_features: int) -> None:
        super().__init__()
        self.num_features = num_features

    def forward(self, features: Tensor) -> Tensor:
        return features


def fid(real: Tensor, fake: Tensor) -> float:
    """The Fréchet distance as torchmetrics computes FID."""
    from torchmetrics.image.fid import FrechetInceptionDistance

    # Features were gathered; this process alone computes, and torchmetrics would wait for the others for ever.
    metric = FrechetInceptionDistance(feature=_AsTheyAre(real.shape[1]), sync_on_compute=False)
    metric.update(real.double(), real=True)
    metric.update(fake.double(), real=False)
    return float(metric.compute())


def kid(real: Tensor, fake: Tensor) -> Figure:
    """The squared discrepancy, unbiased: its mean is zero where the distributions are one, so it may be negative.

    Where there are as many samples as examples it is torchmetrics' `poly_mmd`. It comes from sums over pairs of groups,
    so that a group of samples and one of examples can be left out at no cost.
    """
    real, fake = real.double(), fake.double()
    theirs, ours = groups_of(len(real)), groups_of(len(fake))
    across = _kernel_sums(fake, ours, real, theirs)
    parts = [
        (_kernel_sums(side, own, side, own), own.bincount().double()) for side, own in ((real, theirs), (fake, ours))
    ]

    def discrepancy(kept: Tensor) -> float:
        counts = [float(sizes[kept].sum()) for _, sizes in parts]
        pairs = [sums[kept][:, kept].sum() / (n * (n - 1)) for (sums, _), n in zip(parts, counts, strict=True)]
        return float(sum(pairs) - 2 * across[kept][:, kept].sum() / (counts[0] * counts[1]))

    everyone = torch.arange(len(across))
    return jackknife(discrepancy(everyone), [discrepancy(everyone[everyone != group]) for group in everyone]).plain


def _kernel_sums(a: Tensor, groups_a: Tensor, b: Tensor, groups_b: Tensor) -> Tensor:
    """Of the cubic kernel, over all pairs of a point of a and one of b, by their groups."""
    from torchmetrics.image.kid import poly_kernel

    sums = torch.zeros(int(groups_a.max()) + 1, int(groups_b.max()) + 1, dtype=torch.float64)
    for group, row in enumerate(sums):
        own = groups_a == group
        kernel = poly_kernel(a[own], b)
        row.index_add_(0, groups_b, kernel.sum(0))
        if a is b:
            row[group] -= kernel[:, own].trace()  # a point is no pair with itself
    return sums


def inception_score(logits: Tensor, seed: int = 0) -> Figure:
    """From the logits of samples."""
    from torchmetrics.image.inception import InceptionScore

    # It warns that it keeps features, which we know, and shuffles by the ambient generator, which is not ours to turn.
    with warnings.catch_warnings(), torch.random.fork_rng(devices=[]):
        warnings.simplefilter("ignore", UserWarning)
        torch.manual_seed(seed % 2**63)
        metric = InceptionScore(feature=_AsTheyAre(logits.shape[1]), splits=PARTS, sync_on_compute=False)
        metric.update(logits.double())
        mean, deviation = metric.compute()
    return around(float(mean), float(deviation) / math.sqrt(PARTS), PARTS - 1)


def as_json(figures: Mapping[str, Figure]) -> dict[str, dict[str, object]]:
    """Figures for programs."""
    return {name: {"value": each.value, "interval": [each.low, each.high]} for name, each in figures.items()}

"""Features learned from the data itself: the hidden layer of a small classifier, trained in seconds to a minute.

For small pictures Inception's features say little, and nobody has them at hand. A classifier of the same data sees what
tells its pictures apart. Figures on its features rank models of this data set; they compare with nothing outside.
"""

import torch
from jaxtyping import Float, UInt8
from torch import Tensor, nn
from torch.nn import functional as F

from noisekernel.core.errors import InputError

WIDTH = 64
#: What is seen in training: so many pictures, but none more often than `PASSES` times.
IMAGES, PASSES, BATCH = 180_000, 60, 128


class SmallClassifier(nn.Module):
    """Two convolutions, a hidden layer of `WIDTH` features, logits. Takes bytes."""

    def __init__(self, shape: tuple[int, int, int], classes: int) -> None:
        super().__init__()
        channels, height, width = shape
        self.first = nn.Conv2d(channels, 16, 3, padding=1)
        self.second = nn.Conv2d(16, 32, 3, padding=1)
        self.hidden = nn.Linear(32 * _quarter(height) * _quarter(width), WIDTH)
        self.last = nn.Linear(WIDTH, classes)

    def forward(
        self, pixels: UInt8[Tensor, "batch channels height width"]
    ) -> tuple[Float[Tensor, "batch features"], Float[Tensor, "batch classes"]]:
        x = pixels.float() / 127.5 - 1.0
        for convolution in (self.first, self.second):
            x = F.max_pool2d(F.relu(convolution(x)), 2, ceil_mode=True)
        features = F.relu(self.hidden(x.flatten(1)))
        return features, self.last(F.dropout(features, 0.25, self.training))


def _quarter(side: int) -> int:
    """What two poolings leave of a side."""
    return (side + 3) // 4


def can_classify(labels: Tensor | None) -> bool:
    """Whether a classifier can be trained, and a tenth held back to try it on, with each class on either side."""
    if labels is None:
        return False
    counts = labels[labels >= 0].bincount()
    known, classes = int(counts.sum()), int((counts > 0).sum())
    return classes > 1 and int(counts[counts > 0].min()) >= 2 and known // 10 >= classes


def train_classifier(pixels: Tensor, labels: Tensor, seed: int = 0) -> tuple[SmallClassifier, float]:
    """A classifier of these pictures, and its accuracy on a tenth of them that it was not shown.

    The random numbers are functions of the seed; torch's ambient generator is left as it was.
    """
    if not can_classify(labels):
        raise InputError("a classifier needs at least two classes, and ten pictures a class")
    known = torch.nonzero(labels >= 0).flatten()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        order = known[torch.randperm(len(known))]
        held, rest = order[: len(order) // 10], order[len(order) // 10 :]
        shape = (pixels.shape[1], pixels.shape[2], pixels.shape[3])
        classifier = SmallClassifier(shape, int(labels.max()) + 1)
        _fit(classifier.train(), pixels, labels, rest)
    classifier.eval().requires_grad_(False)
    right = [(classifier(pixels[rows])[1].argmax(1) == labels[rows]).sum() for rows in held.split(1000)]
    return classifier, float(sum(right) / len(held))


def _fit(classifier: SmallClassifier, pixels: Tensor, labels: Tensor, rest: Tensor) -> None:
    batch = min(BATCH, len(rest))
    steps = max(1, min(IMAGES, PASSES * len(rest)) // batch)
    optimiser = torch.optim.AdamW(classifier.parameters(), weight_decay=0.01)
    rate = torch.optim.lr_scheduler.OneCycleLR(optimiser, 4e-3, total_steps=steps)
    waiting = torch.empty(0, dtype=torch.int64)
    for _ in range(steps):
        if len(waiting) < batch:
            waiting = rest[torch.randperm(len(rest))]
        rows, waiting = waiting[:batch], waiting[batch:]
        loss = F.cross_entropy(classifier(pixels[rows])[1], labels[rows])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        rate.step()

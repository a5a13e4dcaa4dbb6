"""What pictures are judged by, learned from the data: the hidden layer of a small classifier of its classes."""

from collections.abc import Mapping

import torch
from torch import Tensor

from noisekernel.core.errors import InputError
from noisekernel.kinds.exchanged import Features
from noisekernel.kinds.pictures.classifier import SmallClassifier, can_classify, train_classifier
from noisekernel.kinds.pictures.reading import Size

#: The longest side of pictures from which features are learned.
LONGEST_LEARNED = 64


def check_learnable(size: Size) -> None:
    """Refuse pictures that are too large to learn features from."""
    longest = max(size.height, size.width)
    if longest > LONGEST_LEARNED:
        raise InputError(
            f"features are learned from pictures of up to {LONGEST_LEARNED} pixels a side, and these have "
            f"{longest}; name others, such as inception:PATH"
        )


def learn_classifier(values: Tensor, labels: Tensor | None, seed: int) -> dict[str, Tensor] | None:
    """A classifier of the data's classes and the scale of its features; None where there are no classes to learn."""
    if labels is None or not can_classify(labels):
        return None
    classifier, accuracy = train_classifier(values, labels, seed)
    some = torch.cat([classifier(rows)[0] for rows in values[:5000].split(500)])
    # Scaled to a mean square of one: the kernel of KID adds one to products of features, and expects such.
    return {**classifier.state_dict(), "accuracy": torch.tensor(accuracy), "scale": some.square().mean().sqrt()}


def classifier_features(made: Mapping[str, Tensor], size: Size, device: torch.device) -> Features:
    """Features from what `learn_classifier` made."""
    weights = {name: value for name, value in made.items() if name not in ("accuracy", "scale")}
    classifier = SmallClassifier(size, len(weights["last.bias"]))
    classifier.load_state_dict(weights)
    classifier.requires_grad_(False).eval().to(device)
    scale = float(made["scale"])

    def hidden(values: Tensor) -> tuple[Tensor, Tensor]:
        found, logits = classifier(values.to(device))
        return found / scale, logits

    accuracy = f"right on {float(made['accuracy']):.1%} of pictures it was not shown"
    return Features(hidden, f"a small classifier of the data ({accuracy})")

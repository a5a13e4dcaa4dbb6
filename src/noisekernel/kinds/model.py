"""A noise model that knows what its data are: the way between examples as people have them and clean data."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import torch
from jaxtyping import Shaped
from torch import Tensor

from noisekernel.core.checks import count
from noisekernel.core.errors import InputError
from noisekernel.core.suggestions import unknown
from noisekernel.kinds.base import Kind
from noisekernel.kinds.examples import items_of, read_examples, read_mask, warn
from noisekernel.kinds.exchanged import Shown
from noisekernel.sampling.model import Examples, Labels, NoiseModel
from noisekernel.sampling.schedule import Schedule


@dataclass(frozen=True, repr=False)
class KindModel(NoiseModel):
    """A `NoiseModel` of data of a kind, with classes that have names, and a sampler of its own."""

    @property
    @abstractmethod
    def kind(self) -> Kind:
        """What its data are."""

    @property
    @abstractmethod
    def classes(self) -> Sequence[str]:
        """The names of its classes, if it learned any."""

    @abstractmethod
    def schedule(self, sampler: str | None = None, steps: int | None = None) -> tuple[str, Schedule]:
        """The name of a sampler and its schedule: by default the model's own, in its own number of steps."""

    def as_batch(self, z: Examples) -> Tensor:
        """Clean data, one sample or a batch of them, or examples as `read` takes them."""
        if isinstance(z, Tensor):
            return super().as_batch(z[None] if tuple(z.shape) == self.shape else z)
        return self.read(z)

    def as_mask(self, mask: Any, z: Examples) -> Tensor:
        """A tensor, or what the kind of data reads as a mask, for these examples."""
        if isinstance(mask, Tensor):
            return mask
        found, notes = read_mask(self.kind, mask, [] if isinstance(z, Tensor) else items_of(self.kind, z))
        warn(notes)
        return found

    def as_labels(self, label: Labels | None, n: int) -> Tensor | None:
        """Integers of shape (n,), or one or several classes by name or number, taken by turns."""
        if label is None or isinstance(label, Tensor):
            return super().as_labels(label, n)
        return self.label([label] if isinstance(label, str | int | Integral) else label, n)

    def read(self, examples: Any) -> Tensor:
        """Examples as clean data, (n, *shape): paths, or whatever the kind of data takes; one of them, or a list."""
        given = read_examples(self.kind, examples)
        warn(given.notes)
        return given.z

    def draw(self, z: Shaped[Tensor, "*many"]) -> list[Any]:
        """Clean data as people know it, in one list: pictures, strings, rows.

        One sample, a batch, or variants of a batch, in order.

        >>> from noisekernel import load
        >>> model = load("digits")
        >>> z = torch.zeros(2, 3, *model.shape)
        >>> len(model.draw(z)), len(model.draw(z[0])), len(model.draw(z[0, 0]))
        (6, 3, 1)
        """
        batch = self.kind.check_z(z)
        return self.kind.drawn(self.kind.decode(batch)) if batch.numel() else []

    def show(self, z: Tensor, hidden: Tensor | None = None) -> list[Shown]:
        """Clean data as bytes that other programs show: PNG, text. Elements that are `hidden` are shown as missing."""
        batch = self.kind.check_z(z)
        return self.kind.show(self.kind.decode(batch), hidden) if batch.numel() else []

    def label(self, names: Sequence[str | int], n: int) -> Tensor:
        """Labels for n samples, from names or numbers of classes, by turns.

        >>> from noisekernel import load
        >>> load("fashion").label(["sneaker", 9], 4)
        tensor([7, 9, 7, 9])
        """
        if not self.classes:
            raise InputError("this model learned no classes, so it takes no label")
        if isinstance(names, str | Integral) or not isinstance(names, Sequence) or not names:
            raise InputError(f"names is {names!r}; give a list of classes, such as [{self.classes[0]!r}] or [0]")
        numbers = [self._class(name) for name in names]
        return torch.tensor([numbers[i % len(numbers)] for i in range(count("n", n))])

    def _class(self, name: str | int) -> int:
        """The number of a class, from its name or its number."""
        if isinstance(name, str) and name in self.classes:
            return self.classes.index(name)
        number = int(name) if isinstance(name, Integral) or (isinstance(name, str) and name.isdecimal()) else -1
        if isinstance(name, bool) or not 0 <= number < len(self.classes):
            raise InputError(
                unknown("class", name, self.classes)
                if isinstance(name, str)
                else f"there is no class {name!r}; give a name, or a whole number from 0 to {len(self.classes) - 1}"
            )
        return number

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
from noisekernel.core.errors import InputError, ShapeError
from noisekernel.core.suggestions import unknown
from noisekernel.kinds.base import Kind, counted
from noisekernel.kinds.examples import items_of, open_in, read_examples, read_mask, warn
from noisekernel.kinds.overview import Overview
from noisekernel.kinds.summary import Summary
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
        """The name of a sampler and its schedule.

        Args:
            sampler: The name of a sampler; None for the model's own.
            steps: The number of its steps; None for as many as the model, or the sampler that was named, takes.
        """

    def as_batch(self, z: Examples) -> Tensor:
        """Clean data, one sample or a batch of them, or examples as `read` takes them."""
        if isinstance(z, Tensor):
            return super().as_batch(z[None] if tuple(z.shape) == self.shape else z)
        return self.read(z)

    def entering(self, z: Tensor) -> Tensor:
        """A user's data, which must leave nothing open."""
        if isinstance(z, Tensor) and z.ndim:
            self.kind.check_whole(z)
        return super().entering(z)

    def as_mask(self, mask: Any, z: Examples) -> Tensor:
        """A tensor, or what the kind of data reads as a mask, or None for what these examples leave open."""
        if isinstance(mask, Tensor):
            return mask
        if mask is None:
            return open_in(self.kind, self.as_batch(z))
        found, notes = read_mask(self.kind, mask, [] if isinstance(z, Tensor) else items_of(self.kind, z))
        warn(notes)
        return found

    def barred(self, z: Tensor, hidden: Tensor) -> Tensor | None:
        """What the kind of data knows to be impossible."""
        return self.kind.barred(z, hidden)

    def as_labels(self, label: Labels | None, n: int) -> Tensor | None:
        """Integers of shape (n,), or one or several classes by name or number, taken by turns."""
        if label is None or isinstance(label, Tensor):
            return super().as_labels(label, n)
        return self.label([label] if isinstance(label, str | int | Integral) else label, n)

    def check_worse(self, worse: NoiseModel) -> bool:
        """The same kind of data too, and the same classes or none."""
        if isinstance(worse, KindModel):
            mine, theirs = (each.kind.model_dump(include={"kind", *each.kind.fixed}) for each in (self, worse))
            if mine != theirs:
                odd = [name for name in mine if theirs.get(name, mine[name]) != mine[name]]
                raise InputError(
                    f"the worse model is of {worse.kind.described()}, and this one of {self.kind.described()}: they "
                    f"differ in {', '.join(odd) or 'the kind of data'}; give a worse model of the same data"
                )
            if worse.classes and tuple(worse.classes) != tuple(self.classes):
                raise InputError(
                    f"the worse model learned the classes {_few(worse.classes)}, and this one {_few(self.classes)}; "
                    "they must be the same, or the worse model has none"
                )
        return super().check_worse(worse)

    def read(self, examples: Any) -> Tensor:
        """Examples as clean data, (n, *shape).

        Args:
            examples: Paths, or whatever the kind of data takes; one of them, or a list.
        """
        given = read_examples(self.kind, examples)
        warn(given.notes)
        return given.z

    def draw(self, z: Shaped[Tensor, "*many"], of: Any = None) -> list[Any]:
        """Clean data as people know it, in one list: pictures, strings, rows.

        Args:
            z: One sample, a batch, or variants of a batch, in order.
            of: The examples that they were made from, as they were given to the task. A number in a row that has not
                changed then comes back to its last digit; otherwise it is the nearest one that the model knows.

        >>> from noisekernel import load
        >>> model = load("digits")
        >>> z = torch.zeros(2, 3, *model.shape)
        >>> len(model.draw(z)), len(model.draw(z[0])), len(model.draw(z[0, 0]))
        (6, 3, 1)
        """
        batch = self.kind.check_z(z)
        if not batch.numel():
            return []
        values = self.kind.decode(batch)
        if of is not None:
            given = read_examples(self.kind, of).values
            if len(values) % len(given):
                raise InputError(
                    f"{counted(len(values), self.kind)} cannot be made of {len(given):,}: give as `of` the examples "
                    "that the task was given, of which each has as many results"
                )
            values = self.kind.kept(values, given.repeat_interleave(len(values) // len(given), dim=0))
        return self.kind.drawn(values)

    def summarise(self, filled: Tensor, of: Any = None, mask: Any = None, coverage: float = 0.9) -> Summary:
        """What fills say about each cell of a table: alternatives with probabilities, medians and intervals.

        An interval holds the value that was there with at least the probability `coverage`, if the fills have the right
        distribution. At 90 %, that takes at least 19 fills of each row.

        Args:
            filled: What `model.fill` returned: (examples, n, *shape).
            of: The examples that were filled in, as they were given to `model.fill`. They are needed without a mask.
            mask: The mask that was given to `model.fill`; None for the empty cells of the examples.
            coverage: What intervals are to cover at least, between 0 and 1.

        Returns:
            A sequence of `FilledCell`, one for each cell that was filled in.
        """
        if filled.ndim != len(self.shape) + 2 or tuple(filled.shape[2:]) != tuple(self.shape):
            raise ShapeError(
                f"filled has shape {tuple(filled.shape)}; give what model.fill returned, of shape (examples, n, "
                f"{', '.join(map(str, self.shape))})"
            )
        if mask is None and of is None:
            raise InputError("say which cells were filled in: of=EXAMPLES, whose empty cells they are, or mask=…")
        hidden = self.as_mask(mask, filled[:, 0] if of is None else of).cpu()
        hidden = hidden.expand(len(filled), *self.shape) if hidden.ndim <= len(self.shape) else hidden
        if len(hidden) not in (1, len(filled)):
            raise InputError(
                f"these are fills of {counted(len(filled), self.kind)}, and the examples given are {len(hidden):,}; "
                "give those that were filled in"
            )
        return self.kind.summarise(filled.detach().cpu(), hidden.expand(len(filled), *self.shape), coverage)

    def show(self, z: Tensor, columns: int | None = None, hidden: Tensor | None = None) -> Overview:
        """Clean data on one page, which a notebook displays, and which can be saved.

        Args:
            z: One sample, a batch, or variants of a batch, in order.
            columns: How many stand in a row; for variants of a batch, by default, those of one example.
            hidden: Which elements are shown as missing: 1 or 0, of the shape of z.

        >>> from noisekernel import load
        >>> model = load("digits")
        >>> model.show(model.sample(4, steps=3))
        <4 pictures of 1 x 8 x 8>
        """
        batch = self.kind.check_z(z)
        if not len(batch):
            raise InputError(f"there is no {self.kind.one} to show; give at least one")
        if columns is None and z.ndim == len(self.shape) + 2:
            columns = z.shape[1]
        lost = None if hidden is None else hidden.detach().cpu().bool().expand(z.shape).reshape(-1, *self.shape)
        page = self.kind.overview(self.kind.decode(batch), columns, lost)
        return Overview(page, f"{counted(len(batch), self.kind)} of {' x '.join(map(str, self.shape))}")

    def label(self, names: Sequence[str | int], n: int) -> Tensor:
        """Labels for n samples, from names or numbers of classes, by turns.

        Args:
            names: The names or numbers.
            n: The number of samples.

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
                if isinstance(name, str) and not name.isdecimal()
                else f"there is no class {name!r}; give a name, or a whole number from 0 to {len(self.classes) - 1}"
            )
        return number


def _few(names: Sequence[str], most: int = 5) -> str:
    """The names of some classes, for an error."""
    return ", ".join(names[:most]) + (" …" if len(names) > most else "") or "none"

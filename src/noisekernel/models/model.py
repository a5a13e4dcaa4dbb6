"""Models: a trained chain as one file, and where to find one by name.

A model is one safetensors file: the weights, and in its header a JSON with its design (all that is needed to build it)
and its history (data, recipe, seed, images seen). Loading one builds what the design says and executes nothing.
"""

from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any

import torch
from jaxtyping import Shaped
from torch import Tensor

from noisekernel import recipes
from noisekernel.core.checks import count
from noisekernel.core.errors import InputError
from noisekernel.core.quantities import told_seconds
from noisekernel.core.suggestions import unknown
from noisekernel.kinds.base import Kind, Shown
from noisekernel.models.examples import read_examples, warn
from noisekernel.models.verbs import Verbs
from noisekernel.networks.denoiser import Denoiser
from noisekernel.sampling.model import NoiseModel
from noisekernel.sampling.samplers import sampler as by_name
from noisekernel.sampling.schedule import Schedule
from noisekernel.sampling.strength import StrengthCurve


@dataclass(frozen=True, repr=False)
class Model(Verbs, NoiseModel):
    """A `NoiseModel` that knows its design and its history, and the way between examples and its data."""

    design: recipes.Design = field(kw_only=True)
    history: Mapping[str, Any] = field(kw_only=True, default_factory=dict)

    @property
    def kind(self) -> Kind:
        """What its data are."""
        return self.design.data

    @property
    def size(self) -> Any:
        """The size of its pictures."""
        return self.design.data.box

    @property
    def middle(self) -> int:
        """The value of z that is drawn grey, for what is hidden."""
        return 0 if self.kind.classes is None else self.kind.classes // 2

    @property
    def classes(self) -> Sequence[str]:
        """The names of its classes, if it learned any."""
        return self.design.classes

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

    def schedule(self, sampler: str | None = None, steps: int | None = None) -> tuple[str, Schedule]:
        """The name of a sampler and its schedule: by default the model's own, in its own number of steps.

        >>> from noisekernel import load
        >>> load("digits").schedule("ddim", 10)[1].steps
        10
        """
        own = self.design.sampling
        name = sampler or own.sampler
        return name, by_name(name, self.kernel, steps if steps or sampler else own.steps)

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

    def __repr__(self) -> str:
        classes = f"{len(self.classes)} classes; " if self.classes else ""
        return f"{super().__repr__()[:-1]}\n {classes}{told_history(self.history)}>"


def told_history(history: Mapping[str, Any]) -> str:
    """The history of a model in words; what it does not say is left out."""
    recipe = history.get("recipe")
    name = recipe.get("name") if isinstance(recipe, Mapping) else None
    examples, images, seconds = history.get("examples"), history.get("images"), history.get("seconds")
    words = f"trained on {history.get('data', 'data that it does not name')}"
    words += f" ({examples:,} examples)" if isinstance(examples, int) else ""
    words += f", beginning with the weights of {history['start']}," if history.get("start") else ""
    words += f" by recipe {name!r}" if name else ""
    words += f", seed {history['seed']}" if "seed" in history else ""
    words += f": {images:,} images" if isinstance(images, int) else ""
    words += f" in {told_seconds(seconds)}" if isinstance(seconds, int | float) else ""
    processes = f" on {history['processes']} x {history.get('device', '?')}" if "processes" in history else ""
    return words + processes


def build(
    design: recipes.Design,
    denoiser: Denoiser | None = None,
    history: Mapping[str, Any] | None = None,
    curves: MutableMapping[str, StrengthCurve] | None = None,
) -> Model:
    """A model of this design: with this denoiser, or with one fresh from the generator of torch."""
    denoiser = design.denoiser() if denoiser is None else denoiser
    curves = {} if curves is None else curves
    return Model(design.kernel.build(), denoiser, design.shape, design=design, history=history or {}, curves=curves)

"""The models that a studio serves, with what the page wants to know of them."""

import itertools
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from threading import Lock
from typing import Any
from urllib.parse import quote

from torch import Tensor

from noisekernel import models, tasks
from noisekernel.core.errors import InputError, NoiseKernelError
from noisekernel.data import open_source
from noisekernel.data.source import Source
from noisekernel.kinds import Kind
from noisekernel.measuring.familiarity import Familiarity
from noisekernel.models.model import Model, told_history
from noisekernel.sampling.guidance import over_classes
from noisekernel.sampling.strength import StrengthCurve
from noisekernel.tasks.strength import EQUILIBRIUM, RENEWAL, Way

#: The ways to make variants here: variants, and variants towards taste.
WAYS = (RENEWAL, EQUILIBRIUM)
#: The sizes of batches with which a model is timed.
TIMED = (1, 12)


@dataclass
class Served:
    """A model, by name, with examples of its data."""

    id: str
    model: Model
    #: sha256 of its file.
    weights: str
    #: What `nk` loads it by.
    name: str
    source: Source | None = None
    #: How long its examples are, where that is not the length it learned (`Kind.of_length`).
    length: int | None = None
    #: What surprises it, once that was measured.
    familiarity: Familiarity | None = None
    #: The seconds of a step, for batches of the sizes `TIMED`; empty until they were measured.
    _timed: list[float] = field(default_factory=list, init=False, repr=False)
    _timing: Lock = field(default_factory=Lock, init=False, repr=False)

    def seconds(self, n: int) -> float:
        """How long a step with n examples takes if nothing else is under way: a network call and what goes with it.

        Measured when it is first asked for, with few examples and with many; in between, and beyond, time is a line.
        """
        with self._timing:
            if not self._timed:
                self._timed = [_seconds_a_step(self.model, size) for size in TIMED]
        (few, many), (short, long) = TIMED, self._timed
        return max(short, short + (n - few) / (many - few) * (long - short))

    def curve(self, way: Way) -> StrengthCurve:
        """The model's own, or until that is measured a guess."""
        return self.model.curves.get(way.name, way.guess)

    @property
    def unmeasured(self) -> list[Way]:
        return [way for way in WAYS if way.name not in self.model.curves]

    @property
    def unfamiliar(self) -> bool:
        """Whether it has yet to be measured what surprises it."""
        return self.familiarity is None and self.length is None

    def strangeness(self, z: Tensor) -> float | None:
        """How strange an example (a batch of one) is to the model (`measuring.familiarity`); None until measured.

        None too for an example that leaves something open.
        """
        holes = self.model.kind.holes(z)
        if holes is not None and bool(holes.any()):
            return None
        return None if self.familiarity is None else float(self.familiarity.strangeness(self.model, z)[0])

    def example(self, index: int) -> Tensor:
        """An example of its data set, as clean data: (1, *shape)."""
        if self.source is None or not 0 <= index < len(self.source):
            count = 0 if self.source is None else len(self.source)
            raise InputError(f"there is no example {index}; this model has {count}")
        return self.model.kind.on_page.stored(self.source.item(index))

    def label(self, index: int) -> str | None:
        number = None if self.source is None else self.source.label(index)
        classes = [] if self.source is None else self.source.classes
        names = self.model.classes if len(self.model.classes) == len(classes) else classes
        return None if number is None or not 0 <= number < len(names) else names[number]

    def told(self) -> dict[str, Any]:
        """What the page is told."""
        kind = self.model.kind
        return {
            "id": self.id,
            "kind": kind.viewer,
            "one": kind.one,
            "many": kind.many,
            "view": kind.on_page.facts(),
            "viewer_module": None if kind.viewer_module is None else module_address(kind),
            "classes": list(self.model.classes),
            "parameters": self.model.parameters,
            "history": told_history(self.model.history),
            "categorical": kind.categorical,
            "lag": float(self.model.kernel.lag),
            "weights": self.weights,
            "strength": {"measured": not self.unmeasured, "curve": self.curve(RENEWAL).figures()},
            "examples": 0 if self.source is None else len(self.source),
        }


def _seconds_a_step(model: Model, n: int) -> float:
    """The median of some, lest a moment in which the machine did something else be taken for the rule."""
    times = [time.perf_counter() for _ in tasks.synthesis(over_classes(model), n, steps=6)]
    return median(after - before for before, after in itertools.pairwise(times))


def module_address(kind: Kind) -> str:
    """Where the page finds the script of a kind that brings its own."""
    return f"/kinds/{quote(kind.kind, safe='')}.js"


def serve(what: str, data: str | None = None, length: int | None = None) -> Served:
    """A model by name, file or folder, with the examples that are at hand.

    What surprises it was measured at the length that it learned, so at another length that is not known.
    """
    model = models.load(what, "cpu")
    if length is not None:
        model = model.of_length(length)
    module = model.kind.viewer_module
    if module is not None and not module.is_file():
        raise InputError(
            f"{what} is a model of {model.kind.many}, whose kind names a script for the page that is not there: "
            f"{module}; install the package of the kind {model.kind.kind!r} again"
        )
    name = Path(what).name.removesuffix(".safetensors") or str(what)
    weights = models.digest_of(what)
    familiarity = Familiarity.known(weights) if length is None else None
    id = name if length is None else f"{name}, length {length}"
    return Served(id, model, weights, name, _examples(model, data), length, familiarity)


def serve_all(names: Sequence[str], data: str | None = None, length: int | None = None) -> dict[str, Served]:
    """Each model under its name; those that come with the package if none is named."""
    found: dict[str, Served] = {}
    for what in names or models.bundled():
        served = serve(what, data, length)
        if served.id in found:
            raise InputError(f"two models are called {served.id!r}; rename the file or folder of one")
        found[served.id] = served
    return found


def _examples(model: Model, data: str | None) -> Source | None:
    """The data asked for, else what the model says it learned from if that is always there."""
    word = data or ("digits" if model.history.get("data") == "digits" else None)
    if word is None:
        return None
    try:
        source = open_source(word)
    except NoiseKernelError:
        if data is not None:
            raise
        return None
    if not isinstance(source, Source):
        raise InputError(f"{word} is a stream; examples are chosen by number, so give a folder or a file")
    return model.kind.excerpts(source)

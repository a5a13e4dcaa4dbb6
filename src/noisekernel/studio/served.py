"""The models that a studio serves, with what the page wants to know of them."""

import json
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from noisekernel import config, models, tasks
from noisekernel.data import open_source
from noisekernel.data.source import Source
from noisekernel.diagnostics.strength import StrengthCurve, strength_curve
from noisekernel.errors import InputError, NoiseKernelError, StorageError
from noisekernel.evaluate.cache import digest_of_file
from noisekernel.models import Model, told_history
from noisekernel.storage import read_json, write_json
from noisekernel.studio.rounds import LEAST_BETA

log = logging.getLogger(__name__)

#: Where the dial is measured: half of its way lies at low levels, and above the last a variant is a new picture.
LEVELS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.6, 0.8)
#: The dial of a model that has not been measured yet: a guess that rises evenly.
GUESS = StrengthCurve((0.02, 0.1, 0.3, 0.8), (0.15, 0.35, 0.65, 1.0), (0.0,) * 4, steps=100, lag=0.9, readout=10)


@dataclass
class Served:
    """A model, by name, with its strength curve and examples of its data."""

    id: str
    model: Model
    #: sha256 of its file.
    weights: str
    curve: StrengthCurve | None = None
    source: Source | None = None

    def beta(self, strength: float) -> float:
        """The noise level of a turn of the dial: equal turns, equal distances."""
        curve = self.curve or GUESS
        first, last = curve.distance(LEAST_BETA), curve.monotone[-1]
        return max(LEAST_BETA, curve.beta(first + strength * (last - first)))

    def example(self, index: int) -> Tensor:
        """An example of its data set, as clean data: (1, *shape)."""
        if self.source is None or not 0 <= index < len(self.source):
            count = 0 if self.source is None else len(self.source)
            raise InputError(f"there is no example {index}; this model has {count}")
        pixels = torch.from_numpy(self.source.read(index, self.model.size).pixels)
        return self.model.codec.encode(pixels[None])

    def label(self, index: int) -> str | None:
        number = None if self.source is None else self.source.label(index)
        classes = [] if self.source is None else self.source.classes
        names = self.model.classes if len(self.model.classes) == len(classes) else classes
        return None if number is None or not 0 <= number < len(names) else names[number]

    def told(self) -> dict[str, Any]:
        """What the page is told."""
        return {
            "id": self.id,
            "shape": list(self.model.shape),
            "classes": list(self.model.classes),
            "parameters": self.model.parameters,
            "history": told_history(self.model.history),
            "categorical": isinstance(self.model.design.codec, config.Levels),
            "lag": float(self.model.kernel.lag),
            "weights": self.weights,
            "strength": {"measured": self.curve is not None, "curve": (self.curve or GUESS).figures()},
            "examples": 0 if self.source is None else len(self.source),
        }


def serve(what: str, home: Path, data: str | None = None) -> Served:
    """A model by name, file or folder, with the curve that is known of it and the examples that are at hand."""
    model = models.load(what, "cpu")
    name = Path(what).name.removesuffix(".safetensors") or str(what)
    weights = digest_of(what)
    return Served(name, model, weights, known_curve(weights, home), _examples(model, data))


def digest_of(what: str | Path) -> str:
    """sha256 of a model's file."""
    if str(what) in models.bundled():
        with as_file(files("noisekernel") / "weights" / f"{what}.safetensors") as path:
            return digest_of_file(path)
    path = Path(what)
    return digest_of_file(path / models.FILE if path.is_dir() else path)


def known_curve(weights: str, home: Path) -> StrengthCurve | None:
    """The strength curve of these weights, if it comes with the package or was measured here before."""
    beside = files("noisekernel") / "weights"
    for entry in beside.iterdir():
        if entry.name.endswith(".strength.json"):
            told = json.loads(entry.read_text(encoding="utf-8"))
            if told["weights"] == weights:
                return StrengthCurve.of(told["curve"])
    try:
        return StrengthCurve.of(read_json(_curve_path(weights, home))["curve"])
    except (StorageError, KeyError, TypeError, ValueError):
        return None


def measure_curve(
    served: Served, home: Path, advance: Callable[[], None] = lambda: None, *, n: int = 16, steps: int = 100
) -> StrengthCurve:
    """Measure how far the variants of a model's own samples go, and keep the curve for the next time."""
    run = tasks.synthesis(served.model, 4 * n, steps=20)
    for _ in run:
        advance()
    served.curve = strength_curve(served.model, run.clean, betas=LEVELS, n=n, steps=steps, advance=advance)
    try:
        write_json(_curve_path(served.weights, home), {"weights": served.weights, "curve": served.curve.figures()})
    except StorageError as error:
        log.warning("the strength curve of %s is not kept: %s", served.id, error)
    return served.curve


def serve_all(names: Sequence[str], home: Path, data: str | None = None) -> dict[str, Served]:
    """Each model under its name; those that come with the package if none is named."""
    found: dict[str, Served] = {}
    for what in names or models.bundled():
        served = serve(what, home, data)
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
    return source


def _curve_path(weights: str, home: Path) -> Path:
    return home / "curves" / f"{weights}.json"

"""What was measured of models once, by the hash of their weights.

That of models that come with the package lies beside their weights. That of any other is kept with all that may be
deleted at any time, since it can be measured again.
"""

import json
import logging
from collections.abc import Callable, Iterator, MutableMapping
from importlib.resources import files
from typing import Any

from noisekernel.core.errors import StorageError
from noisekernel.files.folders import cache_folder
from noisekernel.files.formats import read_json, write_json
from noisekernel.sampling.strength import StrengthCurve

log = logging.getLogger(__name__)
#: How the names of the files beside the weights end.
SUFFIX = ".measured.json"


def find(weights: str, what: str) -> Any:
    """The figures of this name of the model with these weights (`models.digest_of`); None if there are none."""
    for told in _bundled():
        if told["weights"] == weights:
            return told["figures"].get(what)
    try:
        return read_json(cache_folder() / _file(weights, what))
    except (StorageError, ValueError):
        return None


def keep(weights: str, what: str, figures: dict[str, Any]) -> None:
    """For the next time. A full or read-only disk costs time, no more."""
    try:
        write_json(cache_folder() / _file(weights, what), figures)
    except StorageError as error:
        log.warning("what was measured of a model is not kept: %s", error)


def _file(weights: str, what: str) -> str:
    return f"curves/{weights}-{what}.json"


def _bundled() -> Iterator[dict[str, Any]]:
    for entry in (files("noisekernel") / "models" / "bundled").iterdir():
        if entry.name.endswith(SUFFIX):
            yield json.loads(entry.read_text(encoding="utf-8"))


class KnownCurves(MutableMapping[str, StrengthCurve]):
    """The strength curves of a model that came from a file: those in the file, and those that were measured before.

    What is put here is kept for the next time. Only those in the file and those that were asked for are listed.
    """

    def __init__(self, in_file: Any, weights: Callable[[], str]) -> None:
        """`weights` gives the hash of the file, and is asked when it is first needed: a large file takes time."""
        self._of, self._hash = weights, ""
        self._known: dict[str, StrengthCurve] = {}
        self._looked_for: set[str] = set()
        for name, figures in in_file.items() if isinstance(in_file, dict) else ():
            if (curve := _curve(figures)) is not None:
                self._known[name] = curve

    def __getitem__(self, name: str) -> StrengthCurve:
        if name not in self._known and name not in self._looked_for:
            self._looked_for.add(name)
            if (found := _curve(find(self._weights(), name))) is not None:
                self._known[name] = found
        return self._known[name]

    def __setitem__(self, name: str, curve: StrengthCurve) -> None:
        self._known[name] = curve
        keep(self._weights(), name, curve.figures())

    def _weights(self) -> str:
        self._hash = self._hash or self._of()
        return self._hash

    def __delitem__(self, name: str) -> None:
        del self._known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)


def _curve(figures: Any) -> StrengthCurve | None:
    """The curve of these figures; None if they are damaged, since it can be measured again."""
    try:
        return StrengthCurve.of(figures)
    except (KeyError, TypeError, ValueError):
        return None

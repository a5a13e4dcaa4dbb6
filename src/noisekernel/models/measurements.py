"""What was measured of models once, by the hash of their weights.

That of models that come with the package lies beside their weights. That of any other is kept with all that may be
deleted at any time, since it can be measured again.
"""

import json
import logging
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

from noisekernel.core.errors import StorageError
from noisekernel.files.folders import cache_folder
from noisekernel.files.formats import read_json, write_json

log = logging.getLogger(__name__)
#: How the names of the files beside the weights end.
SUFFIX = ".measured.json"


def find(weights: str, what: str) -> Any:
    """The figures of this name of the model with these weights (`models.digest_of`); None if there are none."""
    for told in _bundled():
        if told["weights"] == weights:
            return told["figures"][what]
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
    for entry in (files("noisekernel.models") / "bundled").iterdir():
        if entry.name.endswith(SUFFIX):
            yield json.loads(entry.read_text(encoding="utf-8"))

"""What is done with a model, for the name or the path of one too."""

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

from noisekernel.kinds.model import KindModel
from noisekernel.measuring.samples import evaluation
from noisekernel.models.model import Model
from noisekernel.models.saving import load

P = ParamSpec("P")
R = TypeVar("R")


def _by_name(
    function: Callable[Concatenate[KindModel, P], R],
) -> Callable[Concatenate[Model | str | Path, P], R]:
    """The function of a model, with a name or a path in its place; the result calls the model by that."""

    @wraps(function)
    def named(model: Model | str | Path, /, *args: P.args, **options: P.kwargs) -> R:
        if isinstance(model, Model):
            return function(model, *args, **options)
        device: Any = options.get("device")
        loaded = load(model, device)
        options.setdefault("called", Path(model).name or str(model))
        return function(loaded, *args, **options)

    return named


measure = _by_name(evaluation.measure)

"""Variants by a walk at constant noise: what the requests and rounds of such tasks have in common."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from noisekernel.core.errors import InputError
from noisekernel.measuring.dial import DEFAULT, WALK
from noisekernel.studio.models import Served
from noisekernel.studio.rounds.fields import LEAST_BETA, MOST_STEPS, Asked, Beta, Count, Label, Lag, Parents, Strength
from noisekernel.studio.rounds.record import damaged

#: The settings of such a walk, as the tasks of the package call them.
NAMES = ("beta", "steps", "lag", "readout")


class Variants(Asked):
    """What rounds from parents have in common."""

    parents: Parents
    n: Count = 9
    strength: Strength = None
    beta: Beta = None
    steps: Annotated[int | None, Field(ge=0, le=MOST_STEPS)] = None
    lag: Lag = None
    readout: Annotated[int | None, Field(ge=0, le=200)] = None
    label: Label = None


def check_distance(settings: Mapping[str, Any], *names: str) -> None:
    """That at most one of these settings says how far to go."""
    given = [name for name in names if settings[name] is not None]
    if len(given) > 1:
        raise InputError(f"both {given[0]} and {given[1]} were given; each says how far to go, so leave one out")


def settled(served: Served, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a walk with nothing left open: by its noise level, or by its strength."""
    beta, strength = settings["beta"], settings["strength"]
    if beta is None:
        strength = DEFAULT if strength is None else strength
        beta = served.curve(WALK).turned(strength, LEAST_BETA)
    return {
        **settings,
        "strength": strength,
        "beta": beta,
        "steps": 100 if settings["steps"] is None else settings["steps"],
        "lag": float(served.model.kernel.lag) if settings["lag"] is None else settings["lag"],
        "readout": 10 if settings["readout"] is None else settings["readout"],
    }


def options(settings: Mapping[str, Any]) -> dict[str, Any]:
    """What the tasks of the package are told of the walk."""
    return {name: settings[name] for name in NAMES}


def is_settled(settings: Mapping[str, Any]) -> bool:
    """Whether nothing of a walk is left open."""
    return all(settings[name] is not None for name in NAMES)


def steps(settings: Mapping[str, Any]) -> int:
    """The steps of the walk and of reading out its end."""
    return settings["steps"] + (settings.get("readout") or 0)


def left_open(task: str) -> InputError:
    return damaged(f"a round of {task} without its noise level or steps")

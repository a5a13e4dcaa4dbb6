"""Options that several commands have, declared once: groups of them, and those of all commands that make examples."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import update_wrapper
from typing import Any

from noisekernel.cli import common


@dataclass(frozen=True)
class Making:
    """What such a command is told beside its own options."""

    label: common.Label = None
    seed: common.Seed = 0
    device: common.Device = None
    batch_size: common.BatchSize = 64
    json: common.Json = False
    force: common.ForceOfFolder = False
    yes: common.Yes = False


def with_options(command: Callable[..., None]) -> Callable[..., None]:
    """A command whose keyword-only parameters are dataclasses, as one that has each of their fields as an option."""
    parameters = inspect.signature(command).parameters.values()
    own = [each for each in parameters if each.kind is not inspect.Parameter.KEYWORD_ONLY]
    groups = {each.name: each.annotation for each in parameters if each.kind is inspect.Parameter.KEYWORD_ONLY}

    def run(**given: Any) -> None:
        told = {
            name: group(**{each.name: given.pop(each.name) for each in fields(group)}) for name, group in groups.items()
        }
        command(**given, **told)

    made: Any = update_wrapper(run, command)
    options = [
        inspect.Parameter(
            each.name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=each.default, annotation=each.type
        )
        for group in groups.values()
        for each in fields(group)
    ]
    made.__signature__ = inspect.Signature([*own, *options])
    made.__annotations__ = {each.name: each.annotation for each in (*own, *options)}
    return made

"""The options that all commands have which make examples, declared once."""

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
    """A command whose last parameter is a `Making`, as a command that has each of these options after its own."""
    own = list(inspect.signature(command).parameters.values())[:-1]
    shared = {field.name: field for field in fields(Making)}

    def run(**given: Any) -> None:
        told = Making(**{name: given.pop(name) for name in shared})
        command(**given, making=told)

    made: Any = update_wrapper(run, command)
    options = [
        inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=field.default, annotation=field.type)
        for name, field in shared.items()
    ]
    made.__signature__ = inspect.Signature([*own, *options])
    made.__annotations__ = {each.name: each.annotation for each in (*own, *options)}
    return made

"""The options of guidance (`noisekernel.networks.guided`), which all commands have that draw with a model."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from noisekernel.cli import common

if TYPE_CHECKING:
    from noisekernel.models.model import Model
    from noisekernel.sampling.schedule import Schedule

Guidance = Annotated[
    float | None,
    typer.Option(
        callback=common.within(0, 100),
        help="Push the model away from a worse one (1: not at all). It then does not draw the data's distribution.",
    ),
]
Worse = Annotated[
    str | None,
    typer.Option(metavar="MODEL", help="The worse one: a model of the same data (default: itself without --label)."),
]
GuideBetween = Annotated[
    str | None, typer.Option(metavar="LOW,HIGH", help="Guide only between these noise levels, such as 0.05,0.8.")
]


@dataclass(frozen=True)
class Guiding:
    """What a command is told about guidance."""

    guidance: Guidance = None
    worse: Worse = None
    guide_between: GuideBetween = None

    def of(self, model: "Model", label: Sequence[str] | None) -> "Model":
        """The model, guided where that was asked for; a note says what it means.

        Args:
            model: The model that was loaded.
            label: The classes that were asked for.
        """
        from noisekernel import models
        from noisekernel.core.errors import InputError

        levels = self._levels()
        if self.guidance is None:
            if self.worse is not None or levels is not None:
                named = "--worse" if self.worse is not None else "--guide-between"
                raise InputError(f"{named} says how to guide, but not how far; add --guidance, such as --guidance 1.5")
            return model
        if self.worse is None and not label and model.classes:
            raise InputError(
                "--guidance pushes what is drawn of a class away from what is drawn of none, and no class was given; "
                "add --label NAME, or --worse MODEL to guide away from a worse model"
            )
        worse = None if self.worse is None else models.load(self.worse, model.device)
        guided = model.guided(self.guidance, worse=worse, between=levels or (0.0, 1.0))
        assert guided.guidance is not None
        common.note(
            f"{guided.guidance.described()}: two network calls per step there; what is drawn is not the distribution "
            "of the data"
        )
        return guided

    def told(self, model: "Model", schedule: "Schedule | None" = None) -> dict[str, Any]:
        """For records; nothing where nothing was asked for.

        Args:
            model: The model, as `of` returned it.
            schedule: The noise levels that samples go along, to tell their network calls.
        """
        if model.guidance is None:
            return {}
        from noisekernel.sampling.guidance import network_calls

        calls = {} if schedule is None else {"network_calls": network_calls(model, schedule)}
        worse = None if self.worse is None else common.model_name(self.worse)
        return {"guidance": self.guidance, "worse": worse, "guide_between": list(model.guidance.between), **calls}

    def _levels(self) -> tuple[float, float] | None:
        from noisekernel.core.errors import InputError

        if self.guide_between is None:
            return None
        try:
            low, high = map(float, self.guide_between.split(","))
        except ValueError:
            raise InputError(
                f"--guide-between is {self.guide_between!r}; give two noise levels with a comma between them, such as "
                "0.05,0.8"
            ) from None
        return low, high

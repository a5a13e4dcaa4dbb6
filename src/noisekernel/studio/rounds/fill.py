"""Something painted, filled in. Requests and design files call it "inpaint"."""

from typing import Annotated, Any, Literal

from pydantic import Field

from noisekernel import tasks
from noisekernel.core.stepwise import Stepwise
from noisekernel.models.model import Model
from noisekernel.studio import viewing
from noisekernel.studio.models import Served
from noisekernel.studio.rounds.fields import Asked, Count, Label, OneParent, Steps
from noisekernel.studio.rounds.record import Known, Round
from noisekernel.studio.rounds.task import Doing, Ending, drawing, rows_of
from noisekernel.studio.store import Store


class Inpaint(Asked):
    """Redo what is painted; every other pixel comes back bit by bit."""

    task: Literal["inpaint"]
    parents: OneParent
    mask: Annotated[
        str, Field(max_length=2_000_000, description="A PNG of the model's size in base64: white = redo, black = keep.")
    ]
    feather: Annotated[float, Field(ge=0.0, le=8.0, description="Pixels over which old turns into new.")] = 0.0
    n: Count = 9
    steps: Steps = 100
    label: Label = None


class FillTask(Ending):
    """Fill in what is painted, and blend it in over a feather."""

    request = Inpaint
    told = ("feather",)

    def settled(self, request: Asked, served: Served, store: Store, design: str) -> dict[str, Any]:
        settings = super().settled(request, served, store, design)
        # However it was sent, it is kept small.
        return {**settings, "mask": viewing.write_mask(viewing.read_mask(served.model, settings["mask"]))}

    def beginning(self, model: Model, one: Round, known: Known) -> Stepwise[Doing]:
        yield from ()  # there is nothing to find out first
        settings, z = one["settings"], known.clean_of(one["parents"])[rows_of(one)]
        fill = viewing.read_mask(model, settings["mask"])
        run = tasks.inpainting(model, z, fill.expand(z.shape), steps=settings["steps"], **drawing(model, one, known))
        feather = settings["feather"]
        return Doing(run, (z, viewing.share_of_new(fill, feather)) if feather else None)

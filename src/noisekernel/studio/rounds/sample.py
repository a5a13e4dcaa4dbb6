"""New samples, from noise."""

from typing import Literal

from noisekernel import tasks
from noisekernel.core.stepwise import Stepwise
from noisekernel.models.model import Model
from noisekernel.studio.rounds.fields import Asked, Count, Label, Steps
from noisekernel.studio.rounds.record import Known, Round
from noisekernel.studio.rounds.task import Doing, Ending, label_of


class Sample(Asked):
    """New samples, from noise."""

    task: Literal["sample"]
    n: Count = 9
    steps: Steps = 50
    label: Label = None


class SampleTask(Ending):
    """Draw from the model."""

    request = Sample

    def beginning(self, model: Model, one: Round, known: Known) -> Stepwise[Doing]:
        yield from ()  # there is nothing to find out first
        steps, label = one["settings"]["steps"], label_of(model, one)
        return Doing(tasks.synthesis(model, one["n"], steps=steps, label=label, seed=one["seed"]))

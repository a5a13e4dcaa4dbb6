"""Keeping a time budget: the plan of a run by the clock is corrected on the way.

A run by the clock begins with a number of images that follows from the speed of its first steps. Machines get slower
and faster, so before each checkpoint the speed since the last one says when the run would end. Where that is off by
more than `SLACK` of the budget, the number of images is changed, and from there the learning rate falls in a straight
line to zero at the new end.

A correction is taken right before a checkpoint and kept in it, in `recipe.json` and in the model's history
(`training.pace`). So a run that was killed goes on with the corrections that its checkpoint has seen, and a run is
repeated to the same weights without a clock from its recipe with `training.minutes=null`.
"""

from dataclasses import dataclass

from noisekernel.recipes.training import TrainingSettings

#: How far off the end may be, as a share of the budget, before the plan is corrected. Smaller differences are left:
#: on a quiet machine a plan then is never corrected, and one seed gives one model.
SLACK = 0.05
#: The share of the budget in which training is to end. The rest is for the last samples, the checkpoint, and the
#: strength curve.
TRAINED = 0.96


@dataclass
class Pacer:
    """The speed since the last look, and what follows from it."""

    images: int = 0
    seconds: float = 0.0

    def begin(self, images: int, seconds: float) -> None:
        """From here speed is counted."""
        self.images, self.seconds = images, seconds

    def corrected(self, settings: TrainingSettings, images: int, seconds: float) -> TrainingSettings | None:
        """The settings with which the run ends in time; None where it will anyway.

        Args:
            settings: Those of the run, with `minutes`.
            images: Images seen so far.
            seconds: The time the run has taken so far.

        >>> settings = TrainingSettings(images=1200, batch=10, minutes=1.0)
        >>> Pacer().corrected(settings, 600, 28.8) is None
        True
        >>> Pacer().corrected(settings, 300, 28.8).images
        600
        """
        assert settings.minutes is not None
        budget = 60.0 * settings.minutes
        seen, spent = images - self.images, seconds - self.seconds
        if seen <= 0 or spent <= 0.0:
            return None
        self.begin(images, seconds)
        speed = seen / spent
        end = seconds + (settings.images - images) / speed
        if abs(end - TRAINED * budget) <= SLACK * budget:
            return None
        left = max(0, round((TRAINED * budget - seconds) * speed / settings.batch)) * settings.batch
        if images + left == settings.images:
            return None
        # Where no time is left, this step was the last one, however far the rate had to fall yet.
        pace = (*settings.pace, (images, settings.left(images)))
        return settings.model_copy(update={"images": images + left, "pace": pace})

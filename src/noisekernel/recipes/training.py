"""The settings of a training run, in images seen rather than steps, so that they mean the same at any batch size."""

import math
from itertools import pairwise
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator

from noisekernel.core.settings import Count, Positive, Share, Strict


class HalfLife(Strict):
    """An average whose memory halves every `images` images, or every `ramp` of those seen so far if that is less.

    So a short run has a short memory: with a ramp of 0.1 never more than a tenth of it.
    """

    kind: Literal["half_life"] = "half_life"
    images: Positive = 20_000.0
    ramp: Positive = 0.1

    def decay(self, seen: int, batch: int) -> float:
        return 0.5 ** (batch / max(min(self.images, self.ramp * seen), 1e-9))


class Decay(Strict):
    """The paper's average: the same factor at every step."""

    kind: Literal["decay"] = "decay"
    factor: Share = 0.999

    def decay(self, seen: int, batch: int) -> float:
        return self.factor


class TrainingSettings(Strict):
    """How to train: how long, how fast, on what."""

    #: How many images to see in all, with repetition. In a run by the clock (`minutes`), as planned so far.
    images: Count = 1_000_000
    #: The minutes that the run has; null for as long as its images take. The plan is then corrected on the way
    #: (`noisekernel.training.pacing`).
    minutes: Positive | None = None
    #: The corrections of the plan: after so many images, this share of the learning rate's fall was still ahead. With
    #: these and `images`, a run by the clock is repeated without one (training.minutes=null).
    pace: tuple[tuple[Count, Share], ...] = ()
    #: Images a step, over all processes and accumulated parts.
    batch: Count = 64
    #: The learning rate of Adam; reached after `warmup` images, or a tenth of the run if that is less; then constant or
    #: down to zero at the end.
    rate: Positive = 1e-3
    warmup: Annotated[int, Field(ge=0, strict=True)] = 10_000
    fall: Literal["constant", "linear", "cosine"] = "linear"
    betas: tuple[Share, Share] = (0.9, 0.99)
    #: The largest norm of the gradient; null for no limit.
    clip: Positive | None = 1.0
    average: Annotated[HalfLife | Decay, Field(discriminator="kind")] = HalfLife()
    #: Parts that a process's share of the batch is worked through in, one after the other.
    accumulate: Count = 1
    precision: Literal["fp32", "bf16"] = "fp32"
    #: torch.compile the network; worth it on GPUs, not on CPUs.
    compile: bool = False
    #: How much of the examples is held out: training does not see them and is measured on them. A share up to 0.5, a
    #: number from 2, or 0 for none; "auto" for a few where the data and the run allow it
    #: (`noisekernel.training.held_out`). A run by the clock records the number that it decided on.
    held_out: Literal["auto"] | int | float | None = "auto"
    #: "held-out" to end the run when held-out examples keep getting worse, and to keep the model of when they were at
    #: their best; null to train to the end and keep the last model.
    stop: Literal["held-out"] | None = None
    #: A checkpoint after so many images, and one after so many minutes without any (null for none by time); how many
    #: checkpoints to keep.
    save_every: Count = 50_000
    save_minutes: Positive | None = 5.0
    keep: Count = 3
    #: The share of the run after which the average of the moment is kept as a model of its own, early.safetensors: a
    #: worse model to guide this one by. null for none.
    early: Annotated[float, Field(gt=0.0, lt=1.0)] | None = None
    #: How many images between lines of the log, and between pictures and looks at what is held out.
    log_every: Count = 2_000
    draw_every: Count = 50_000

    @field_validator("held_out", mode="before")
    @classmethod
    def _part(cls, given: Any) -> Any:
        """One sentence for all that is no part of the data."""
        number = isinstance(given, int | float) and not isinstance(given, bool) and math.isfinite(given)
        whole = number and given == int(given)
        if given is None or given == "auto" or (number and (0 <= given <= 0.5 or (whole and given >= 2))):
            return given
        raise ValueError(
            f"training.held_out is {given!r}; give a share of the examples from 0 to 0.5, a number of them from 2, or "
            "auto"
        )

    def rate_at(self, seen: int) -> float:
        """The learning rate of the step that begins after `seen` images."""
        warm = min(1.0, (seen + self.batch) / self.warming) if self.warming else 1.0
        left = self.left(seen)
        falls = {"constant": 1.0, "linear": left, "cosine": 0.5 - 0.5 * math.cos(math.pi * left)}
        return self.rate * warm * falls[self.fall]

    def left(self, seen: int) -> float:
        """The share of the run that is ahead after `seen` images: from 1 to 0, in a straight line between corrections.

        >>> TrainingSettings(images=400, pace=((100, 0.75),)).left(250)
        0.375
        """
        if not self.pace:
            return max(0.0, 1.0 - seen / self.images)
        knots = [(0, 1.0), *self.pace, (self.images, 0.0)]
        for (first, before), (last, after) in pairwise(knots):
            if seen < last:
                return before + (after - before) * (seen - first) / (last - first)
        return 0.0

    @property
    def warming(self) -> int:
        """How many images the rate rises for: `warmup`, but at most a tenth of the run, which else might not see it.

        A run by the clock is planned with a warm-up that fits it, and corrections of the plan do not change the past.
        """
        return self.warmup if self.minutes is not None or self.pace else min(self.warmup, self.images // 10)

    @property
    def steps(self) -> int:
        """Whole steps; the last one may go beyond `images`."""
        return -(-self.images // self.batch)

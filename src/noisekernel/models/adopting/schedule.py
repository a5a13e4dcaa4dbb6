"""The noise levels of a scheduler of `diffusers`, and what a network that was trained with it predicts.

Samplers of that library differ in the steps that they take, not in the levels that a network was trained at: those are
a table (`alphas_cumprod`) or a straight line (flows). So a model may come with any of the schedulers listed here.
"""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from noisekernel.core.errors import InputError
from noisekernel.networks.adopted_head import Prediction
from noisekernel.recipes.adopted_network import diffusers

#: Schedulers whose levels are a table.
PRESERVING = (
    "DDPMScheduler",
    "DDPMParallelScheduler",
    "DDIMScheduler",
    "DDIMParallelScheduler",
    "PNDMScheduler",
    "DPMSolverMultistepScheduler",
    "DPMSolverSinglestepScheduler",
    "DEISMultistepScheduler",
    "UniPCMultistepScheduler",
    "EulerDiscreteScheduler",
    "EulerAncestralDiscreteScheduler",
    "HeunDiscreteScheduler",
    "LMSDiscreteScheduler",
    "KDPM2DiscreteScheduler",
    "KDPM2AncestralDiscreteScheduler",
)
#: Schedulers whose levels are a straight line.
FLOWS = ("FlowMatchEulerDiscreteScheduler", "FlowMatchHeunDiscreteScheduler")
#: The least share of the signal's variance; less is none (the end of a schedule that ends in pure noise).
LEAST_SIGNAL = 1e-12
#: Noise that pictures cannot be seen in: a network that was trained beyond it knows pure noise.
PURE_NOISE = 1000.0
#: The most noise at the beginning of a schedule and the least at its end, beside a signal of 1.
MOST_FIRST, LEAST_LAST = 0.5, 3.0


@dataclass(frozen=True)
class Levels:
    """The levels that a network was trained at, and what it predicts."""

    prediction: Prediction
    timesteps: int
    #: log sigma at each timestep; None for a flow.
    log_sigmas: Tensor | None
    #: The range that samplers keep the mean of r in; None for none.
    clip: float | None
    notes: tuple[str, ...]

    @property
    def from_noise(self) -> bool:
        """Whether the network was trained on pure noise and can tell the mean of r there."""
        if self.log_sigmas is None:
            return True
        return self.prediction != "epsilon" and float(self.log_sigmas[-1].exp()) >= PURE_NOISE


def scheduler_of(told: Mapping[str, Any]) -> Any:
    """The scheduler that is given by its settings, as an object of the library."""
    name = told.get("_class_name")
    if name not in (*PRESERVING, *FLOWS):
        raise InputError(
            f"the scheduler is a {name}, whose noise levels are not known here; known are {', '.join(PRESERVING)} and "
            f"{', '.join(FLOWS)}"
        )
    library = diffusers()
    try:
        with warnings.catch_warnings():  # of NumPy, which some of them use as it was
            warnings.simplefilter("ignore", DeprecationWarning)
            return getattr(library, name).from_config(dict(told))
    except (TypeError, ValueError, NotImplementedError, ImportError) as error:
        raise InputError(f"diffusers cannot make the {name} that is described: {error}") from None


def levels_of(told: Mapping[str, Any]) -> Levels:
    """The levels of a scheduler that is given by its settings."""
    scheduler = scheduler_of(told)
    settings = scheduler.config
    timesteps = int(settings.num_train_timesteps)
    if told["_class_name"] in FLOWS or getattr(settings, "use_flow_sigmas", False):
        _check_flow(settings)
        return Levels("flow", timesteps, None, None, ())
    prediction = told.get("prediction_type", "epsilon" if told.get("predict_epsilon", True) else "sample")
    if prediction not in ("epsilon", "sample", "v_prediction"):
        raise InputError(
            f"the network predicts {prediction!r}; known are epsilon, sample, v_prediction and, with a scheduler of a "
            "flow, the flow"
        )
    if getattr(settings, "timestep_type", "discrete") != "discrete":
        raise InputError(f"the network is told its time as {settings.timestep_type!r}; 'discrete' steps are known")
    signal = scheduler.alphas_cumprod.double().clamp(min=LEAST_SIGNAL)
    log_sigmas = 0.5 * torch.log((1.0 - signal) / signal)
    first, last = float(log_sigmas[0].exp()), float(log_sigmas[-1].exp())
    if not (first <= MOST_FIRST and last >= LEAST_LAST and bool((log_sigmas.diff() > 0).all())):
        raise InputError(
            f"the schedule goes from {first:.3g} to {last:.3g} times as much noise as signal; one that can be adopted "
            f"rises at every step, from at most {MOST_FIRST:g} to at least {LEAST_LAST:g}, so that it begins with "
            "signal and ends in noise"
        )
    return Levels(prediction, timesteps, log_sigmas, _clip(settings), tuple(_notes(settings, log_sigmas, prediction)))


def _check_flow(settings: Any) -> None:
    if getattr(settings, "invert_sigmas", False):
        raise InputError("the scheduler counts its levels from clean data to noise (invert_sigmas), which is not known")
    prediction = getattr(settings, "prediction_type", "flow_prediction")
    if prediction != "flow_prediction":
        raise InputError(f"the scheduler is that of a flow, and the network predicts {prediction!r}; known is the flow")


def _clip(settings: Any) -> float | None:
    return float(getattr(settings, "clip_sample_range", 1.0)) if getattr(settings, "clip_sample", False) else None


def _notes(settings: Any, log_sigmas: Tensor, prediction: str) -> list[str]:
    """What people should know of a schedule."""
    notes = []
    last = float(log_sigmas[-1].exp())
    if prediction == "epsilon" or last < PURE_NOISE:
        notes.append(
            f"its schedule ends at {last:.3g} times as much noise as signal; beyond that r is the best linear denoiser "
            "for the measured mean and variance"
        )
    if getattr(settings, "clip_sample", False):
        notes.append(f"the mean of r is kept within {_clip(settings):g} of 0, as its scheduler does (clip_sample)")
    if getattr(settings, "thresholding", False):
        notes.append("its scheduler's dynamic thresholding is not used")
    return notes

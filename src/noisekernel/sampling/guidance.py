"""Models whose denoiser is guided (`networks.guided`): which models may guide which, and what it costs."""

from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from noisekernel.core.errors import InputError, ShapeError
from noisekernel.networks.clamped import Clamped
from noisekernel.networks.guided import Guided, Turns, classes_of, needs_label
from noisekernel.sampling.model import NoiseModel
from noisekernel.sampling.schedule import Schedule

Some = TypeVar("Some", bound=NoiseModel)


def guide(model: Some, strength: float, worse: NoiseModel | None, between: tuple[float, float]) -> Some:
    """`NoiseModel.guided`."""
    _check_plain(model, "this model")
    if worse is not None:
        told = model.check_worse(worse)
        denoiser = Guided(model.denoiser, strength, worse.to(model.device).denoiser, told, between)
    else:
        if classes_of(model.denoiser) == 0:
            raise InputError(
                "this model learned no classes, so there is no label to guide it by; give a worse model of the same "
                "data (worse=…)"
            )
        denoiser = Guided(model.denoiser, strength, model.denoiser, told=False, between=between)
    return replace(model, denoiser=denoiser, curves={})


def check_worse(model: NoiseModel, worse: Any) -> bool:
    """Refuse a worse model that cannot guide; whether it takes the labels that the model takes."""
    if not isinstance(worse, NoiseModel):
        raise InputError(f"worse is a {type(worse).__name__}; give a model of the same data, such as nk.load(…)")
    _check_plain(worse, "the worse model")
    if type(worse.kernel) is not type(model.kernel):
        names = [type(each.kernel).__name__ for each in (worse, model)]
        raise InputError(
            f"the worse model has a {names[0]}, and this one a {names[1]}; guidance is between models of one"
        )
    if worse.shape != model.shape:
        raise ShapeError(f"the worse model is of shape {worse.shape}, and this one of {model.shape}; they must agree")
    states = [getattr(each.kernel, "classes", None) for each in (worse, model)]
    if states[0] != states[1]:
        raise InputError(f"the worse model has {states[0]} categories, and this one {states[1]}; they must agree")
    if worse.denoiser is model.denoiser:
        raise InputError("the worse model is this model itself; guidance away from it does nothing")
    mine, theirs = classes_of(model.denoiser), classes_of(worse.denoiser)
    if mine is not None and theirs and theirs != mine:
        raise InputError(f"the worse model learned {theirs} classes, and this one {mine or 'none'}; they must agree")
    return theirs != 0


def _check_plain(model: NoiseModel, called: str) -> None:
    """Refuse a model that is guided already, or whose labels or observations are filled in."""
    if model.guidance is not None:
        raise InputError(f"{called} is guided already ({model.guidance.described()}); take the one that it was made of")
    denoiser = model.denoiser
    if isinstance(denoiser, Clamped) or (isinstance(denoiser, partial) and "label" in denoiser.keywords):
        raise InputError(
            f"{called} has its labels or observations filled in; guide it before, and give tasks the label"
        )


def over_classes(model: Some) -> Some:
    """The model for who draws without a label.

    Classifier-free guidance needs a label, and so do some networks. Such a model takes its classes by turns; any other
    is as it was.

    Args:
        model: The model.
    """
    guidance = model.guidance
    if needs_label(model.denoiser):
        return replace(model, denoiser=Turns(model.denoiser, classes_of(model.denoiser) or 1))
    if guidance is None or not guidance.free or not isinstance(model.denoiser, Guided):
        return model
    classes = classes_of(guidance.denoiser)
    return model if not classes else replace(model, denoiser=Turns(guidance, classes))


def network_calls(model: NoiseModel, schedule: Schedule) -> int:
    """How many network calls a sample takes along a schedule: one or two for each level, the last one included.

    Args:
        model: The model, which may be guided.
        schedule: The noise levels.
    """
    guidance = model.guidance
    levels = schedule.beta.tolist()
    return len(levels) if guidance is None else sum(guidance.calls(beta) for beta in levels)

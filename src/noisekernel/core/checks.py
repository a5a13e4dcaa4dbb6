"""What is allowed, said once.

Shapes and dtypes are checked everywhere, for they are free to read. Values (finite? a class that exists? a noise level
in (0, 1]?) are checked everywhere on the CPU; on an accelerator, where reading a value makes the device wait, they are
checked where a user's data enters (tasks, schedules, data sources) and not in every training step. Nor are they in a
compiled or exported graph.
"""

import math
from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any

import torch
from torch import Tensor

from noisekernel.core.errors import DtypeError, InputError, ShapeError

Level = float | Tensor


def tensor(name: str, value: Any) -> Tensor:
    """`value`, which must be a tensor with a batch dimension and at least one sample in it."""
    if not isinstance(value, Tensor):
        raise DtypeError(f"{name} is a {type(value).__name__}; give a torch.Tensor (torch.as_tensor makes one)")
    if value.ndim == 0 or value.numel() == 0:
        raise ShapeError(
            f"{name} has shape {tuple(value.shape)}; the first dimension is the batch, with at least one sample, and a "
            "sample has at least one element"
        )
    return value


def floating(name: str, value: Any) -> Tensor:
    """`value`, which must be a non-empty batch of finite floating-point numbers."""
    value = tensor(name, value)
    if not value.is_floating_point():
        raise DtypeError(f"{name} is {value.dtype}; this kernel takes floating-point data, so convert it with .float()")
    if readable(value):
        finite(name, value)
    return value


def readable(value: Tensor) -> bool:
    """Whether the value of a tensor may be looked at: on the CPU, and not while torch is compiling or exporting."""
    return value.device.type == "cpu" and not torch.compiler.is_compiling()


def finite(name: str, value: Tensor) -> None:
    """Refuse NaN and infinity, and say which samples hold them."""
    good = torch.isfinite(value)
    if not bool(good.all()):
        bad = (~good.reshape(len(value), -1).all(dim=1)).nonzero().flatten().tolist()
        raise InputError(
            f"{name} holds {int((~good).sum())} numbers that are NaN or infinite, in sample(s) {_few(bad)}; "
            "remove or repair them before they reach the kernel"
        )


def classes(name: str, value: Any, count: int) -> Tensor:
    """`value`, which must be a non-empty batch of class indices 0 … count - 1, as int64."""
    value = tensor(name, value)
    if value.is_floating_point() or value.is_complex() or value.dtype == torch.bool:
        raise DtypeError(f"{name} is {value.dtype}; class indices are whole numbers, so convert it with .long()")
    if readable(value):
        in_range(name, value, count)
    return value.long()


def in_range(name: str, value: Tensor, count: int) -> None:
    """Refuse class indices outside 0 … count - 1."""
    low, high = int(value.min()), int(value.max())
    if low < 0 or high >= count:
        raise InputError(
            f"{name} holds classes from {low} to {high}; with {count} classes they run from 0 to {count - 1}"
        )


def level(name: str, beta: Level, x: Tensor) -> Tensor:
    """One noise level in (0, 1] for each sample of `x`, as a tensor of shape (batch,), in `wide` precision.

    A single number stands for all samples; anything else must have one number per sample.
    """
    if isinstance(beta, Tensor):
        if not beta.is_floating_point():
            raise DtypeError(f"{name} is {beta.dtype}; noise levels are floating-point numbers in (0, 1]")
        if beta.ndim > 1 or (beta.ndim == 1 and len(beta) != len(x)):
            raise ShapeError(
                f"{name} has shape {tuple(beta.shape)} for a batch of {len(x)}; give one number, or one per sample"
            )
        if readable(beta) and not bool(((beta > 0) & (beta <= 1)).all()):
            low, high = float(beta.min()), float(beta.max())
            raise InputError(f"{name} runs from {low:g} to {high:g}; noise levels lie in (0, 1]")
        return beta.to(device=x.device, dtype=wide(x)).expand(len(x))
    beta = number(name, beta, 0.0, 1.0, open_low=True)
    return torch.full((len(x),), beta, device=x.device, dtype=wide(x))


def wide(x: Tensor) -> torch.dtype:
    """The precision for levels, lags and what is computed from them: differences of nearly equal numbers."""
    return torch.float32 if x.device.type == "mps" else torch.float64


def lag(value: Level) -> Level:
    """The lag w, a number (or one per sample) in [0, 1]."""
    if isinstance(value, Tensor):
        if value.ndim > 1 or not value.is_floating_point():
            raise ShapeError(f"lag is {value.dtype} of shape {tuple(value.shape)}; give one number, or one per sample")
        if readable(value) and not bool(((value >= 0) & (value <= 1)).all()):
            raise InputError(f"lag runs from {float(value.min()):g} to {float(value.max()):g}; lags lie in [0, 1]")
        return value
    return number("lag", value, 0.0, 1.0)


def number(name: str, value: Any, low: float, high: float, *, open_low: bool = False, open_high: bool = False) -> float:
    """A real number between `low` and `high`; numpy's count too."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise DtypeError(f"{name} is {value!r} ({type(value).__name__}); give a number, such as float(…) of it")
    value = float(value)
    good = (low < value if open_low else low <= value) and (value < high if open_high else value <= high)
    if math.isnan(value) or not good:
        bounds = f"{'(' if open_low else '['}{low:g}, {high:g}{')' if open_high else ']'}"
        raise InputError(f"{name} is {value:g}; it lies in {bounds}")
    return value


def count(name: str, value: Any, low: int = 1, high: int | None = None) -> int:
    """A whole number, at least `low` and at most `high`. NumPy's integers are accepted."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise DtypeError(f"{name} is {value!r} ({type(value).__name__}); give a whole number")
    value = int(value)
    if value < low:
        raise InputError(f"{name} is {value}; it is at least {low}")
    if high is not None and value > high:
        raise InputError(f"{name} is {value}; it is at most {high:,}")
    return value


def mask(value: Any, z: Tensor) -> Tensor:
    """1 (to be filled in) or 0 (observed) for every element of z, as booleans.

    A mask of the shape of one sample, or a batch of one mask, is that of all samples.
    """
    event = tuple(z.shape[1:])
    if tuple(tensor("mask", value).shape) not in (tuple(z.shape), event, (1, *event)):
        raise ShapeError(
            f"mask has shape {tuple(value.shape)} and z {tuple(z.shape)}; give a mask for each sample, of the shape of "
            f"z, or one for all, of shape {event}"
        )
    if value.dtype != torch.bool and not bool(((value == 0) | (value == 1)).all()):
        raise InputError("the mask holds values other than 0 (observed) and 1 (to be filled in)")
    return value.to(torch.bool).expand(z.shape)


def labels(value: Any, batch: int) -> Tensor:
    """One class a sample, as int64."""
    if not isinstance(value, Tensor) or value.dtype == torch.bool or value.is_floating_point() or value.is_complex():
        kind = value.dtype if isinstance(value, Tensor) else type(value).__name__
        raise DtypeError(f"label is {kind}; give an integer tensor with one class a sample")
    if value.shape != (batch,):
        raise ShapeError(f"label has shape {tuple(value.shape)}; give one class a sample: ({batch},)")
    return value.long()


def same_shape(name: str, value: Tensor, other_name: str, other: Tensor | Sequence[int]) -> None:
    """Refuse a shape that differs: nothing is broadcast in silence."""
    expected = tuple(other.shape) if isinstance(other, Tensor) else tuple(other)
    if tuple(value.shape) != expected:
        raise ShapeError(
            f"{name} has shape {tuple(value.shape)} but {other_name} has shape {expected}; they must agree"
        )


def pick_device(device: str | torch.device | None) -> torch.device:
    """The device asked for, if it is there; by default the best that is."""
    if device is None:
        found = torch.accelerator.current_accelerator() if torch.accelerator.is_available() else None
        return found or torch.device("cpu")
    try:
        chosen = torch.device(device)
        torch.empty(0, device=chosen)
        if chosen.type == "meta":
            raise RuntimeError("nothing can be computed on it")
    except (RuntimeError, AssertionError, NotImplementedError, TypeError) as error:
        raise InputError(f"device {str(device)!r} cannot be used here: {str(error).splitlines()[0]}") from None
    return chosen


def spread(per_sample: Tensor, x: Tensor) -> Tensor:
    """(batch,) to (batch, 1, …, 1), so that it multiplies every element of its sample."""
    return per_sample.to(x.device).reshape(-1, *[1] * (x.ndim - 1))


def _few(items: Sequence[int], most: int = 5) -> str:
    shown = ", ".join(str(item) for item in items[:most])
    return shown if len(items) <= most else f"{shown} and {len(items) - most} more"

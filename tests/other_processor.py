"""Another processor: all that a network returns is off by a last bit here and there, and never twice in the same place.

Vector units round the tail of an array otherwise than its body, and each kind of processor has another tail. So equal
rows of a batch, or one sample in batches of two sizes, agree up to rounding and no further, and which bits differ
depends on the machine. A test that asks for equal bits passes on one machine and fails on the next. To find such a test
on any machine, the whole suite runs on this processor, which also changes its mind from call to call.

Two runs of the very same call do give the same bits on a real machine, and resuming and replaying rest on that. A test
of this is marked `same_call` and runs on the processor that is there.

As a program it is `nk` on another processor: python other_processor.py sample digits …
"""

import dataclasses
import functools
import itertools
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor

from noisekernel.core.distributions import Distribution, Normal
from noisekernel.networks.denoiser import Denoiser
from noisekernel.sampling.model import NoiseModel

#: -1, 0 or 1 last bits, for one element after another; a prime number of them, so that rows do not repeat.
STEPS = torch.randint(-1, 2, (100_003,), generator=torch.Generator().manual_seed(0))

_calls = itertools.count(int(os.environ.get("RANK", "0")))
_here = False


def off_by_a_bit(value: Tensor) -> Tensor:
    """The value, of which every element is multiplied by 1, or by the number before or after it."""
    at = (torch.arange(value.numel(), device=value.device) + 101 * next(_calls)) % len(STEPS)
    steps = STEPS.to(value.device)[at].reshape(value.shape)
    return value * (1.0 + torch.finfo(value.dtype).eps * steps).to(value.dtype)


def perturbed(r: Any) -> Any:
    """A distribution, or a tensor, as another processor would have it. What is certain stays: nothing computed it."""
    if isinstance(r, Distribution):
        fields = {field.name: perturbed(getattr(r, field.name)) for field in dataclasses.fields(r)}
        if isinstance(r, Normal):
            fields["loc"] = torch.where(r.variance > 0, fields["loc"], r.loc)
        return type(r)(**fields)
    return off_by_a_bit(r) if isinstance(r, Tensor) and r.is_floating_point() else r


def install() -> None:
    """From here on, all that denoisers return and chains see is perturbed, unless `processor` says otherwise."""

    def wrap(owner: type, name: str) -> None:
        method = getattr(owner, name)

        @functools.wraps(method)
        def wrapped(*arguments: Any, **options: Any) -> Any:
            r = method(*arguments, **options)
            return r if _here or torch.compiler.is_compiling() else perturbed(r)

        setattr(owner, name, wrapped)

    wrap(Denoiser, "forward")  # what is trained
    wrap(Denoiser, "summary")
    wrap(NoiseModel, "look")  # closed forms too


@contextmanager
def processor(here: bool) -> Iterator[None]:
    """What follows runs on the processor that is here, or on the other one, as if that had only just been started."""
    global _calls, _here
    _calls, _here = itertools.count(), here
    try:
        yield
    finally:
        _here = False


if __name__ == "__main__":
    from noisekernel.cli.main import main

    install()
    try:
        main()
    except SystemExit as end:
        if not end.code and torch.distributed.is_initialized():
            raise SystemExit("the other processes were left while they may be busy") from None
        raise

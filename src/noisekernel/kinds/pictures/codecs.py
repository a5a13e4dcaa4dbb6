"""Codecs: bytes of pictures to clean data z, and back.

Continuous: z = byte / 127.5 - 1 in [-1, 1]; back by rounding, values beyond the ends to the ends (a denoiser may
overshoot white, a picture cannot). Levels: equal bins, k = floor(byte L / 256); back to the byte in the middle of the
bin, whose bin is k again.
"""

from dataclasses import dataclass
from typing import Annotated, Literal, Protocol, runtime_checkable

import torch
from jaxtyping import Float, Int, UInt8
from pydantic import Field
from torch import Tensor

from noisekernel.core import checks
from noisekernel.core.errors import DtypeError
from noisekernel.core.settings import Strict


@runtime_checkable
class Codec(Protocol):
    """Between stored bytes and z."""

    def encode(self, pixels: Tensor) -> Tensor: ...

    def decode(self, z: Tensor) -> Tensor: ...


def _bytes(pixels: Tensor) -> Tensor:
    if checks.tensor("pixels", pixels).dtype != torch.uint8:
        raise DtypeError(f"pixels is {pixels.dtype}; pictures are bytes, torch.uint8")
    return pixels


@dataclass(frozen=True)
class ContinuousCodec:
    """z in [-1, 1].

    >>> codec = ContinuousCodec()
    >>> codec.encode(torch.tensor([[0, 255]], dtype=torch.uint8)), codec.decode(torch.tensor([[-1.0, 1.2]]))
    (tensor([[-1.,  1.]]), tensor([[  0, 255]], dtype=torch.uint8))
    """

    def encode(self, pixels: UInt8[Tensor, "batch *event"]) -> Float[Tensor, "batch *event"]:
        return _bytes(pixels).float() / 127.5 - 1.0

    def decode(self, z: Float[Tensor, "batch *event"]) -> UInt8[Tensor, "batch *event"]:
        return ((checks.floating("z", z) + 1.0) * 127.5).round().clamp(0, 255).to(torch.uint8)


@dataclass(frozen=True)
class LevelsCodec:
    """z in `levels` categories of brightness.

    >>> codec = LevelsCodec(10)
    >>> torch.equal(codec.encode(codec.decode(torch.arange(10)[None])), torch.arange(10)[None])
    True
    """

    levels: int

    def __post_init__(self) -> None:
        checks.count("levels", self.levels, 2)
        checks.number("levels", self.levels, 2, 256)

    def encode(self, pixels: UInt8[Tensor, "batch *event"]) -> Int[Tensor, "batch *event"]:
        return _bytes(pixels).long() * self.levels // 256

    def decode(self, z: Int[Tensor, "batch *event"]) -> UInt8[Tensor, "batch *event"]:
        z = checks.classes("z", z, self.levels)
        # The bytes of bin k run from ceil(256 k / L) to ceil(256 (k + 1) / L) - 1: the byte in their middle.
        first, after = (-(-256 * edge // self.levels) for edge in (z, z + 1))
        return ((first + after - 1) // 2).to(torch.uint8)


class Continuous(Strict):
    """Bytes to [-1, 1]."""

    kind: Literal["continuous"] = "continuous"

    def build(self) -> Codec:
        return ContinuousCodec()


class Levels(Strict):
    """Bytes to `levels` equal bins."""

    kind: Literal["levels"] = "levels"
    levels: Annotated[int, Field(ge=2, le=256, strict=True)] = 10

    def build(self) -> Codec:
        return LevelsCodec(self.levels)

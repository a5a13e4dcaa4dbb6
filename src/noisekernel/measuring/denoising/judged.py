"""The denoising curve of a model, beside that of a denoiser that knows next to nothing: a part of `nk evaluate`."""

from dataclasses import dataclass
from typing import Any

from noisekernel.kinds.base import counted
from noisekernel.kinds.model import KindModel
from noisekernel.measuring.denoising.curve import DenoisingCurve
from noisekernel.measuring.denoising.kernels import yardstick
from noisekernel.measuring.samples.figures import as_json
from noisekernel.measuring.samples.reference import Reference, some_rows

#: A model is measured on so many examples at most.
MOST = 1_000
#: So many levels are shown at most; all of them are in the JSON.
SHOWN = 7


@dataclass(frozen=True)
class Denoised:
    """How well a model denoises."""

    curve: DenoisingCurve
    #: The curve of the simple denoiser on the same examples and noise, and what that denoiser knows.
    simple: DenoisingCurve
    reference: str
    #: What the error at a level is.
    error: str
    #: Whether the examples were held out, and how many of what they are.
    held_out: bool
    of: str

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        return {
            "examples": len(self.curve.of_examples),
            "held_out": self.held_out,
            "error": self.error,
            "scale": self.curve.scale,
            "levels": list(self.curve.levels),
            "errors": list(self.curve.errors),
            **as_json({"bits": self.curve.bits}),
            "reference": {
                "name": self.reference,
                "errors": list(self.simple.errors),
                **as_json({"bits": self.simple.bits}),
            },
        }

    def lines(self) -> list[str]:
        """For people."""
        curve, bits = self.curve, self.curve.bits
        where = "that were held out" if self.held_out else "of the data"
        lines = [
            f"denoising of {self.of} {where}: {self.error}",
            f"{f'  at {curve.scale}':24}{'model':>10}  {'':^23}{self.reference:>15}",
        ]
        for i in range(0, len(curve.levels), -(-len(curve.levels) // SHOWN)):
            level, error, simple = curve.levels[i], curve.errors[i], self.simple.errors[i]
            lines.append(f"{f'  {level:.3g}':24}{error:>10.4g}  {'':^23}{simple:>15.4g}")
        interval = f"[{bits.low:.4g}, {bits.high:.4g}]"
        return [*lines, f"{'bits per element':24}{bits.value:>10.4g}  {interval:^23}{self.simple.bits.value:>15.4g}"]

    def warning(self) -> str | None:
        """That the examples were trained on, where they were."""
        if self.held_out:
            return None
        return (
            "the denoising curve and its bits are those of the data, which the model may have been trained on and "
            "learned by heart; give data that it was not trained on (--held-out)"
        )


def denoised(
    model: KindModel,
    data: Reference,
    held_out: Reference | None,
    *,
    most: int = MOST,
    seed: int = 0,
    batch_size: int = 64,
) -> Denoised:
    """How well a model denoises, its labels left open.

    Args:
        model: The model.
        data: Examples that the simple denoiser learns from: some of them, as many as are denoised.
        held_out: The examples to denoise; None for those of the data.
        most: How many examples to denoise, at most.
        seed: Chooses the examples, and draws the noise.
        batch_size: How many examples are denoised at a time.
    """
    kind, of = model.kind, yardstick(model.kernel)
    known = kind.encode(some_rows(data, most, seed)).to(model.device)
    z = known if held_out is None else kind.encode(some_rows(held_out, most, seed)).to(model.device)
    options: dict[str, Any] = {"few": False, "seed": seed, "first": 0, "batch_size": batch_size}
    return Denoised(
        of.curve(model.denoiser, z, **options),
        of.curve(of.simple(known), z, **options),
        of.reference,
        of.error,
        held_out is not None,
        counted(len(z), kind),
    )

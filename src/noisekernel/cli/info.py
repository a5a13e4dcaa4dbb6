"""`nk info`: what a model is."""

from typing import TYPE_CHECKING

from noisekernel.cli import common

if TYPE_CHECKING:
    from noisekernel.models import Model


def info(model: common.ModelArgument, json: common.Json = False) -> None:
    """Say what a model is: its data, design, size and history."""
    from noisekernel import models

    loaded = models.load(model, "cpu")
    told = models.about(model)
    figures = {"model": common.model_name(model), "parameters": loaded.parameters, **told}
    design = loaded.design
    lines = [
        f"{common.model_name(model)}: {loaded.parameters:,} parameters",
        f"{design.data.described()}; kernel {design.kernel.kind}, "
        f"lag {design.kernel.lag}; network {design.network.kind}, head {design.head.kind}{_moments(loaded)}",
        f"classes: {', '.join(design.classes) or 'none'}",
    ]
    if design.correction is not None:
        low, high = design.correction.low, design.correction.high
        levels = f"{low:g}" if low == high else f"{low:g} to {high:g}"
        lines.append(f"its chain at constant noise is corrected at beta {levels}")
    if loaded.history:
        lines.append(models.told_history(loaded.history))
    common.say(figures, json, "\n".join(lines))


def _moments(model: "Model") -> str:
    """How much of the file is moments of the data."""
    from noisekernel.core.quantities import told_bytes
    from noisekernel.networks.denoiser import Denoiser

    assert isinstance(model.denoiser, Denoiser)
    known = model.denoiser.head_bytes
    return f" (moments of the data: {told_bytes(known)})" if known else ""

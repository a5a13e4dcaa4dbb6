"""`nk info`: what a model is."""

from noisekernel.cli import common


def info(model: common.ModelArgument, json: common.Json = False) -> None:
    """Say what a model is: its data, design, size and history."""
    from noisekernel import models

    told, loaded = models.about(model), models.load(model, "cpu")
    figures = {"model": common.model_name(model), "parameters": loaded.parameters, **told}
    history, design = told.get("history", {}), loaded.design
    channels, height, width = design.shape
    lines = [
        f"[bold]{common.model_name(model)}[/bold]: {loaded.parameters:,} parameters",
        f"pictures of {channels} x {height} x {width}, {design.codec.kind}; kernel {design.kernel.kind}, "
        f"lag {design.kernel.lag}; network {design.network.kind}, head {design.head.kind}",
        f"classes: {', '.join(design.classes) or 'none'}",
    ]
    if history:
        lines.append(
            f"trained on {history['data']} ({history['pictures']} pictures) by recipe {history['recipe']['name']!r}, "
            f"seed {history['seed']}: {history['images']:,} images in {history['seconds'] / 60:.0f} minutes on "
            f"{history['processes']} x {history['device']}"
        )
    common.say(figures, json, "\n".join(lines))

"""The strength of variants, measured when training ends.

The curve from strengths to noise levels (`tasks.strength`) is measured on the model's own samples and kept in its file,
so that the first `vary` does not wait. It takes as long as some 1,500 images of training, whatever the machine. A run
that saw too few images for this to be a small share does without; the curve is then measured when it is first wanted.
"""

from dataclasses import replace
from pathlib import Path

from rich.console import Console
from rich.progress import Progress

from noisekernel import models
from noisekernel.core.errors import InputError
from noisekernel.models.model import Model
from noisekernel.tasks.strength import RENEWAL, calibrated

#: Runs that saw fewer images are not calibrated: it would take more than a tenth of their time.
FEWEST = 15_000


def with_strength(model: Model, images: int, folder: Path | None, console: Console) -> Model:
    """The model with its strength curve, which its file in `folder` has too.

    Args:
        model: The model as trained.
        images: How many images it was trained on.
        folder: The folder of the run; None for none.
        console: What is done is said there.
    """
    file = None if folder is None else folder / models.FILE
    if file is not None and file.exists():
        # A run that was resumed after its end has its curve already.
        known = models.load(file, "cpu")
        if known.history.get("images") == images and RENEWAL.name in set(known.curves):
            return replace(model, curves={**model.curves, RENEWAL.name: known.curves[RENEWAL.name]})
    if images < FEWEST:
        _say(
            console,
            f"the strength of variants is measured at their first use: a run of {images:,} images is too short for it "
            f"to be a small part (from {FEWEST:,})",
        )
        return model
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("measuring the strength of variants", total=RENEWAL.work)
        try:
            model = calibrated(model, (RENEWAL.name,), advance=lambda: progress.update(task, advance=1))
        except InputError as error:
            _say(console, f"the strength of variants is not measured: {error}")
            return model
    _say(console, "the strength of variants is measured and kept in the model")
    if file is not None:
        models.save(model, file, force=True)
    return model


def _say(console: Console, sentence: str) -> None:
    console.print(sentence, highlight=False, markup=False, soft_wrap=True)

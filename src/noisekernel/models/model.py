"""Models: a trained chain as one file, and where to find one by name.

A model is one safetensors file: the weights, and in its header a JSON with its design (all that is needed to build it)
and its history (data, recipe, seed, images seen). Loading one builds what the design says and executes nothing.
"""

from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from noisekernel import recipes
from noisekernel.core.errors import InputError
from noisekernel.core.quantities import told_seconds
from noisekernel.kinds.base import Kind
from noisekernel.models.verbs import Verbs
from noisekernel.networks.denoiser import Denoiser
from noisekernel.networks.windowed import Windowed
from noisekernel.sampling.samplers import sampler as by_name
from noisekernel.sampling.schedule import Schedule
from noisekernel.sampling.strength import StrengthCurve


@dataclass(frozen=True, repr=False)
class Model(Verbs):
    """A `NoiseModel` that knows its design and its history, and the way between examples and its data.

    Args:
        kernel: The mathematics of noise and transition.
        denoiser: The network with its head.
        shape: The shape of one sample.
        design: What it is made of: all that is needed to build it, before its weights.
        history: What it was trained on and how.

    >>> from noisekernel import load
    >>> model = load("digits")
    >>> z = model.sample(2, steps=5)
    >>> model.vary(z, 3, strength=0.3, steps=5).shape
    torch.Size([2, 3, 1, 8, 8])
    >>> model.fill(z, model.kind.masks(2, 0.5, 2), n=3, steps=5).shape
    torch.Size([2, 3, 1, 8, 8])
    """

    design: recipes.Design = field(kw_only=True)
    history: Mapping[str, Any] = field(kw_only=True, default_factory=dict)

    @property
    def kind(self) -> Kind:
        return self.design.data

    @property
    def classes(self) -> Sequence[str]:
        return self.design.classes

    def schedule(self, sampler: str | None = None, steps: int | None = None) -> tuple[str, Schedule]:
        """The name of a sampler and its schedule: by default the model's own, in its own number of steps.

        >>> from noisekernel import load
        >>> load("digits").schedule("ddim", 10)[1].steps
        10
        """
        own = self.design.sampling
        name = sampler or own.sampler
        return name, by_name(name, self.kernel, steps if steps or sampler else own.steps)

    def spanning(self, kind: Kind) -> "Model":
        """This model for longer examples: each element is denoised in a window of the length that was learned.

        Args:
            kind: This model's kind of data with a longer window (`Kind.of_length`, `Kind.spanning`).
        """
        if kind.shape == self.shape:
            return self
        window, longer = self.kind.window, kind.shape[-1]
        if window is None or kind.shape[:-1] != self.shape[:-1] or longer < window or self.kernel.absorbing is None:
            raise InputError(f"this model is of {self.kind.described()}, and cannot be made one of {kind.described()}")
        denoiser = Windowed(self.denoiser, window, self.kind.hop, self.kernel.absorbing)
        design = self.design.model_copy(update={"data": kind})
        return replace(self, denoiser=denoiser, shape=kind.shape, design=design)

    def of_length(self, length: int) -> "Model":
        """This model for examples of another length.

        Args:
            length: How long they are, in what people count: bars of music.
        """
        return self.spanning(self.kind.of_length(length))

    def save(self, path: str | Path, *, force: bool = False) -> Path:
        """Write the model as one file, which `nk.load` reads.

        Args:
            path: The file, if it ends in .safetensors, else a folder for model.safetensors.
            force: Whether a file that is there may be replaced.

        Returns:
            The path of the file.

        >>> import tempfile
        >>> from noisekernel import load
        >>> load("digits").save(tempfile.mkdtemp()).name
        'model.safetensors'
        """
        from noisekernel.models.saving import save

        return save(self, path, force=force)

    def __repr__(self) -> str:
        classes = f"{len(self.classes)} classes; " if self.classes else ""
        return f"{super().__repr__()[:-1]}\n {classes}{told_history(self.history)}>"


def told_history(history: Mapping[str, Any]) -> str:
    """The history of a model in words; what it does not say is left out."""
    adopted = history.get("adopted")
    if isinstance(adopted, Mapping):
        return (
            f"adopted from {adopted.get('name', 'a model')} ({adopted.get('from', '?')} of diffusers); its error is "
            f"measured on {adopted.get('examples', '?')} examples ({adopted.get('measured', '?')})"
        )
    recipe = history.get("recipe")
    name = recipe.get("name") if isinstance(recipe, Mapping) else None
    examples, images, seconds = history.get("examples"), history.get("images"), history.get("seconds")
    words = f"trained on {history.get('data', 'data that it does not name')}"
    words += f" ({examples:,} examples)" if isinstance(examples, int) else ""
    words += f", beginning with the weights of {history['start']}," if history.get("start") else ""
    words += f" by recipe {name!r}" if name else ""
    words += f", seed {history['seed']}" if "seed" in history else ""
    words += f": {images:,} images" if isinstance(images, int) else ""
    words += f" in {told_seconds(seconds)}" if isinstance(seconds, int | float) else ""
    data = recipe.get("data") if isinstance(recipe, Mapping) else None
    credit = data.get("credit") if isinstance(data, Mapping) else None
    processes = f" on {history['processes']} x {history.get('device', '?')}" if "processes" in history else ""
    return words + processes + (f". Data: {credit}" if credit else "")


def build(
    design: recipes.Design,
    denoiser: Denoiser | None = None,
    history: Mapping[str, Any] | None = None,
    curves: MutableMapping[str, StrengthCurve] | None = None,
) -> Model:
    """A model of this design: with this denoiser, or with one fresh from the generator of torch."""
    denoiser = design.denoiser() if denoiser is None else denoiser
    curves = {} if curves is None else curves
    return Model(design.kernel.build(), denoiser, design.shape, design=design, history=history or {}, curves=curves)

"""Models: a trained chain as one file, and where to find one by name.

A model is one safetensors file: the weights, and in its header a JSON with its design (all that is needed to build it)
and its history (data, recipe, seed, images seen). Loading one builds what the design says and executes nothing.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from difflib import get_close_matches
from importlib.resources import as_file, files
from numbers import Integral
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Shaped
from PIL import Image
from torch import Tensor

from noisekernel import __version__, config
from noisekernel.checks import count, pick_device
from noisekernel.data.codecs import Codec
from noisekernel.data.pictures import MODES, BadPictureError, Size, fit, kind_of_picture, open_picture, to_channels
from noisekernel.denoisers import Denoiser
from noisekernel.errors import DtypeError, InputError, ShapeError, StorageError
from noisekernel.evaluate.cache import digest, digest_of_file
from noisekernel.quantities import told_seconds
from noisekernel.samplers import sampler as by_name
from noisekernel.schedules import Schedule
from noisekernel.settings import read, unknown
from noisekernel.storage import read_about, read_tensors, write_tensors
from noisekernel.transitions import NoiseModel

#: The file of a model in its folder.
FILE = "model.safetensors"
FORMAT = 1


@dataclass(frozen=True, repr=False)
class Model(NoiseModel):
    """A `NoiseModel` that knows its design and its history, and the way between pictures and its data."""

    design: config.Design = field(kw_only=True)
    history: Mapping[str, Any] = field(kw_only=True, default_factory=dict)

    @property
    def codec(self) -> Codec:
        return self.design.codec.build()

    @property
    def size(self) -> Size:
        return Size(*self.design.shape)

    @property
    def classes(self) -> Sequence[str]:
        """The names of its classes, if it learned any."""
        return self.design.classes

    @property
    def middle(self) -> int:
        """The value of z that is drawn grey, for what is hidden."""
        return self.design.codec.levels // 2 if isinstance(self.design.codec, config.Levels) else 0

    def read(self, pictures: Sequence[Image.Image | str | Path] | Image.Image | str | Path) -> Tensor:
        """Pictures, or the paths of some, as clean data: their middle, resized where their size is another."""
        if isinstance(pictures, Image.Image | str | Path):
            pictures = [pictures]
        if not pictures:
            raise InputError("no picture was given; give at least one")
        return self.codec.encode(torch.stack([self._pixels(picture) for picture in pictures]))

    def _pixels(self, picture: Image.Image | str | Path) -> Tensor:
        try:
            # Twice the size is enough to resize it well, and saves most of the memory of a large photograph.
            image = open_image(picture, side=2 * max(self.size.height, self.size.width))
            return torch.from_numpy(fit(to_channels(image, self.size.channels), self.size))
        except BadPictureError as error:
            name = "the picture" if isinstance(picture, Image.Image) else str(picture)
            raise InputError(f"{name}: {error}") from None

    def draw(self, z: Shaped[Tensor, "*many channels height width"]) -> list[Image.Image]:
        """Clean data as pictures, in one list: those of one sample, of a batch, or of variants of a batch, in order.

        >>> model = load("digits")
        >>> z = torch.zeros(2, 3, *model.shape)
        >>> len(model.draw(z)), len(model.draw(z[0])), len(model.draw(z[0, 0]))
        (6, 3, 1)
        """
        if not isinstance(z, Tensor):
            raise DtypeError(f"z is a {type(z).__name__}; give a torch.Tensor (torch.as_tensor makes one)")
        if z.ndim < len(self.shape) or tuple(z.shape[-len(self.shape) :]) != self.shape:
            raise ShapeError(
                f"z has shape {tuple(z.shape)}; this model draws samples of shape {self.shape}, with any dimensions "
                "before that"
            )
        if z.numel() == 0:
            return []
        pixels = self.codec.decode(z.detach().cpu().reshape(-1, *self.shape)).numpy()
        mode = MODES[self.size.channels]
        return [Image.fromarray(p[0] if mode == "L" else p.transpose(1, 2, 0), mode) for p in pixels]

    def schedule(self, sampler: str | None = None, steps: int | None = None) -> tuple[str, Schedule]:
        """The name of a sampler and its schedule: by default the model's own, in its own number of steps.

        >>> load("digits").schedule("ddim", 10)[1].steps
        10
        """
        own = self.design.sampling
        name = sampler or own.sampler
        return name, by_name(name, self.kernel, steps if steps or sampler else own.steps)

    def label(self, names: Sequence[str | int], n: int) -> Tensor:
        """Labels for n samples, from names or numbers of classes, by turns.

        >>> load("fashion").label(["sneaker", 9], 4)
        tensor([7, 9, 7, 9])
        """
        if not self.classes:
            raise InputError("this model learned no classes, so it takes no label")
        if isinstance(names, str | Integral) or not isinstance(names, Sequence) or not names:
            raise InputError(f"names is {names!r}; give a list of classes, such as [{self.classes[0]!r}] or [0]")
        numbers = [self._class(name) for name in names]
        return torch.tensor([numbers[i % len(numbers)] for i in range(count("n", n))])

    def _class(self, name: str | int) -> int:
        """The number of a class, from its name or its number."""
        if isinstance(name, str) and name in self.classes:
            return self.classes.index(name)
        number = int(name) if isinstance(name, Integral) or (isinstance(name, str) and name.isdecimal()) else -1
        if isinstance(name, bool) or not 0 <= number < len(self.classes):
            raise InputError(
                unknown("class", name, self.classes)
                if isinstance(name, str)
                else f"there is no class {name!r}; give a name, or a whole number from 0 to {len(self.classes) - 1}"
            )
        return number

    def __repr__(self) -> str:
        classes = f"{len(self.classes)} classes; " if self.classes else ""
        return f"{super().__repr__()[:-1]}\n {classes}{told_history(self.history)}>"


def open_image(picture: Image.Image | str | Path, side: int | None = None) -> Image.Image:
    """A picture, or the file of one, upright; what is none is refused by name. With `side`, see `open_picture`."""
    if isinstance(picture, Image.Image):
        return picture
    if Path(picture).is_dir():
        raise InputError(f"{picture} is a folder; give pictures, such as {Path(picture) / '*.png'}")
    try:
        return open_picture(Path(picture).read_bytes(), side)[0]
    except OSError as error:
        raise InputError(f"{picture} cannot be opened: {error.strerror}") from None
    except BadPictureError as error:
        raise InputError(f"{picture}: {error}") from None


def told_history(history: Mapping[str, Any]) -> str:
    """The history of a model in words; what it does not say is left out."""
    recipe = history.get("recipe")
    name = recipe.get("name") if isinstance(recipe, Mapping) else None
    pictures, images, seconds = history.get("pictures"), history.get("images"), history.get("seconds")
    words = f"trained on {history.get('data', 'data that it does not name')}"
    words += f" ({pictures:,} pictures)" if isinstance(pictures, int) else ""
    words += f", beginning with the weights of {history['start']}," if history.get("start") else ""
    words += f" by recipe {name!r}" if name else ""
    words += f", seed {history['seed']}" if "seed" in history else ""
    words += f": {images:,} images" if isinstance(images, int) else ""
    words += f" in {told_seconds(seconds)}" if isinstance(seconds, int | float) else ""
    processes = f" on {history['processes']} x {history.get('device', '?')}" if "processes" in history else ""
    return words + processes


def build(design: config.Design, denoiser: Denoiser | None = None, history: Mapping[str, Any] | None = None) -> Model:
    """A model of this design: with this denoiser, or with one fresh from the generator of torch."""
    denoiser = design.denoiser() if denoiser is None else denoiser
    return Model(design.kernel.build(), denoiser, design.shape, design=design, history=history or {})


def save(model: Model, path: str | Path, *, force: bool = False) -> Path:
    """Write a model as one file: `path` itself if it ends in .safetensors, else model.safetensors in that folder."""
    if not isinstance(model, Model):
        raise InputError(
            f"a {type(model).__name__} does not know its design, without which a file could not be read again; keep "
            "the weights of its denoiser (safetensors.torch.save_model), and build it by your own code"
        )
    path = Path(path)
    path = path if path.suffix == ".safetensors" else path / FILE
    if path.exists() and not force:
        raise InputError(f"{path} exists; choose another name, or say that it may be replaced (force)")
    about = {
        "format": FORMAT,
        "noisekernel": __version__,
        "design": model.design.model_dump(mode="json"),
        "history": dict(model.history),
    }
    write_tensors(path, model.denoiser.state_dict(), about)  # type: ignore[attr-defined]
    return path


def bundled() -> list[str]:
    """The trained models that come with the package."""
    return sorted(
        entry.name.removesuffix(".safetensors")
        for entry in (files("noisekernel") / "weights").iterdir()
        if entry.name.endswith(".safetensors")
    )


@contextmanager
def file_of(what: str | Path) -> Iterator[Path]:
    """The file of a model: one that comes with the package by name, a file, or the folder of a training run."""
    if what in bundled():  # as text: Path("./digits") is a folder, though it prints as the name
        with as_file(files("noisekernel") / "weights" / f"{what}.safetensors") as path:
            yield path
    else:
        path = Path(what)
        yield path / FILE if path.is_dir() else path


def digest_of(what: str | Path) -> str:
    """sha256 of a model's file."""
    with file_of(what) as path:
        return digest_of_file(path)


def digest_of_weights(model: Model) -> str:
    """sha256 of a model's weights, wherever they are from."""
    weights = model.denoiser.state_dict()  # type: ignore[attr-defined]
    return digest(*(weights[name] for name in sorted(weights)))


def load(what: str | Path, device: str | torch.device | None = None) -> Model:
    """A model: one that comes with the package by name, a file, or the folder of a training run.

    >>> load("digits").shape
    (1, 8, 8)
    """
    if not isinstance(what, str | Path):
        raise InputError(f"a {type(what).__name__} cannot be loaded; give a name, or the path of a file or a folder")
    if Path(what).is_dir() and what not in bundled() and not (Path(what) / FILE).is_file():
        begun = (Path(what) / "recipe.json").is_file()
        hint = (
            "the training run in it writes one at its first checkpoint, so train on"
            if begun
            else f"give the folder of a training run, a file, or one of: {', '.join(bundled())}"
        )
        raise InputError(f"{str(what)!r} is a folder that holds no model ({FILE}); {hint}")
    with file_of(what) as path:
        if not path.exists():
            near = get_close_matches(what, bundled(), n=1) if isinstance(what, str) else []
            hint = f"Did you mean {near[0]!r}?" if near else f"Give a path, or one of: {', '.join(bundled())}."
            raise InputError(f"there is no model called {str(what)!r}. {hint}")
        _check_kind(path)
        return _load(path, device)


def _check_kind(path: Path) -> None:
    """Refuse a file of another kind, by its first bytes."""
    try:
        with path.open("rb") as file:
            beginning = file.read(512)
    except OSError:  # whoever reads it says so
        return
    kind = kind_of_picture(beginning)
    if not beginning:
        other = "an empty file"
    elif beginning[:4] == b"PK\x03\x04" and beginning[30:].startswith(b"design.json"):
        other = "a design file of the studio"
    elif _is_text(beginning):
        other = "a text file"
    elif kind is not None:
        other = f"a {kind} picture"
    else:
        return
    raise StorageError(
        f"{path} is {other}, not a model; a model is a .safetensors file, the folder of a training run, or one of: "
        f"{', '.join(bundled())}"
    )


def _is_text(beginning: bytes) -> bool:
    """Whether this is how a text begins; a character may be cut in two at the end."""
    text = beginning.decode("utf-8", errors="ignore")
    return len(text.encode()) > len(beginning) - 4 and all(char.isprintable() or char.isspace() for char in text)


def about(what: str | Path) -> dict[str, Any]:
    """What a model says about itself, without loading its weights."""
    with file_of(what) as path:
        return read_about(path)


def _load(path: Path, device: str | torch.device | None) -> Model:
    tensors, told = read_tensors(path)
    if "format" not in told and "training" in told:
        raise StorageError(f"{path} is a checkpoint, from which training goes on; give the folder of its run")
    if told.get("format") != FORMAT:
        raise StorageError(
            f"{path} has format {told.get('format')!r} and was written by noisekernel {told.get('noisekernel', '?')}; "
            f"this is {__version__}, which reads format {FORMAT}"
        )
    design = read(config.Design, told.get("design"), str(path))
    with torch.device("meta"):
        denoiser = design.denoiser()
    if not all(value.is_floating_point() for value in tensors.values()):
        raise StorageError(f"{path} holds weights that are not floating-point numbers")
    expected = {name: tuple(value.shape) for name, value in denoiser.state_dict().items()}
    given = {name: tuple(value.shape) for name, value in tensors.items()}
    if expected != given:
        odd = sorted(name for name in expected.keys() | given.keys() if expected.get(name) != given.get(name))
        raise ShapeError(f"{path}: the weights do not fit the design it names, in {', '.join(odd[:3])}")
    denoiser.load_state_dict(tensors, assign=True)
    denoiser.requires_grad_(False).eval().to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    return build(design, denoiser.to(pick_device(device)), told.get("history", {}))

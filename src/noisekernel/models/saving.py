"""Models in files: one safetensors file each, and those that come with the package."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from noisekernel import __version__, recipes
from noisekernel.core.checks import pick_device
from noisekernel.core.errors import InputError, ShapeError, StorageError
from noisekernel.core.settings import read
from noisekernel.core.suggestions import unknown
from noisekernel.files.digest import digest, digest_of_file
from noisekernel.files.formats import read_about, read_tensors, write_tensors
from noisekernel.kinds.base import Kind
from noisekernel.kinds.registry import kinds
from noisekernel.measuring.kept import KnownCurves
from noisekernel.models.model import Model, build
from noisekernel.networks.denoiser import Denoiser
from noisekernel.networks.windowed import Windowed
from noisekernel.recipes.from_parts import design_of
from noisekernel.sampling.model import NoiseModel, noise_model

#: The file of a model in its folder.
FILE = "model.safetensors"
#: The version of the format of model files.
FORMAT = 2
#: The bundled model that is named first wherever they are listed.
FIRST = "emoji"


def save(model: NoiseModel, path: str | Path, *, kind: Kind | None = None, force: bool = False) -> Path:
    """Write a model as one file, which `load` reads.

    A `NoiseModel` that was put together by hand can be saved if its kernel, its head and its network are of this
    package; where one is of your own, an error names it.

    Args:
        model: The model.
        path: The file, if it ends in .safetensors, else a folder for model.safetensors.
        kind: What the data are, for a model that was put together by hand: an object of a kind of data. Vectors of
            numbers need none.
        force: Whether a file that is there may be replaced.

    Returns:
        The path of the file.

    >>> import tempfile
    >>> from noisekernel import Denoiser, GaussianKernel, PlainGaussian, networks
    >>> head = PlainGaussian(channels=2)
    >>> denoiser = Denoiser(networks.MLP(head.in_channels, head.out_channels), head)
    >>> path = save(NoiseModel(GaussianKernel(), denoiser, shape=(2,)), tempfile.mkdtemp())
    >>> load(path, "cpu").kind.described()
    'points of 2 columns (x0, x1)'
    """
    if not isinstance(model, Model):
        design = design_of(noise_model(model), kind)
        assert isinstance(model.denoiser, Denoiser)
        model = build(design, model.denoiser, curves=model.curves)
    elif kind is not None:
        raise InputError("this model knows its kind of data; leave out kind")
    weights = weights_of(model)
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
    if model.curves:
        about["curves"] = {name: curve.figures() for name, curve in model.curves.items()}
    write_tensors(path, weights, about)
    return path


def weights_of(model: Model) -> dict[str, torch.Tensor]:
    """The weights of a model by name, of which a file is made; those of a network with something around it are not."""
    if not isinstance(model.denoiser, Denoiser):
        how = "has its labels filled in" if model.guidance is None else f"is {model.guidance.described()}"
        how = "is for longer examples than it learned" if isinstance(model.denoiser, Windowed) else how
        raise InputError(
            f"this model {how}, which a file does not hold: it holds one network; save the model that it was made of, "
            "or train from that one, and do the same to what is loaded"
        )
    return model.denoiser.state_dict()


def bundled() -> list[str]:
    """The trained models that come with the package. The first one is what the studio opens with."""
    names = (
        entry.name.removesuffix(".safetensors")
        for entry in (files("noisekernel.models") / "bundled").iterdir()
        if entry.name.endswith(".safetensors")
    )
    return sorted(names, key=lambda name: (name != FIRST, name))


@contextmanager
def file_of(what: str | Path) -> Iterator[Path]:
    """The file of a model: one that comes with the package by name, a file, or the folder of a training run."""
    if what in bundled():  # as text: Path("./digits") is a folder, though it prints as the name
        with as_file(files("noisekernel.models") / "bundled" / f"{what}.safetensors") as path:
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
    weights = weights_of(model)
    return digest(*(weights[name] for name in sorted(weights)))


def load(what: str | Path, device: str | torch.device | None = None) -> Model:
    """A model: one that comes with the package by name, a file, or the folder of a training run.

    Args:
        what: The name, or the path of the file or the folder.
        device: Where its weights go, such as "cpu" or "cuda:1"; None for the best device there is.

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
            raise InputError(unknown("model", str(what), bundled(), "Give a path, or one of"))
        _check_kind(path)
        return _load(path, device, partial(digest_of, what))


def _check_kind(path: Path) -> None:
    """Refuse a file of another kind, by its first bytes."""
    try:
        with path.open("rb") as file:
            beginning = file.read(512)
    except OSError:  # whoever reads it says so
        return
    if not beginning:
        other = "an empty file"
    elif beginning[:4] == b"PK\x03\x04" and beginning[30:].startswith(b"design.json"):
        other = "a design file of the studio"
    elif _is_text(beginning):
        other = "a text file"
    elif (called := next(filter(None, (kind.called(beginning) for kind in kinds().values())), None)) is not None:
        other = called
    else:
        return
    raise StorageError(
        f"{path} is {other}, not a model; a model is a .safetensors file, the folder of a training run, or one of: "
        f"{', '.join(bundled())}"
    )


def _like(value: Tensor, other: Tensor) -> bool:
    """Whether both are floating-point numbers, in any precision, or both are of the very same type."""
    return value.dtype == other.dtype or (value.is_floating_point() and other.is_floating_point())


def _is_text(beginning: bytes) -> bool:
    """Whether this is how a text begins; a character may be cut in two at the end."""
    text = beginning.decode("utf-8", errors="ignore")
    return len(text.encode()) > len(beginning) - 4 and all(char.isprintable() or char.isspace() for char in text)


def about(what: str | Path) -> dict[str, Any]:
    """What a model says about itself, without loading its weights."""
    with file_of(what) as path:
        return read_about(path)


def _load(path: Path, device: str | torch.device | None, weights: Callable[[], str]) -> Model:
    tensors, told = read_tensors(path)
    if "format" not in told and "training" in told:
        raise StorageError(f"{path} is a checkpoint, from which training goes on; give the folder of its run")
    if told.get("format") != FORMAT:
        raise StorageError(
            f"{path} has format {told.get('format')!r} and was written by noisekernel {told.get('noisekernel', '?')}; "
            f"this is {__version__}, which reads format {FORMAT}"
        )
    kind = told.get("design", {}).get("data", {}).get("kind")
    if kind not in kinds():
        raise StorageError(
            f"{path} is a model of data of the kind {kind!r}, which is not known here ({', '.join(kinds())}); install "
            "the package that provides it"
        )
    design = read(recipes.Design, told.get("design"), str(path))
    with torch.device("meta"):
        denoiser = design.denoiser()
    built = denoiser.state_dict()
    odd = [name for name, value in tensors.items() if name in built and not _like(value, built[name])]
    if odd:
        raise StorageError(f"{path} holds weights of another type than {built[odd[0]].dtype}, in {odd[0]}")
    expected = {name: tuple(value.shape) for name, value in built.items()}
    given = {name: tuple(value.shape) for name, value in tensors.items()}
    if expected != given:
        odd = sorted(name for name in expected.keys() | given.keys() if expected.get(name) != given.get(name))
        raise ShapeError(f"{path}: the weights do not fit the design it names, in {', '.join(odd[:3])}")
    denoiser.load_state_dict(tensors, assign=True)
    denoiser.requires_grad_(False).eval().to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    curves = KnownCurves(told.get("curves"), weights)
    return build(design, denoiser.to(pick_device(device)), told.get("history", {}), curves)

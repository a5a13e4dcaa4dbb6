"""The design of a model that was put together by hand, from what it is made of.

A file of a model says how to build it, by names and settings of kernels, heads and networks that this package has. Each
part knows what it was built with, so a design can be told from the parts; a part of the user's own cannot be named.
"""

from typing import Any

import torch
from torch import nn

from noisekernel import kernels, networks
from noisekernel.core.errors import InputError, ShapeError
from noisekernel.core.settings import read
from noisekernel.kinds.base import Kind
from noisekernel.kinds.registry import kinds
from noisekernel.networks.denoiser import Denoiser
from noisekernel.recipes import parts
from noisekernel.recipes.schema import Design
from noisekernel.sampling.model import NoiseModel

#: The settings by which each part is named in a file.
CONFIGS: dict[type, Any] = {
    kernels.GaussianKernel: parts.GaussianConfig,
    kernels.CategoricalKernel: parts.CategoricalConfig,
    kernels.ProductKernel: parts.ProductConfig,
    networks.PlainGaussian: parts.PlainHeadConfig,
    networks.PreconditionedGaussian: parts.PreconditionedHeadConfig,
    networks.CovarianceGaussian: parts.CovarianceHeadConfig,
    networks.AdoptedGaussian: parts.AdoptedHeadConfig,
    networks.CategoricalHead: parts.CategoricalHeadConfig,
    networks.OrdinalHead: parts.OrdinalHeadConfig,
    networks.IntervalHead: parts.IntervalsHeadConfig,
    networks.ColumnsHead: parts.ColumnsHeadConfig,
    networks.ProductHead: parts.ProductHeadConfig,
    networks.UNet: parts.UNetConfig,
    networks.PaperUNet: parts.PaperUNetConfig,
    networks.MLP: parts.MLPConfig,
    networks.Transformer: parts.TransformerConfig,
    networks.RotaryTransformer: parts.RotaryConfig,
    networks.ColumnsTransformer: parts.ColumnsConfig,
}


def design_of(model: NoiseModel, kind: Kind | None = None) -> Design:
    """The design of a model, for data of this kind; a sentence says what is lacking."""
    denoiser = model.denoiser
    if type(denoiser) is not Denoiser:
        name = getattr(denoiser, "__name__", type(denoiser).__name__)
        raise InputError(_own("denoiser", name, "give a nk.Denoiser(network, head)"))
    network = denoiser.backbone
    data = _kind_of(model, kind)
    number = getattr(network, "classes", None)
    names = data.class_names or tuple(str(i) for i in range(number or 0))
    if len(names) != (number or 0):
        raise InputError(f"class_names of the kind are {len(names)}, and the network has {number or 'no'} classes")
    content = {
        "data": data.bare.model_dump(),
        "kernel": _settings("kernel", model.kernel),
        "head": _settings("head", denoiser.head),
        "network": _settings("network", network),
        "classes": names,
        "told": getattr(network, "numbers_told", 0),
        "correction": None if denoiser.correction is None else denoiser.correction.settings,
    }
    design = read(Design, content, "this model")
    _check(model, denoiser, design)
    return design


def _settings(what: str, part: Any) -> dict[str, Any]:
    """A part by its name and what it was built with."""
    config = CONFIGS.get(type(part))
    if config is None:
        raise InputError(_own(what, type(part).__name__, f"those of the package are {_names(what)}"))
    told = _told(part)
    own = {name: told[name] for name in config.model_fields if name != "kind"}
    if isinstance(own.get("lag"), torch.Tensor):
        raise InputError("the kernel has a lag for each sample; a model is saved with one: kernel.with_lag(0.9)")
    return {"kind": config.model_fields["kind"].default, **own}


def _told(part: Any) -> dict[str, Any]:
    """What a part was built with."""
    told: Any = part.settings if isinstance(part, nn.Module) else part.__dict__
    return told


def _own(what: str, name: str, instead: str) -> str:
    return (
        f"the {what} of this model, {name}, is your own, so that a file could not say how to build it ({instead}); "
        "keep the weights of its denoiser (safetensors.torch.save_model), and build it by your own code"
    )


def _names(what: str) -> str:
    rooms = {"kernel": kernels.NoiseKernel, "network": networks.Backbone}
    return ", ".join(
        part.__name__
        for part in CONFIGS
        if (issubclass(part, rooms[what]) if what in rooms else not issubclass(part, tuple(rooms.values())))
    )


def _kind_of(model: NoiseModel, kind: Kind | None) -> Kind:
    """The kind that was given, or that of plain vectors of numbers, where they are."""
    if kind is None:
        kind = next(filter(None, (each.of_shape(model.shape, _categories(model)) for each in kinds().values())), None)
    if not isinstance(kind, Kind):
        raise InputError(
            f"a file has to say what the data are, and shape {model.shape} does not tell; give kind=…, an object of "
            f"one of the kinds of data ({', '.join(kinds())}), nk.kinds.kinds()[NAME](…)"
        )
    if kind.shape != model.shape:
        raise ShapeError(f"the model has shape {model.shape}, and {kind.many} of this kind have {kind.shape}")
    return kind


def _categories(model: NoiseModel) -> int | None:
    return getattr(model.kernel, "classes", None)


def _check(model: NoiseModel, denoiser: Denoiser, design: Design) -> None:
    """That the design builds what was there: networks can be changed after they were built."""
    with torch.device("meta"):
        built = design.denoiser()
    expected = {name: tuple(value.shape) for name, value in built.state_dict().items()}
    given = {name: tuple(value.shape) for name, value in denoiser.state_dict().items()}
    if _told(built.head) != _told(denoiser.head):
        raise InputError(f"the head is {denoiser.head}, and for {design.data.described()} it would be {built.head}")
    if expected != given:
        odd = sorted(name for name in expected.keys() | given.keys() if expected.get(name) != given.get(name))
        raise InputError(
            f"the network is not as it was built, in {', '.join(odd[:3])}, so a file could not describe it"
        )

"""The Inception-V3 of 2015 that FID means, fed as FID feeds it.

Bytes; grey repeated to three channels, transparency laid over white; 299 x 299 by the bilinear resize of TensorFlow 1,
which the first FID used and torch-fidelity copies: output pixel i lies at i times (old side / new side), with no half
pixel added and no antialiasing; then (x - 128) / 128.

The network comes from a file: TorchScript, or weights in safetensors under the names of torchvision, pytorch-fid and
torch-fidelity, which give logits as well. A TorchScript file is a program: it is run because its user named it. A
pickle is refused.
"""

import warnings
import zipfile
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Float, UInt8
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor, nn

from noisekernel.core.errors import InputError, NoiseKernelError, StorageError
from noisekernel.files.digest import digest_of_file
from noisekernel.kinds.exchanged import Features
from noisekernel.kinds.pictures.inception_net import InceptionV3

SIDE = 299
#: Pictures at once on a processor: so few stay in its cache, which is 1.4 times as fast as 32, in little memory.
AT_ONCE = 4
#: Changed whenever the same file would give other features: what is fed to it, and how.
FED = 1


def rgb(pixels: UInt8[Tensor, "batch channels height width"]) -> UInt8[Tensor, "batch 3 height width"]:
    """Three channels of bytes."""
    channels = pixels.shape[1]
    if channels == 1:
        return pixels.expand(-1, 3, -1, -1)
    if channels == 4:
        share = pixels[:, 3:].float() / 255.0
        return (pixels[:, :3] * share + 255.0 * (1.0 - share)).round().to(torch.uint8)
    if channels != 3:
        raise InputError(f"pictures of {channels} channels; Inception sees grey (1), RGB (3) and RGBA (4)")
    return pixels


def resized(
    x: Float[Tensor, "batch channels height width"], side: int = SIDE
) -> Float[Tensor, "batch channels side side"]:
    """As TensorFlow 1 does it, without aligned corners."""
    return _weights(x.shape[2], side).to(x) @ x @ _weights(x.shape[3], side).to(x).T


def _weights(old: int, new: int) -> Tensor:
    """Row i: the two pixels that output pixel i lies between."""
    at = torch.arange(new, dtype=torch.float64) * (old / new)
    left = at.floor().long().clamp(max=old - 1)
    right = (left + 1).clamp(max=old - 1)
    rows = torch.arange(new)
    weights = torch.zeros(new, old, dtype=torch.float64)
    weights.index_put_((rows, left), 1.0 - (at - left), accumulate=True)
    weights.index_put_((rows, right), at - left, accumulate=True)
    return weights


class Inception(nn.Module):
    """Bytes to what a network that takes 299 x 299 in (-1, 1) makes of them."""

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, pixels: UInt8[Tensor, "batch channels height width"]) -> Any:
        if pixels.device.type != "cpu":
            return self._seen(pixels)
        parts = [self._seen(some) for some in pixels.split(AT_ONCE)]
        if isinstance(parts[0], Tensor):
            return torch.cat(parts)
        return tuple(torch.cat(values) for values in zip(*parts, strict=True))

    def _seen(self, pixels: Tensor) -> Any:
        x = (resized(rgb(pixels).float()) - 128.0) / 128.0
        return self.network(x.contiguous(memory_format=torch.channels_last))


def load_inception(path: Path) -> Inception:
    """From weights, or from a TorchScript file that takes (n, 3, 299, 299) scaled as above and gives (n, 2048)."""
    if not path.is_file():
        raise InputError(f"{path} is no file; give the TorchScript or safetensors file of Inception-V3: inception:PATH")
    if path.suffix == ".safetensors":
        return Inception(_with_weights(path))
    if not _is_torchscript(path):
        raise StorageError(
            f"{path} is no TorchScript file (torch.jit.save) and no .safetensors. Pickles, which torch.save writes, "
            "could run any code when opened, so it was not opened"
        )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of TorchScript itself, in which the file comes
            network = torch.jit.load(path, map_location="cpu")
    except (RuntimeError, ValueError, OSError) as error:
        raise StorageError(f"{path} cannot be read as TorchScript: {str(error).splitlines()[0]}") from None
    return Inception(network.eval())


def _with_weights(path: Path) -> nn.Module:
    try:
        weights = load_file(path)
    except (OSError, SafetensorError) as error:
        raise StorageError(f"{path} is damaged, or no safetensors file: {error}") from None
    # Counters, and a second classifier that is for training alone, come with some files.
    weights = {
        name: value
        for name, value in weights.items()
        if not name.startswith("AuxLogits.") and "num_batches" not in name
    }
    with torch.device("meta"):
        network = InceptionV3()
    expected = {name: value.shape for name, value in network.state_dict().items() if "num_batches" not in name}
    given = {name: value.shape for name, value in weights.items()}
    odd = sorted(name for name in expected.keys() | given.keys() if expected.get(name) != given.get(name))
    if odd:
        raise StorageError(
            f"{path} does not hold the weights of FID's Inception-V3: it differs in {', '.join(odd[:3])}"
        )
    network.load_state_dict(weights, strict=False, assign=True)
    for part in network.modules():
        if isinstance(part, nn.BatchNorm2d):
            part.num_batches_tracked = None
    return network.requires_grad_(False).eval()


def _is_torchscript(path: Path) -> bool:
    """TorchScript archives hold their program in `code`; archives of torch.save hold a pickle and no program."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = [name.split("/")[1:] for name in archive.namelist()]
    except (zipfile.BadZipFile, OSError):
        return False
    return any(name[:1] == ["code"] for name in names) and ["data.pkl"] in names and ["constants.pkl"] in names


class _Fidelity(nn.Module):
    """torch-fidelity's loader, which downloads the weights, resizes and scales by itself."""

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, pixels: Tensor) -> tuple[Tensor, Tensor]:
        features, logits = self.network(rgb(pixels).contiguous())
        return features, logits


def load_fidelity() -> tuple[nn.Module, str]:
    """Inception-V3 with logits, by torch-fidelity; and its version."""
    try:
        import torch_fidelity
        from torch_fidelity.feature_extractor_inceptionv3 import FeatureExtractorInceptionV3
    except Exception as error:  # it imports torchvision, which fails in its own ways where it does not fit torch
        raise NoiseKernelError(
            f"features 'inception' come by torch-fidelity, which cannot be imported ({str(error).splitlines()[0]}): "
            "pip install torch-fidelity, with a torchvision that fits your torch; or give a file: inception:PATH"
        ) from None
    network = FeatureExtractorInceptionV3("inception-v3-compat", ["2048", "logits_unbiased"])
    return _Fidelity(network).eval(), str(torch_fidelity.__version__)


def named_inception(name: str, device: torch.device) -> tuple[Features, str] | None:
    """Features `inception` (by torch-fidelity) or `inception:PATH`, and what tells them from all others."""
    if name == "inception":
        network, version = load_fidelity()
        told, identity = "Inception-V3 (torch-fidelity)", f"torch-fidelity {version} {FED}"
    elif name.startswith("inception:"):
        path = Path(name.removeprefix("inception:")).expanduser()
        network = load_inception(path)
        told, identity = f"Inception-V3 ({path.name})", f"inception {digest_of_file(path)} {FED}"
    else:
        return None
    placed = network.to(device)
    return Features(lambda pixels: placed(pixels.to(device)), told), identity

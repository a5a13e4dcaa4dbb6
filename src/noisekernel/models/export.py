"""The denoiser for other programs: as a graph, (x, beta) to the parameters of r, for any batch size; or as a folder of
`diffusers`, for a model that was adopted from there.

Continuous: mean and variance. Categorical: log_probs. Rows of both: all three. With labels: (x, beta, label), the class
after the last meaning none. The file is run, or the network in the folder, and compared with the original before it is
called done.
"""

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from noisekernel import models
from noisekernel.core.categories import LOG_ZERO
from noisekernel.core.errors import InputError, NoiseKernelError
from noisekernel.core.randomness import Streams
from noisekernel.files.atomic import write_atomically
from noisekernel.models.model import Model
from noisekernel.models.way_back import write_folder
from noisekernel.networks.backbone import Backbone
from noisekernel.networks.denoiser import Denoiser
from noisekernel.networks.guided import needs_label

#: The largest difference, relative to the largest value, between the exported graph and the original.
TOLERANCE = 1e-3
#: The logarithm of a probability that is as good as none.
LEAST = -100.0


class Graph(nn.Module):
    """The denoiser with tensors in and tensors out."""

    def __init__(self, model: Model) -> None:
        super().__init__()
        assert isinstance(model.denoiser, nn.Module)
        self.denoiser, self.labelled = model.denoiser, bool(model.classes)

    def forward(self, x: Tensor, beta: Tensor, label: Tensor | None = None) -> tuple[Tensor, ...]:
        r = self.denoiser(x, beta, label) if self.labelled else self.denoiser(x, beta)
        return tuple(r.parameters.values())


def export(what: str | Path, out: Path) -> dict[str, Any]:
    """Write the graph to `out`, or a folder; returns inputs, outputs and the largest difference found.

    Args:
        what: The name of a model, its file, or the folder of a training run.
        out: A new file, .pt2 or .onnx; or a new folder, for a model with a network of diffusers.
    """
    if out.suffix not in (".pt2", ".onnx", ""):
        raise InputError(f"{out.name}: exports are .pt2 (torch.export), .onnx, or a folder (no ending) of diffusers")
    model = models.load(what, "cpu")
    if out.suffix == "":
        return write_folder(model, out)
    graph = Graph(model).eval()
    inputs = _inputs(model, 3, seed=0)
    names = ["x", "beta", "label"][: len(inputs)]
    assert isinstance(model.denoiser, Denoiser)
    with torch.no_grad():
        outputs = list(model.denoiser(*inputs).parameters)
    largest = getattr(model.denoiser.backbone, "largest_batch", Backbone.largest_batch)
    batch = torch.export.Dim("batch", min=2, max=largest)
    with torch.no_grad(), _quiet():
        program = torch.export.export(graph, inputs, dynamic_shapes=tuple({0: batch} for _ in inputs), strict=True)
    differences: list[float] = []

    def write(temporary: Path) -> None:
        with _quiet():
            pt2 = out.suffix == ".pt2"
            run = _write_pt2(program, temporary) if pt2 else _write_onnx(program, temporary, names, outputs)
        # Another batch size and other numbers than it was traced with.
        fresh = _inputs(model, 5, seed=1)
        with torch.no_grad():
            for expected, given in zip(graph(*fresh), run(fresh), strict=True):
                possible = expected > 0.1 * LOG_ZERO  # what is impossible has no logarithm to compare
                expected, given = (torch.where(possible, each, each.clamp(min=LEAST)) for each in (expected, given))
                difference = float((expected - given).abs().max())
                differences.append(difference)
                if not difference <= TOLERANCE * max(1.0, float(expected.abs().max())):  # NaN is not
                    raise NoiseKernelError(f"the exported graph differs from the original by {difference:.3g}")

    write_atomically(out, write)
    return {
        "file": str(out),
        "inputs": ", ".join(names),
        "outputs": ", ".join(outputs),
        "largest_difference": max(differences),
    }


@contextmanager
def _quiet() -> Iterator[None]:
    """torch's exporters warn of matters of their own; what matters here is compared in numbers afterwards."""
    logger = logging.getLogger("torch.onnx")
    before = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.setLevel(before)


def _inputs(model: Model, n: int, seed: int) -> tuple[Tensor, ...]:
    streams = Streams.of(seed, range(n))
    x = model.kernel.prior((n, *model.shape)).sample(streams)
    inputs = (x, torch.linspace(0.1, 0.9, n))
    rows = len(model.classes) + (not needs_label(model.denoiser))  # one more for no label
    return (*inputs, torch.arange(n) % rows) if model.classes else inputs


def _write_pt2(program: Any, path: Path) -> Any:
    # Into memory first: torch's own writer ends the process when the disk is full.
    content = BytesIO()
    torch.export.save(program, content)
    path.write_bytes(content.getbuffer())
    with open(path, "rb") as file:
        again = torch.export.load(file).module()
    return lambda inputs: again(*inputs)


def _write_onnx(program: Any, path: Path, names: list[str], outputs: list[str]) -> Any:
    try:
        import onnx
        import onnxscript  # noqa: F401
        from onnx.reference import ReferenceEvaluator
    except ImportError:
        raise NoiseKernelError("ONNX files need: pip install 'noisekernel[onnx]'; or export to .pt2") from None
    made = torch.onnx.export(program, input_names=names, output_names=outputs, dynamo=True, verbose=False)
    assert made is not None
    path.write_bytes(made.model_proto.SerializeToString())
    evaluator = ReferenceEvaluator(onnx.load(str(path)))

    def run(inputs: tuple[Tensor, ...]) -> list[Tensor]:
        fed = {name: value.numpy() for name, value in zip(names, inputs, strict=True)}
        return [torch.from_numpy(value) for value in evaluator.run(None, fed)]

    return run

"""What a recipe will cost, before it is run: parameters, memory, arithmetic. Counted on a network without weights."""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils.flop_counter import FlopCounterMode

from noisekernel.core import machine
from noisekernel.core.errors import InputError
from noisekernel.core.quantities import told_bytes
from noisekernel.kinds.base import Kind
from noisekernel.recipes.schema import Design, Recipe


@dataclass(frozen=True)
class Plan:
    """All numbers are for one process holding the whole batch; several share activations and arithmetic."""

    parameters: int
    #: Bytes for weights, gradients, Adam's two moments and the average.
    state_bytes: int
    #: Bytes of what the backward pass needs of one image.
    image_bytes: int
    batch: int
    #: Floating-point operations of one image forward.
    forward: float
    #: The same for one image trained on, forward and backward.
    training: float
    images: int

    @property
    def memory_bytes(self) -> int:
        return self.state_bytes + self.batch * self.image_bytes

    @property
    def total(self) -> float:
        """Floating-point operations of the whole run."""
        return self.training * self.images


def plan(recipe: Recipe, kind: Kind | None = None, classes: int = 0) -> Plan:
    """What `recipe` costs for data of this kind, which has been fitted (by default: as the recipe says).

    >>> from noisekernel.recipes.reading import recipe
    >>> plan(recipe("digits")).parameters
    534946
    """
    kind = recipe.data.fitted(None)[0] if kind is None else kind
    with torch.device("meta"):
        denoiser = recipe.design(kind, [str(i) for i in range(classes)]).denoiser()
        x = empty_state(kind)
        beta = torch.empty(1)
    saved: dict[int, int] = {}

    def keep(tensor: Tensor) -> Tensor:
        storage = tensor.untyped_storage()
        saved[storage._cdata] = storage.nbytes()
        return tensor

    weights = {p.untyped_storage()._cdata for p in denoiser.parameters()}
    # Tensors are held on to while counting, or their storages' identities would be used again.
    with FlopCounterMode(display=False) as counter, torch.autograd.graph.saved_tensors_hooks(keep, lambda t: t):
        result = denoiser(x, beta)
    forward = float(counter.get_total_flops())
    del result
    parameters = sum(p.numel() for p in denoiser.parameters())
    passes = recipe.objective.build().passes
    activations = sum(size for key, size in saved.items() if key not in weights)
    half = 0.5 if recipe.training.precision == "bf16" else 1.0
    return Plan(
        parameters=parameters,
        state_bytes=5 * 4 * parameters,
        image_bytes=int(activations * passes.with_gradient * half),
        batch=recipe.training.batch // recipe.training.accumulate,
        forward=forward,
        training=forward * (passes.forward + 3 * passes.with_gradient),  # a pass back costs two forward
        images=recipe.training.images,
    )


def empty_state(kind: Kind) -> Tensor:
    """A state of one sample, of the shape and dtype that networks for this kind of data take."""
    return torch.empty(1, *kind.shape, dtype=torch.int64 if kind.categorical else torch.float32)


def bytes_of_a_look(design: Design) -> int:
    """About the memory that one network call takes for each sample, without gradients."""
    largest = [0]

    def seen(module: nn.Module, given: tuple[Any, ...], out: Any) -> None:
        tensors = [each for each in (*given, out) if isinstance(each, Tensor)]
        largest[0] = max(largest[0], sum(4 * each.numel() for each in tensors))

    with torch.device("meta"):
        denoiser = design.denoiser()
        x = empty_state(design.data)
        beta = torch.empty(1)
    for module in denoiser.modules():
        module.register_forward_hook(seen)
    denoiser(x, beta)
    # What is held while another layer works, and what random numbers and states take beside it.
    return 3 * largest[0]


def check_memory(recipe: Recipe, kind: Kind, classes: int, device: torch.device, processes: int = 1) -> None:
    """Refuse a run that cannot fit the memory of `device`, which each of `processes` has for itself."""
    there = machine.memory_of(device)
    if there is None:
        return
    cost = plan(recipe, kind, classes)
    needed = cost.state_bytes + cost.batch * cost.image_bytes / processes
    if needed > there:
        raise InputError(
            f"training on {kind.described()} by this recipe takes about {told_bytes(needed)} of "
            f"memory: {told_bytes(cost.image_bytes)} for each {kind.one} of a batch of {cost.batch}, and "
            f"{told_bytes(cost.state_bytes)} for the network. There are {told_bytes(there)} ({device}). Make "
            f"the {kind.many} (data.size) or training.batch smaller, or work through each batch in parts "
            "(training.accumulate)"
        )

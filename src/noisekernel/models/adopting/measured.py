"""What is measured of an adopted model: the moments of its data, and its error by noise level."""

import torch
from torch import Tensor

from noisekernel.core.errors import InputError
from noisekernel.core.randomness import Purpose, Streams
from noisekernel.core.stepwise import Advance
from noisekernel.data.opening import Data, load_data
from noisekernel.models.model import Model
from noisekernel.networks.adopted_head import AdoptedGaussian
from noisekernel.networks.guided import needs_label
from noisekernel.tasks import synthesize

#: How many pictures the network is given at a time, and in how many steps own samples are drawn.
AT_ONCE, STEPS = 32, 50


def given(model: Model, pictures: Data, most: int) -> tuple[Tensor, Tensor | None]:
    """Pictures to measure on, and their classes where the network has to be told them."""
    loaded, _ = load_data(pictures, model.kind)
    order = torch.randperm(len(loaded), generator=torch.Generator().manual_seed(0))[:most]
    z = model.kind.encode(loaded.values[order])
    if len(z) < 2:
        raise InputError("one picture says nothing of what differs between them; give at least two")
    if not needs_label(model.denoiser):
        return z, None
    names = set(loaded.classes)
    if loaded.labels is None or bool((loaded.labels[order] < 0).any()) or not names <= set(model.classes):
        raise InputError(
            f"the network has to be told the class of every picture, and these have classes "
            f"{', '.join(sorted(names)) or 'none'}; name the network's (classes, --classes), or measure on its own "
            "samples: leave out the pictures"
        )
    return z, torch.tensor([model.classes.index(loaded.classes[int(n)]) for n in loaded.labels[order]])


def drawn(model: Model, head: AdoptedGaussian, n: int, seed: int, advance: Advance) -> tuple[Tensor, Tensor | None]:
    """Samples of the model, and their classes where it has to be told them.

    Their mean is not known yet, by which they begin. It is taken to be that of r at the highest level of the network.
    """
    labels = torch.arange(n) % len(model.classes) if needs_label(model.denoiser) else None
    highest = float(head.levels[-1])
    rows = slice(0, min(n, AT_ONCE))
    streams = Streams.of(seed, range(n)[rows], model.device, Purpose.COMPARING)
    begun = model.kernel.prior((rows.stop, *model.shape), device=model.device).sample(streams)
    told = model.labelled(None if labels is None else labels[rows], rows.stop)
    with torch.no_grad():
        head.mean.copy_(told.denoiser(begun, highest).mean.mean(dim=0))
    made = synthesize(model, n, steps=STEPS, label=labels, seed=seed, batch_size=AT_ONCE, advance=advance)
    return model.kind.encode(model.kind.decode(made.cpu())), labels


@torch.no_grad()
def errors(
    model: Model, head: AdoptedGaussian, z: Tensor, labels: Tensor | None, seed: int, advance: Advance
) -> Tensor:
    """The mean squared error of the mean of r at each level of the head."""
    found = []
    for place, beta in enumerate(head.levels.tolist()):
        total = 0.0
        for first in range(0, len(z), AT_ONCE):
            rows = slice(first, min(first + AT_ONCE, len(z)))
            own = z[rows].to(model.device)
            numbers = range(place * len(z) + first, place * len(z) + rows.stop)
            streams = Streams.of(seed, numbers, model.device, Purpose.COMPARING)
            x = model.kernel.noise(own, beta).sample(streams)
            told = model.labelled(None if labels is None else labels[rows], len(own))
            total += float((told.denoiser(x, beta).mean - own).double().square().sum())
            advance()
        found.append(total / z.numel())
    return torch.tensor(found, dtype=torch.float64)

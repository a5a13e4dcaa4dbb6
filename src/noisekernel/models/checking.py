"""Whether a model of a kind of data does everything a model does: the second half of the contract of kinds.

The first half, which needs no model, is `noisekernel.kinds.check_kind`.
"""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch

from noisekernel.kinds.checking import ContractError
from noisekernel.kinds.examples import encoded
from noisekernel.models.model import Model
from noisekernel.models.saving import load, save

#: Annealing steps: what is checked is that the verbs work, not what they draw.
STEPS = 3


def check_model(model: Model, items: Sequence[Any]) -> None:
    """Check that a model draws, varies, fills in, walks, is saved and is loaded again.

    Args:
        model: A model of the kind; two steps of training are enough.
        items: Examples of the kind, of which three are used.

    Raises:
        ContractError: A sentence that says what did not work.

    >>> import noisekernel as nk
    >>> check_model(nk.load("digits"), nk.data.open_source("digits").values)
    """
    with TemporaryDirectory() as folder:
        save(model, Path(folder))
        again = load(folder)
    if (again.kind, again.shape) != (model.kind, model.shape):
        raise ContractError(f"a model of {model.kind.described()} is loaded as one of {again.kind.described()}")
    z = encoded(again.kind, [items[i] for i in range(3)], [f"item {i}" for i in range(3)])
    mask = again.kind.masks(1, 0.5, len(z))
    filled = again.fill(z, mask, 2, steps=STEPS)
    kept = ~mask[:, None].expand_as(filled)
    if not torch.equal(filled[kept], z[:, None].expand_as(filled)[kept]):
        raise ContractError("fill: what was to be kept is not kept bit by bit")
    walk = again.walk(z, steps=STEPS)
    walk.step()
    made = {
        "sample": again.sample(2, steps=STEPS),
        "vary": again.vary(z, 2, below=0.3, steps=STEPS),
        "equilibrate": again.equilibrate(z, 2, beta=0.3, steps=STEPS),
        "fill": filled,
        "walk": walk.clean,
    }
    for verb, found in made.items():
        again.kernel.check_data(found.reshape(-1, *again.shape))
        drawn = again.draw(found)
        if len(drawn) != found.numel() // z[0].numel():
            raise ContractError(f"{verb}: {len(drawn)} objects are drawn of {found.numel() // z[0].numel()} samples")

"""What commands write that make several results of each example: the results, an overview, and a manifest."""

from collections.abc import Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from types import MappingProxyType
from typing import Any

import torch
from torch import Tensor

from noisekernel.kinds.examples import Given
from noisekernel.kinds.record import Record
from noisekernel.models.model import Model


def write_results(
    folder: Path,
    model: Model,
    how: Mapping[str, Any],
    given: Given,
    results: Tensor,
    *,
    numbered: str,
    masks: Tensor | None = None,
    inputs: Sequence[Path] = (),
    beside: Mapping[str, str] = MappingProxyType({}),
) -> Path:
    """Write the results of each example, of shape (examples, n, *shape), and return the path of the overview.

    The overview has one row per example: first the example, then, with `masks`, what was seen of it, then its results.
    The manifest says `how` they were made, and numbers the results of an example by the word `numbered`. `inputs` are
    files to leave alone. `beside` are texts about the results, by the names of the files that they go into.
    """
    n = results.shape[1]
    names = [[f"{name}-{k:02d}" for k in range(n)] for name in given.names]
    # Examples of which nothing is hidden are not made anew, and take no numbers of samples.
    drawn = [True] * len(given.names) if masks is None else masks.flatten(1).any(dim=1).tolist()
    before = [0, *accumulate(drawn)]
    made = {
        name: {
            **how,
            "example": i,
            "source": given.sources[i],
            numbered: k,
            "sample": before[i] * n + k if drawn[i] else None,
        }
        for i, own in enumerate(names)
        for k, name in enumerate(own)
    }
    record = Record(folder, model.kind, how, made, others=list(beside), inputs=[*given.files, *inputs])
    rows, hidden = [], []
    for i, those in enumerate(names):
        stored, lost = given.values[i : i + 1], None if masks is None else masks[i : i + 1]
        values = model.kind.decode(results[i])
        many = None if lost is None else lost.expand(n, *model.shape)
        values = model.kind.kept(values, stored.expand(n, *stored.shape[1:]), many)
        record.write(values, those)
        own = model.kind.kept(model.kind.decode(given.z[i : i + 1]), stored)
        rows += [own, *([own] if masks is not None else []), values]
        if masks is not None:
            none = torch.zeros(1 + n, *model.shape, dtype=torch.bool)
            hidden += [none[:1], masks[i : i + 1], none[1:]]
    columns = n + 1 + (masks is not None)
    sheet = record.sheet("sheet", torch.cat(rows), columns, torch.cat(hidden) if hidden else None)
    for name, text in beside.items():
        record.other(name, text)
    record.finish()
    return sheet

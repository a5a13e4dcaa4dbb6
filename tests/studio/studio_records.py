"""Records of rounds, and what is known of their nodes, without a store."""

from dataclasses import dataclass, field
from typing import Any

import torch

from noisekernel.core.stepwise import finished
from noisekernel.studio.rounds import TASKS

WEIGHTS = "0" * 64


@dataclass
class Loose:
    """Nodes by their ids: clean data, and how they came about, if they did."""

    z: dict[str, torch.Tensor] = field(default_factory=dict)
    made: dict[str, tuple[dict[str, Any], int]] = field(default_factory=dict)

    def clean_of(self, ids):
        return torch.stack([self.z[id] for id in ids])

    def came_of(self, id):
        return self.made.get(id)


def begun(model, one, known):
    """A round under way."""
    return finished(TASKS[one["task"]].beginning(model, one, known))


def record(task, settings, seed, n, parents, judged=None, weights=WEIGHTS):
    """A round from these clean data, none of which came of a round, and what is known."""
    known = Loose({} if parents is None else {f"parent {i}": z for i, z in enumerate(parents)})
    ids = list(known.z)
    if judged is not None:
        known.z |= dict(zip(settings["opinions"], judged, strict=True))
    made = {"weights": weights}
    return {"task": task, "settings": settings, "seed": seed, "n": n, "parents": ids, "made": made}, known

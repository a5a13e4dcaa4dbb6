"""What stands in a design file, field by field, and how large it may be."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import torch
from pydantic import AfterValidator, Field
from torch import Tensor

from noisekernel.core.settings import Strict
from noisekernel.models.model import Model
from noisekernel.studio.rounds import Task, task_of
from noisekernel.studio.rounds.fields import MOST_CANDIDATES, MOST_SEED, Id, Name
from noisekernel.studio.rounds.record import Round, damaged

FORMAT = 4
SUFFIX = ".nkd"
RECORD, DATA = "design.json", "z.safetensors"
#: Of the whole, and of its parts when they are unpacked.
MOST_FILE_BYTES = 64_000_000
MOST_BYTES = {RECORD: 20_000_000, DATA: 200_000_000}

Digest = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
Text = Annotated[str, Field(max_length=200)]


class Made(Strict):
    """What the bits of a round depend on beside its settings."""

    noisekernel: Text
    torch: Text
    threads: Annotated[int, Field(ge=1, le=1024)]
    #: Rounds from before streams had versions say nothing.
    streams: int | None = None
    model: Text
    weights: Digest


class RoundRecord(Strict):
    id: Id
    task: Annotated[Text, AfterValidator(lambda name: task_of(name).name)]
    settings: dict[str, Any]
    seed: Annotated[int, Field(ge=0, le=MOST_SEED)]
    parents: Annotated[list[Id], Field(max_length=MOST_CANDIDATES)]
    n: Annotated[int, Field(ge=1, le=MOST_CANDIDATES)]
    made: Made

    def of(self) -> Task:
        """The task itself."""
        return task_of(self.task)

    def checked(self) -> Round:
        """The round, with settings held to what a request may say."""
        one = self.model_dump()
        return {**one, "settings": self.of().checked(one)}


class NodeRecord(Strict):
    id: Id
    parent: Id | None
    round: Id | None
    place: Annotated[int, Field(ge=0, le=2**31)]
    settings: dict[str, Any]
    digest: Digest
    kept: bool
    starred: bool
    opinion: Annotated[int, Field(ge=-1, le=1)]
    name: Name
    deleted: bool


class DesignRecord(Strict):
    format: int
    noisekernel: Text
    name: Name
    model: Text
    present: Id | None
    rounds: Annotated[list[RoundRecord], Field(max_length=100_000)]
    nodes: Annotated[list[NodeRecord], Field(max_length=1_000_000)]

    def by_round(self) -> dict[str | None, list[NodeRecord]]:
        """The nodes of each round, by its id; those of none are origins."""
        found: dict[str | None, list[NodeRecord]] = {}
        for node in self.nodes:
            found.setdefault(node.round, []).append(node)
        return found


@dataclass(frozen=True)
class DesignFile:
    """A design file, read and found consistent; not yet replayed."""

    record: DesignRecord
    z: Mapping[str, Tensor]

    @property
    def model(self) -> str:
        """What the model is loaded by: the name that its rounds were made under, which leaves out a length."""
        rounds = self.record.rounds
        return rounds[0].made.model if rounds else self.record.model

    def spanning(self, model: Model) -> Model:
        """This model for examples as long as those of the file, if it can be of any length."""
        lengths = {z.shape[-1] for z in self.z.values() if z.ndim == len(model.shape)}
        longer = model.kind.window is not None and len(lengths) == 1 and max(lengths) > model.shape[-1]
        return model.spanning(model.kind.spanned(max(lengths))) if longer else model

    def check(self, model: Model) -> None:
        """That the data of every node may be those of an example of this model."""
        for node in self.record.nodes:
            z = self.z[node.id]
            model.kind.check_range(z, f"the design file is damaged: node {node.id}")
            model.check_batch(z[None], f"node {node.id}")
            if z.dtype != (torch.float32 if z.is_floating_point() else torch.int64):
                raise damaged(f"node {node.id} holds numbers of type {z.dtype}")

"""A design file as a new design of a studio."""

from typing import Any

from noisekernel.files.digest import digest
from noisekernel.models.model import Model
from noisekernel.studio.design_file.record import DesignFile
from noisekernel.studio.ids import new_id
from noisekernel.studio.rounds.record import damaged
from noisekernel.studio.store import Row, Store


def take_in(store: Store, file: DesignFile, model: Model, name: str, weights: str | None = None) -> Row:
    """A design file as a new design: every node as it is in the file, if its digest agrees."""
    record, by_round = file.record, file.record.by_round()
    file.check(model)
    for node in record.nodes:
        if digest(file.z[node.id]) != node.digest:
            raise damaged(f"node {node.id} is not what its digest names")
    new = {id: new_id() for id in (*(node.id for node in record.nodes), *(one.id for one in record.rounds))}
    settings: dict[str, dict[str, Any]] = {node.id: {"origin": "file"} for node in by_round.get(None, [])}
    for one in record.rounds:
        settings[one.id] = one.of().renamed(one.checked()["settings"], new)
        settings |= {node.id: one.of().own(node.settings) for node in by_round.get(one.id, [])}
    return store.take_in(record, file.z, settings, new, name, weights)

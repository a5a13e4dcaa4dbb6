"""The store of a studio: designs, rounds and nodes together."""

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from noisekernel.studio.ids import new_id
from noisekernel.studio.store.database import Row, insert, written
from noisekernel.studio.store.designs import Designs
from noisekernel.studio.store.rounds import Rounds

if TYPE_CHECKING:
    from noisekernel.studio.design_file import DesignRecord, NodeRecord, RoundRecord


class Store(Designs, Rounds):
    """All designs of a folder. Safe to use from any thread."""

    def came_of(self, id: str) -> tuple[Row, int] | None:
        """The round that a node came of and its place there; None for an origin."""
        node = self.node(id, deleted=True)
        return None if node["round"] is None else (self.round(node["round"]), node["place"])

    def recover(self) -> int:
        """After a killed server: rounds that it left are interrupted, half-written files go. How many rounds?"""
        self.objects.remove_unfinished()
        with self._writing() as db:
            return db.execute("UPDATE rounds SET state = 'interrupted' WHERE state IN ('waiting', 'running')").rowcount

    def sound(self) -> bool:
        """Does the database pass SQLite's own check, and is every file there that a row names?"""
        checked = self._all("PRAGMA integrity_check")
        named = self._all("SELECT DISTINCT object FROM nodes")
        return [*checked[0].values()] == ["ok"] and all(self.objects.path(row["object"]).exists() for row in named)

    def take_in(
        self,
        record: "DesignRecord",
        z: Mapping[str, Tensor],
        settings: Mapping[str, Mapping[str, Any]],
        new: Mapping[str, str],
        name: str,
        weights: str | None = None,
    ) -> Row:
        """A design from a file, under new ids, in one go.

        `settings` are those of its rounds, with new ids in them, and those of its nodes that are their own.
        """
        design, now = new_id(), time.time()
        object = self.objects.put(torch.stack([z[node.id] for node in record.nodes])) if record.nodes else ""
        shared = {"design": design, "created": now}
        with self._writing() as db:
            whole = {"id": design, "name": name or "Untitled", "model": record.model, "created": now, "updated": now}
            insert(db, "designs", {**whole, "present": new.get(record.present or ""), "weights": weights})
            insert(db, "rounds", *({**shared, **_round(one, settings[one.id], new)} for one in record.rounds))
            rows = enumerate(record.nodes)
            nodes = ({"row": row, "object": object, **_node(each, settings[each.id], new)} for row, each in rows)
            # What was deleted in the file is marked by the design that it came in with.
            insert(db, "nodes", *({**shared, **node, "deleted": design if node["deleted"] else None} for node in nodes))
        return self.design(design)


def _round(one: "RoundRecord", settings: Mapping[str, Any], new: Mapping[str, str]) -> Row:
    told = {"settings": settings, "parents": [new[id] for id in one.parents], "made": one.made.model_dump()}
    plain = {"id": new[one.id], "task": one.task, "seed": one.seed, "n": one.n, "state": "done"}
    return {**plain, **{key: written(value) for key, value in told.items()}}


def _node(node: "NodeRecord", settings: Mapping[str, Any], new: Mapping[str, str]) -> Row:
    came = {"parent": new.get(node.parent or ""), "round": new.get(node.round or ""), "place": node.place}
    said = {"kept": int(node.kept), "starred": int(node.starred), "opinion": node.opinion, "name": node.name}
    data = {"digest": node.digest, "settings": written(settings), "deleted": node.deleted}
    return {"id": new[node.id], **came, **said, **data}

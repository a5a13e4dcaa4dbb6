"""Nodes: the samples of a design, made by rounds or brought in, and what a person said of them."""

import json
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from torch import Tensor

from noisekernel.core.errors import InputError, MissingError
from noisekernel.files.digest import digest
from noisekernel.studio.ids import new_id
from noisekernel.studio.store.database import Database, Row, insert, update, written

_NODES = """SELECT nodes.*, rounds.task AS task, rounds.settings AS shared, coalesce(rounds.seed, 0) AS seed
            FROM nodes LEFT JOIN rounds ON rounds.id = nodes.round"""
_STARTED_FROM = "SELECT 1 FROM rounds, json_each(rounds.parents) AS each WHERE rounds.design = ? AND each.value = ?"
_PARENTS_AT_WORK = """SELECT each.value AS parent FROM rounds, json_each(rounds.parents) AS each
    WHERE rounds.design = ? AND rounds.state IN ('waiting', 'running')"""
_DESCENDANTS = """WITH RECURSIVE below(id) AS (
    VALUES (?) UNION SELECT nodes.id FROM nodes JOIN below ON nodes.parent = below.id)
    SELECT nodes.id FROM nodes JOIN below ON nodes.id = below.id WHERE nodes.deleted IS NULL ORDER BY nodes.number"""


class Nodes(Database):
    """The nodes of all designs."""

    def add_nodes(
        self,
        design: str,
        z: Tensor,
        settings: Sequence[Mapping[str, Any]],
        parents: Sequence[str | None],
        *,
        round: str | None = None,
        places: Sequence[int] | None = None,
        kept: bool = False,
        done: bool = False,
    ) -> list[Row]:
        """Put a batch of clean data into a design; with `done`, in the same moment its round is done."""
        object = self.objects.put(z)
        places = range(len(z)) if places is None else places
        ids = [new_id() for _ in places]
        with self._writing() as db:
            now = time.time()
            shared = {"design": design, "round": round, "object": object, "created": now, "kept": int(kept)}
            each = [
                {
                    "id": id,
                    "parent": parent,
                    "place": place,
                    "row": row,
                    "settings": written(own),
                    "digest": digest(z[row]),
                }
                for row, (id, parent, place, own) in enumerate(zip(ids, parents, places, settings, strict=True))
            ]
            insert(db, "nodes", *({**shared, **own} for own in each))
            if done:
                update(db, "rounds", str(round), state="done", detail=None)
            update(db, "designs", design, updated=now)
        return self.nodes(ids)

    def node(self, id: str, *, deleted: bool = False) -> Row:
        found = self.nodes([id])
        if not found or (found[0]["deleted"] and not deleted):
            raise MissingError("there is no such node; it may have been deleted")
        return found[0]

    def nodes(self, ids: Iterable[str]) -> list[Row]:
        """These nodes, deleted ones too, in this order; those that do not exist are left out."""
        ids = list(ids)
        found = {}
        for first in range(0, len(ids), 500):
            some = ids[first : first + 500]
            marks = ", ".join("?" * len(some))
            for row in self._all(f"{_NODES} WHERE nodes.id IN ({marks})", *some):
                found[row["id"]] = _read(row)
        return [found[id] for id in ids if id in found]

    def nodes_of(self, design: str, *, round: str | None = None, everything: bool = False) -> list[Row]:
        """The kept nodes of a design and the candidates of one round; or all there are, deleted ones too."""
        which = "1" if everything else "nodes.deleted IS NULL AND (nodes.kept OR nodes.round IS ?)"
        given = () if everything else (round or "",)
        rows = self._all(f"{_NODES} WHERE nodes.design = ? AND {which} ORDER BY nodes.number", design, *given)
        return [_read(row) for row in rows]

    def nodes_of_round(self, round: str) -> list[Row]:
        return [_read(row) for row in self._all(f"{_NODES} WHERE nodes.round = ? ORDER BY nodes.place", round)]

    def clean(self, nodes: Sequence[Row]) -> Tensor:
        """The clean data of nodes, as a batch."""
        return self.objects.rows(nodes)

    def clean_of(self, ids: Sequence[str]) -> Tensor:
        """The same, by their ids."""
        return self.clean(self.nodes(ids))

    def change_node(self, id: str, **changes: Any) -> Row:
        """Set kept, starred, name or opinion. Whatever is starred, named or judged is kept.

        A node that a round started from stays kept, whatever is said: what came of it hangs on it.
        """
        node = self.node(id)
        merged = {**node, **changes}
        if merged["starred"] or merged["name"] or merged["opinion"]:
            if changes.get("kept") is False:
                raise InputError("a node with a star, a name or an opinion is kept; take those away first")
            changes["kept"] = True
        with self._writing() as db:
            if changes.get("kept") is False and db.execute(_STARTED_FROM, (node["design"], id)).fetchone():
                changes["kept"] = True
            update(db, "nodes", id, **{k: int(v) if isinstance(v, bool) else v for k, v in changes.items()})
            update(db, "designs", node["design"], updated=time.time())
        return self.node(id)

    def delete_node(self, id: str) -> list[str]:
        """Hide a node and all that came of it; `restore_node` brings the same back. The ids of all.

        Refused while a round starts from one of them: its candidates would come without their parent.
        """
        design = self.node(id)["design"]
        mark = new_id()  # what was deleted together comes back together
        with self._writing() as db:
            gone = [row["id"] for row in db.execute(_DESCENDANTS, (id,))]
            if {row["parent"] for row in db.execute(_PARENTS_AT_WORK, (design,))} & {*gone}:
                raise InputError(
                    "a round from this node, or from one that came of it, is under way; cancel it or wait for its "
                    "end before you delete"
                )
            db.executemany("UPDATE nodes SET deleted = ? WHERE id = ? AND deleted IS NULL", [(mark, g) for g in gone])
            db.execute(
                "UPDATE designs SET present = NULL WHERE id = ? AND present IN (SELECT id FROM nodes WHERE "
                "deleted IS NOT NULL)",
                (design,),
            )
            update(db, "designs", design, updated=time.time())
        return gone

    def restore_node(self, id: str) -> list[Row]:
        node = self.node(id, deleted=True)
        mark = node["deleted"]
        if mark is None:
            return [node]
        with self._writing() as db:
            back = [row["id"] for row in db.execute("SELECT id FROM nodes WHERE deleted = ? ORDER BY number", (mark,))]
            db.execute("UPDATE nodes SET deleted = NULL WHERE deleted = ?", (mark,))
            update(db, "designs", node["design"], updated=time.time())
        return self.nodes(back)


def _read(row: Row) -> Row:
    flags = {key: bool(row[key]) for key in ("kept", "starred")}
    own = json.loads(row["settings"])
    settings = {**json.loads(row.pop("shared") or "{}"), **own}
    return {**row, **flags, "own": own, "settings": settings, "task": row["task"] or own["origin"]}

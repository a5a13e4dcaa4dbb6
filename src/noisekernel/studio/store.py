"""Designs on the disk: what a person chose is never lost.

SQLite holds designs, rounds and nodes; clean data lies beside it, one file a round, named by its hash. A file is on the
disk before the row that names it is committed, and a commit is on the disk before anyone is told of it (WAL with
synchronous=FULL). So whoever is killed at any moment leaves at worst a file that no row names.

    design     a name, a model (and the sha256 of its weights, if that is known), the node that is present
    round      a task with its settings, seed and parents, and its state
    node       one picture: candidate `place` of a round, or an origin (an upload, an example)

A node holds the settings that are its own (an origin, a place in a walk); those of its round are joined to them when it
is read. A round's candidates are all nodes; those that a person touched (chose, starred, named, judged) are `kept`.
"""

import json
import secrets
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from noisekernel.core.errors import InputError, MissingError, StorageError
from noisekernel.files.atomic import remove_unfinished
from noisekernel.files.digest import digest
from noisekernel.files.formats import read_tensors, write_tensors

if TYPE_CHECKING:
    from noisekernel.studio.files import DesignRecord, NodeRecord

#: What a round can be: the last four are its ends. A killed server's rounds are `interrupted` when the next one starts.
STATES = ("waiting", "running", "done", "cancelled", "failed", "interrupted")
#: Those from which a round can be run again.
ENDED_BADLY = ("cancelled", "failed", "interrupted")

SCHEMA = """
CREATE TABLE IF NOT EXISTS designs (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, model TEXT NOT NULL, created REAL NOT NULL, updated REAL NOT NULL,
    present TEXT, deleted INTEGER NOT NULL DEFAULT 0, weights TEXT
) STRICT;
CREATE TABLE IF NOT EXISTS rounds (
    number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, design TEXT NOT NULL REFERENCES designs(id),
    task TEXT NOT NULL, settings TEXT NOT NULL, seed INTEGER NOT NULL, parents TEXT NOT NULL, n INTEGER NOT NULL,
    state TEXT NOT NULL, detail TEXT, made TEXT NOT NULL, created REAL NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS nodes (
    number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, design TEXT NOT NULL REFERENCES designs(id),
    parent TEXT, round TEXT REFERENCES rounds(id), place INTEGER NOT NULL, settings TEXT NOT NULL,
    object TEXT NOT NULL, row INTEGER NOT NULL, digest TEXT NOT NULL, created REAL NOT NULL,
    kept INTEGER NOT NULL DEFAULT 0, starred INTEGER NOT NULL DEFAULT 0, opinion INTEGER NOT NULL DEFAULT 0,
    name TEXT NOT NULL DEFAULT '', deleted TEXT
) STRICT;
CREATE INDEX IF NOT EXISTS nodes_by_design ON nodes(design);
CREATE INDEX IF NOT EXISTS nodes_by_round ON nodes(round);
CREATE INDEX IF NOT EXISTS rounds_by_design ON rounds(design);
"""

Row = dict[str, Any]


class Store:
    """All designs of a folder. Safe to use from any thread."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.objects = folder / "objects"
        self.objects.mkdir(parents=True, exist_ok=True)
        self._lock = RLock()
        self._db = sqlite3.connect(folder / "studio.sqlite", check_same_thread=False, isolation_level=None)
        self._db.row_factory = sqlite3.Row
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "busy_timeout=10000"):
            self._db.execute(f"PRAGMA {pragma}")
        self._db.executescript(SCHEMA)
        if "weights" not in {row["name"] for row in self._all("PRAGMA table_info(designs)")}:
            self._db.execute("ALTER TABLE designs ADD COLUMN weights TEXT")  # a folder of an earlier version
        # So is one in which walks have a strength.
        renamed = "settings = replace(settings, '\"strength\":', '\"pace\":')"
        self._db.execute(f"UPDATE rounds SET {renamed} WHERE task = 'walk' AND settings LIKE '%\"strength\":%'")
        self._db.execute(f'UPDATE nodes SET {renamed} WHERE settings LIKE \'%"segments":%"strength":%\'')

    def recover(self) -> int:
        """After a killed server: rounds that it left are interrupted, half-written files go. How many rounds?"""
        for inner in self.objects.iterdir():
            remove_unfinished(inner)
        with self._writing() as db:
            return db.execute("UPDATE rounds SET state = 'interrupted' WHERE state IN ('waiting', 'running')").rowcount

    def close(self) -> None:
        with self._lock:
            self._db.close()

    def sound(self) -> bool:
        """Does the database pass SQLite's own check, and is every file there that a row names?"""
        checked = self._all("PRAGMA integrity_check")
        named = self._all("SELECT DISTINCT object FROM nodes")
        return [*checked[0].values()] == ["ok"] and all(self._path(row["object"]).exists() for row in named)

    # Designs ----------------------------------------------------------------------------------------------------------

    def new_design(self, name: str, model: str, weights: str | None = None) -> Row:
        design = new_id()
        with self._writing() as db:
            now = time.time()
            db.execute(
                "INSERT INTO designs (id, name, model, created, updated, weights) VALUES (?, ?, ?, ?, ?, ?)",
                (design, name, model, now, now, weights),
            )
        return self.design(design)

    def design(self, design: str, *, deleted: bool = False) -> Row:
        """One design; a deleted one only if that is asked for."""
        found = self._all("SELECT * FROM designs WHERE id = ?", design)
        if not found or (found[0]["deleted"] and not deleted):
            raise MissingError("there is no such design; it may have been deleted")
        return found[0]

    def designs(self, offset: int = 0, limit: int = 100) -> list[Row]:
        """Those last worked on first, each with the number of its kept nodes and one of them to show."""
        return self._all(
            """SELECT designs.*,
                 (SELECT count(*) FROM nodes WHERE design = designs.id AND kept AND deleted IS NULL) AS nodes,
                 coalesce(
                   (SELECT id FROM nodes WHERE id = designs.present AND deleted IS NULL),
                   (SELECT id FROM nodes WHERE design = designs.id AND kept AND deleted IS NULL
                    ORDER BY starred DESC, number DESC LIMIT 1)) AS thumb
               FROM designs WHERE NOT deleted ORDER BY updated DESC, rowid DESC LIMIT ? OFFSET ?""",
            limit,
            offset,
        )

    def change_design(self, design: str, **changes: Any) -> Row:
        """Set name, present (a node of it) or deleted."""
        deleted = bool(self.design(design, deleted=True)["deleted"])
        if deleted and "deleted" not in changes:
            self.design(design)
        present = changes.get("present")
        if present is not None and self.node(present)["design"] != design:
            raise InputError("the present node has to be one of this design")
        with self._writing() as db:
            if present is not None:
                db.execute("UPDATE nodes SET kept = 1 WHERE id = ?", (present,))
            self._set(db, "designs", design, {**changes, "updated": time.time()})
        return self.design(design, deleted=True)

    # Rounds -----------------------------------------------------------------------------------------------------------

    def new_round(
        self,
        design: str,
        task: str,
        settings: Mapping[str, Any],
        seed: int,
        parents: Sequence[str],
        n: int,
        made: Mapping[str, Any],
        state: str = "waiting",
    ) -> Row:
        """A round that is to be run. Its parents were chosen by that, so they are kept."""
        new = new_id()
        with self._writing() as db:
            _check_parents(db, parents)
            now = time.time()
            db.execute(
                """INSERT INTO rounds (id, design, task, settings, seed, parents, n, state, made, created)
                   VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
                (new, design, task, _json(settings), seed, _json(parents), n, state, _json(made), now),
            )
            db.executemany("UPDATE nodes SET kept = 1 WHERE id = ?", [(parent,) for parent in parents])
            self._set(db, "designs", design, {"updated": now})
        return self.round(new)

    def round(self, id: str) -> Row:
        found = self._all("SELECT * FROM rounds WHERE id = ?", id)
        if not found:
            raise MissingError("there is no such round")
        return _read_round(found[0])

    def rounds(self, design: str) -> list[Row]:
        """In the order they were asked for: a round's parents are of rounds before it."""
        return [_read_round(row) for row in self._all("SELECT * FROM rounds WHERE design = ? ORDER BY number", design)]

    def set_round(self, id: str, **changes: Any) -> None:
        """Set state, detail, settings or made."""
        written = {key: _json(value) if key in ("settings", "made") else value for key, value in changes.items()}
        with self._writing() as db:
            self._set(db, "rounds", id, written)

    def reopen_round(self, id: str, made: Mapping[str, Any]) -> bool:
        """Have a round wait again that did not end well. False if it is no such round (any more)."""
        parents = self.round(id)["parents"]
        with self._writing() as db:
            _check_parents(db, parents)
            changed = db.execute(
                "UPDATE rounds SET state = 'waiting', detail = NULL, made = ? WHERE id = ? AND state IN (?, ?, ?)",
                (_json(made), id, *ENDED_BADLY),
            )
            return changed.rowcount == 1

    # Nodes ------------------------------------------------------------------------------------------------------------

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
        object = self.put(z)
        places = range(len(z)) if places is None else places
        ids = [new_id() for _ in places]
        with self._writing() as db:
            now = time.time()
            db.executemany(
                """INSERT INTO nodes (id, design, parent, round, place, settings, object, row, digest, created, kept)
                   VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
                [
                    (id, design, parent, round, place, _json(own), object, row, digest(z[row]), now, int(kept))
                    for row, (id, parent, place, own) in enumerate(zip(ids, parents, places, settings, strict=True))
                ],
            )
            if done:
                self._set(db, "rounds", str(round), {"state": "done", "detail": None})
            self._set(db, "designs", design, {"updated": now})
        return self.nodes(ids)

    def take_in(
        self,
        record: "DesignRecord",
        z: Mapping[str, Tensor],
        settings: Mapping[str, Mapping[str, Any]],
        new: Mapping[str, str],
        name: str,
        weights: str | None = None,
    ) -> Row:
        """A design from a file, under new ids, in one go. `settings` are those of its rounds, with new ids in them."""
        design = new_id()
        object = self.put(torch.stack([z[node.id] for node in record.nodes])) if record.nodes else ""
        with self._writing() as db:
            now = time.time()
            db.execute(
                """INSERT INTO designs (id, name, model, created, updated, present, weights)
                   VALUES (?, ?, ?, ?, ?, ?, ?)""",
                (design, name or "Untitled", record.model, now, now, new.get(record.present or ""), weights),
            )
            db.executemany(
                """INSERT INTO rounds (id, design, task, settings, seed, parents, n, state, made, created)
                   VALUES (?, ?, ?, ?, ?, ?, ?, 'done', ?, ?)""",
                [
                    (
                        new[one.id],
                        design,
                        one.task,
                        _json(settings[one.id]),
                        one.seed,
                        _json([new[parent] for parent in one.parents]),
                        one.n,
                        _json(one.made.model_dump()),
                        now,
                    )
                    for one in record.rounds
                ],
            )
            db.executemany(
                """INSERT INTO nodes (id, design, parent, round, place, settings, object, row, digest, created, kept,
                   starred, opinion, name, deleted) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
                [
                    (
                        new[node.id],
                        design,
                        new.get(node.parent or ""),
                        new.get(node.round or ""),
                        node.place,
                        _json(_own(node)),
                        object,
                        row,
                        node.digest,
                        now,
                        int(node.kept),
                        int(node.starred),
                        node.opinion,
                        node.name,
                        design if node.deleted else None,
                    )
                    for row, node in enumerate(record.nodes)
                ],
            )
        return self.design(design)

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
                found[row["id"]] = _read_node(row)
        return [found[id] for id in ids if id in found]

    def nodes_of(self, design: str, *, round: str | None = None, everything: bool = False) -> list[Row]:
        """The kept nodes of a design and the candidates of one round; or all there are, deleted ones too."""
        which = "1" if everything else "nodes.deleted IS NULL AND (nodes.kept OR nodes.round IS ?)"
        given = () if everything else (round or "",)
        rows = self._all(f"{_NODES} WHERE nodes.design = ? AND {which} ORDER BY nodes.number", design, *given)
        return [_read_node(row) for row in rows]

    def nodes_of_round(self, round: str) -> list[Row]:
        rows = self._all(f"{_NODES} WHERE nodes.round = ? ORDER BY nodes.place", round)
        return [_read_node(row) for row in rows]

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
            self._set(db, "nodes", id, {k: int(v) if isinstance(v, bool) else v for k, v in changes.items()})
            self._set(db, "designs", node["design"], {"updated": time.time()})
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
                    "a round from this picture, or from one that came of it, is under way; cancel it or wait for its "
                    "end before you delete"
                )
            db.executemany("UPDATE nodes SET deleted = ? WHERE id = ? AND deleted IS NULL", [(mark, g) for g in gone])
            db.execute(
                "UPDATE designs SET present = NULL WHERE id = ? AND present IN (SELECT id FROM nodes WHERE "
                "deleted IS NOT NULL)",
                (design,),
            )
            self._set(db, "designs", design, {"updated": time.time()})
        return gone

    def restore_node(self, id: str) -> list[Row]:
        node = self.node(id, deleted=True)
        mark = node["deleted"]
        if mark is None:
            return [node]
        with self._writing() as db:
            back = [row["id"] for row in db.execute("SELECT id FROM nodes WHERE deleted = ? ORDER BY number", (mark,))]
            db.execute("UPDATE nodes SET deleted = NULL WHERE deleted = ?", (mark,))
            self._set(db, "designs", node["design"], {"updated": time.time()})
        return self.nodes(back)

    # Clean data -------------------------------------------------------------------------------------------------------

    def put(self, z: Tensor) -> str:
        """A batch of clean data to the disk; its name there is its hash."""
        name = digest(z)
        path = self._path(name)
        if not path.exists():
            with self._lock:  # two threads with the same data would share a temporary file
                write_tensors(path, {"z": z}, {"digest": name})
        return name

    def clean(self, nodes: Sequence[Row]) -> Tensor:
        """The clean data of nodes, as a batch."""
        read: dict[str, Tensor] = {}
        for node in nodes:
            if node["object"] not in read:
                read[node["object"]] = read_tensors(self._path(node["object"]))[0]["z"]
        return torch.stack([read[node["object"]][node["row"]] for node in nodes])

    def clean_of(self, ids: Sequence[str]) -> Tensor:
        """The same, by their ids."""
        return self.clean(self.nodes(ids))

    def came_of(self, id: str) -> tuple[Row, int] | None:
        """The round that a node came of and its place there; None for an origin."""
        node = self.node(id, deleted=True)
        return None if node["round"] is None else (self.round(node["round"]), node["place"])

    def _path(self, name: str) -> Path:
        return self.objects / name[:2] / f"{name}.safetensors"

    # SQL --------------------------------------------------------------------------------------------------------------

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction: all of it, or nothing."""
        with self._lock:
            try:
                self._db.execute("BEGIN IMMEDIATE")
                yield self._db
                self._db.execute("COMMIT")
            except BaseException as error:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                if isinstance(error, sqlite3.Error):  # a full disk, most of all
                    raise StorageError(f"{self.folder / 'studio.sqlite'} cannot be written: {error}") from error
                raise

    def _all(self, query: str, *given: Any) -> list[Row]:
        with self._lock:
            return [dict(row) for row in self._db.execute(query, given)]

    @staticmethod
    def _set(db: sqlite3.Connection, table: str, id: str, changes: Mapping[str, Any]) -> None:
        columns = ", ".join(f"{column} = ?" for column in changes)
        db.execute(f"UPDATE {table} SET {columns} WHERE id = ?", (*changes.values(), id))


_NODES = """SELECT nodes.*, rounds.task AS task, rounds.settings AS shared, coalesce(rounds.seed, 0) AS seed
            FROM nodes LEFT JOIN rounds ON rounds.id = nodes.round"""
_STARTED_FROM = "SELECT 1 FROM rounds, json_each(rounds.parents) AS each WHERE rounds.design = ? AND each.value = ?"
_PARENTS_AT_WORK = """SELECT each.value AS parent FROM rounds, json_each(rounds.parents) AS each
    WHERE rounds.design = ? AND rounds.state IN ('waiting', 'running')"""
_DESCENDANTS = """WITH RECURSIVE below(id) AS (
    VALUES (?) UNION SELECT nodes.id FROM nodes JOIN below ON nodes.parent = below.id)
    SELECT nodes.id FROM nodes JOIN below ON nodes.id = below.id WHERE nodes.deleted IS NULL ORDER BY nodes.number"""


def new_id() -> str:
    """A name that nobody has, or can guess."""
    return secrets.token_hex(8)


def _check_parents(db: sqlite3.Connection, parents: Sequence[str]) -> None:
    """That none of these nodes is deleted."""
    for parent in parents:
        if db.execute("SELECT 1 FROM nodes WHERE id = ? AND deleted IS NOT NULL", (parent,)).fetchone():
            raise MissingError("a picture that this round starts from was deleted; restore it first")


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _own(node: "NodeRecord") -> dict[str, Any]:
    """The settings of a node from a file that are its own: where it began, or its place in a walk."""
    if node.round is None:
        return {"origin": "file"}
    return {key: node.settings[key] for key in ("segments",) if key in node.settings}


def _read_round(row: Row) -> Row:
    return {**row, **{key: json.loads(row[key]) for key in ("settings", "parents", "made")}}


def _read_node(row: Row) -> Row:
    flags = {key: bool(row[key]) for key in ("kept", "starred")}
    own = json.loads(row["settings"])
    settings = {**json.loads(row.pop("shared") or "{}"), **own}
    return {**row, **flags, "own": own, "settings": settings, "task": row["task"] or own["origin"]}

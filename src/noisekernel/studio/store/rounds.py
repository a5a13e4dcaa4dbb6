"""Rounds: what was asked for, and what became of it."""

import json
import sqlite3
import time
from collections.abc import Mapping, Sequence
from typing import Any

from noisekernel.core.errors import MissingError
from noisekernel.studio.ids import new_id
from noisekernel.studio.store.database import Database, Row, insert, update, written
from noisekernel.studio.store.schema import ENDED_BADLY

#: The columns that hold JSON.
_JSON = ("settings", "parents", "made")


class Rounds(Database):
    """The rounds of all designs."""

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
            told = {"settings": written(settings), "parents": written(parents), "made": written(made)}
            plain = {"id": new, "design": design, "task": task, "seed": seed, "n": n, "state": state, "created": now}
            insert(db, "rounds", {**plain, **told})
            db.executemany("UPDATE nodes SET kept = 1 WHERE id = ?", [(parent,) for parent in parents])
            update(db, "designs", design, updated=now)
        return self.round(new)

    def round(self, id: str) -> Row:
        found = self._all("SELECT * FROM rounds WHERE id = ?", id)
        if not found:
            raise MissingError("there is no such round")
        return _read(found[0])

    def rounds(self, design: str) -> list[Row]:
        """In the order they were asked for: a round's parents are of rounds before it."""
        return [_read(row) for row in self._all("SELECT * FROM rounds WHERE design = ? ORDER BY number", design)]

    def set_round(self, id: str, **changes: Any) -> None:
        """Set state, detail, settings or made."""
        with self._writing() as db:
            update(db, "rounds", id, **{k: written(v) if k in _JSON else v for k, v in changes.items()})

    def reopen_round(self, id: str, made: Mapping[str, Any]) -> bool:
        """Have a round wait again that did not end well. False if it is no such round (any more)."""
        parents = self.round(id)["parents"]
        with self._writing() as db:
            _check_parents(db, parents)
            changed = db.execute(
                "UPDATE rounds SET state = 'waiting', detail = NULL, made = ? WHERE id = ? AND state IN (?, ?, ?)",
                (written(made), id, *ENDED_BADLY),
            )
            return changed.rowcount == 1


def _check_parents(db: sqlite3.Connection, parents: Sequence[str]) -> None:
    """That none of these nodes is deleted."""
    for parent in parents:
        if db.execute("SELECT 1 FROM nodes WHERE id = ? AND deleted IS NOT NULL", (parent,)).fetchone():
            raise MissingError("a node that this round starts from was deleted; restore it first")


def _read(row: Row) -> Row:
    return {**row, **{key: json.loads(row[key]) for key in _JSON}}

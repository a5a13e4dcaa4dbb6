"""The database of a folder: queries, and transactions that happen whole or not at all."""

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import RLock
from typing import Any

from noisekernel.core.errors import StorageError
from noisekernel.studio.store.objects import Objects
from noisekernel.studio.store.schema import connect

Row = dict[str, Any]


class Database:
    """What designs, rounds and nodes have in common. Safe to use from any thread."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.objects = Objects(folder / "objects")
        self._lock = RLock()
        self._db = connect(folder / "studio.sqlite")

    def close(self) -> None:
        with self._lock:
            self._db.close()

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


def insert(db: sqlite3.Connection, table: str, *rows: Mapping[str, Any]) -> None:
    """Add rows that all have the same columns, in the same order."""
    for columns in {tuple(row) for row in rows}:
        marks = ", ".join("?" * len(columns))
        query = f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})"
        db.executemany(query, (tuple(row.values()) for row in rows))


def update(db: sqlite3.Connection, table: str, id: str, **changes: Any) -> None:
    """Set columns of one row."""
    columns = ", ".join(f"{column} = ?" for column in changes)
    db.execute(f"UPDATE {table} SET {columns} WHERE id = ?", (*changes.values(), id))


def written(value: Any) -> str:
    """Settings and the like, as a column holds them."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False)

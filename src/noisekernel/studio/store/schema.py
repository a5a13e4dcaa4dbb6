"""The tables in which designs are kept.

    design     a name, a model (and the sha256 of its weights, if that is known), the node that is present
    round      a task with its settings, seed and parents, and its state
    node       one sample: candidate `place` of a round, or an origin (an upload, an example)

A node holds the settings that are its own (an origin, a place in a walk); those of its round are joined to them when it
is read. A round's candidates are all nodes; those that a person touched (chose, starred, named, judged) are `kept`.
"""

import sqlite3
from pathlib import Path

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


def connect(path: Path) -> sqlite3.Connection:
    """The database of a folder, with all tables as they are now. A commit is on the disk before it returns."""
    db = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
    db.row_factory = sqlite3.Row
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "busy_timeout=10000"):
        db.execute(f"PRAGMA {pragma}")
    db.executescript(SCHEMA)
    _bring_up_to_date(db)
    return db


def _bring_up_to_date(db: sqlite3.Connection) -> None:
    """Change what a folder of an earlier version has: designs without weights, walks with a strength."""
    if "weights" not in {row["name"] for row in db.execute("PRAGMA table_info(designs)")}:
        db.execute("ALTER TABLE designs ADD COLUMN weights TEXT")
    renamed = "settings = replace(settings, '\"strength\":', '\"pace\":')"
    db.execute(f"UPDATE rounds SET {renamed} WHERE task = 'walk' AND settings LIKE '%\"strength\":%'")
    db.execute(f'UPDATE nodes SET {renamed} WHERE settings LIKE \'%"segments":%"strength":%\'')

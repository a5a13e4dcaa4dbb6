"""Designs on the disk: what a person chose is never lost.

SQLite holds designs, rounds and nodes (`schema`); clean data lies beside it, one file a round, named by its hash
(`objects`). A file is on the disk before the row that names it is committed, and a commit is on the disk before anyone
is told of it (WAL with synchronous=FULL). So whoever is killed at any moment leaves at worst a file that no row names.
"""

from noisekernel.studio.store.database import Row
from noisekernel.studio.store.schema import ENDED_BADLY
from noisekernel.studio.store.store import Store

__all__ = ["ENDED_BADLY", "Row", "Store"]

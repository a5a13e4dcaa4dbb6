"""Designs: their names, their models, and what is present in them."""

import time
from typing import Any

from noisekernel.core.errors import InputError, MissingError
from noisekernel.studio.ids import new_id
from noisekernel.studio.store.database import Row, insert, update
from noisekernel.studio.store.nodes import Nodes

_LIST = """SELECT designs.*,
     (SELECT count(*) FROM nodes WHERE design = designs.id AND kept AND deleted IS NULL) AS nodes,
     coalesce(
       (SELECT id FROM nodes WHERE id = designs.present AND deleted IS NULL),
       (SELECT id FROM nodes WHERE design = designs.id AND kept AND deleted IS NULL
        ORDER BY starred DESC, number DESC LIMIT 1)) AS thumb
   FROM designs WHERE NOT deleted ORDER BY updated DESC, rowid DESC LIMIT ? OFFSET ?"""


class Designs(Nodes):
    """All designs, which know their nodes."""

    def new_design(self, name: str, model: str, weights: str | None = None) -> Row:
        design, now = new_id(), time.time()
        with self._writing() as db:
            row = {"id": design, "name": name, "model": model, "created": now, "updated": now, "weights": weights}
            insert(db, "designs", row)
        return self.design(design)

    def design(self, design: str, *, deleted: bool = False) -> Row:
        """One design; a deleted one only if that is asked for."""
        found = self._all("SELECT * FROM designs WHERE id = ?", design)
        if not found or (found[0]["deleted"] and not deleted):
            raise MissingError("there is no such design; it may have been deleted")
        return found[0]

    def designs(self, offset: int = 0, limit: int = 100) -> list[Row]:
        """Those last worked on first, each with the number of its kept nodes and one of them to show."""
        return self._all(_LIST, limit, offset)

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
            update(db, "designs", design, **{**changes, "updated": time.time()})
        return self.design(design, deleted=True)

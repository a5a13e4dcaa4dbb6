"""Designs, their nodes, where they begin, and what was said of them."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Response

from noisekernel.core.errors import InputError
from noisekernel.core.settings import Strict
from noisekernel.studio.rounds import TASKS
from noisekernel.studio.store import Row
from noisekernel.studio.studio import Studio
from noisekernel.studio.web import schemas
from noisekernel.studio.web.routes.models import How, Upload, read_upload
from noisekernel.studio.web.schemas import PathId, node_out, round_out

#: What a node shows never changes, so a browser may keep it.
FOREVER = {"Cache-Control": "private, max-age=31536000, immutable"}


def router(studio: Studio) -> APIRouter:
    api = APIRouter(tags=["designs"])
    store = studio.store

    def whole(design: Row) -> schemas.Design:
        rounds = store.rounds(design["id"])
        live = {task.name for task in TASKS.values() if task.live}  # a task that is gone can still be looked at
        done = [record["id"] for record in rounds if record["state"] == "done" and record["task"] not in live]
        latest = done[-1] if done else None
        nodes = store.nodes_of(design["id"], round=latest)
        return schemas.Design(
            **{**design, "deleted": bool(design["deleted"])},
            nodes=[node_out(node) for node in nodes],
            rounds=[round_out(record, studio.job_of(record)) for record in rounds],
            opinions={node["id"]: node["opinion"] for node in nodes if node["opinion"]},
            latest=latest,
        )

    @api.post("/designs", status_code=201)
    def new_design(body: schemas.NewDesign) -> schemas.Design:
        served = studio.served(body.model)
        return whole(store.new_design(body.name or "Untitled", served.id, served.weights))

    @api.get("/designs")
    def designs(offset: schemas.Offset = 0, limit: schemas.Limit = 100) -> list[schemas.Summary]:
        """Those last worked on first."""
        return [schemas.Summary(**row) for row in store.designs(offset, limit)]

    @api.get("/designs/{design}")
    def design(design: PathId) -> schemas.Design:
        return whole(store.design(design))

    @api.patch("/designs/{design}")
    def change_design(design: PathId, body: schemas.DesignChange) -> schemas.Design:
        """Name it, or say which node is the present one (null: none)."""
        return whole(store.change_design(design, **_given(body)))

    @api.delete("/designs/{design}")
    def delete_design(design: PathId) -> dict[str, str]:
        """Hide it; it can be restored."""
        store.design(design)
        store.change_design(design, deleted=1)
        return {"deleted": design}

    @api.post("/designs/{design}/restore")
    def restore_design(design: PathId) -> schemas.Design:
        return whole(store.change_design(design, deleted=0))

    @api.post("/designs/{design}/origins", status_code=201)
    def upload(design: PathId, file: Upload, how: How = "") -> schemas.Node:
        """Begin with an example of somebody's own."""
        served = studio.served_for(store.design(design), adding=True)
        z, taken = read_upload(served, file, how)
        settings = {"origin": "upload", "how": taken, "strangeness": served.strangeness(z)}
        return node_out(store.add_nodes(design, z, [settings], [None], kept=True)[0])

    @api.post("/designs/{design}/origins/example", status_code=201)
    def example(design: PathId, body: schemas.Example) -> schemas.Node:
        """Begin with an example of the model's data set."""
        served = studio.served_for(store.design(design), adding=True)
        z = served.example(body.example)
        settings = {"origin": "example", "example": body.example}
        return node_out(store.add_nodes(design, z, [settings], [None], kept=True)[0])

    @api.get("/designs/{design}/taste")
    def taste(design: PathId) -> schemas.TasteState:
        """What the likes and dislikes of this design say, and how surely."""
        return schemas.TasteState(**studio.taste(design))

    @api.get("/nodes/{node}/show", response_class=Response)
    def show(
        node: PathId,
        scale: Annotated[int, Query(ge=1, le=64)] = 1,
        form: Annotated[
            str | None, Query(alias="as", pattern="^[a-z0-9]{1,12}$", description="Another form: json; of music wav …")
        ] = None,
    ) -> Response:
        """The example as a file, which tells how it was made where its format has a place for that."""
        found = store.node(node, deleted=True)
        served = studio.served_for(store.design(found["design"], deleted=True))
        page, z, how = served.model.kind.on_page, store.clean([found]), studio.how_made(found)
        if form is not None and scale > 1:
            raise InputError("a node is shown enlarged, or in another form; leave out one of the two")
        shown = page.show(z, how, scale) if form is None else page.shown_as(form, z, how)
        name = f"{node}-{scale}x" if scale > 1 else node
        headers = {**FOREVER, "Content-Disposition": f'inline; filename="{name}{shown.suffix}"'}
        return Response(shown.content, media_type=shown.media, headers=headers)

    @api.get("/nodes/{node}")
    def node(node: PathId) -> schemas.Node:
        return node_out(store.node(node))

    @api.patch("/nodes/{node}")
    def change_node(node: PathId, body: schemas.NodeChange) -> schemas.Node:
        """Choose it, star it, name it."""
        changes = {key: value for key, value in _given(body).items() if value is not None}
        return node_out(store.change_node(node, **changes) if changes else store.node(node))

    @api.delete("/nodes/{node}")
    def delete_node(node: PathId) -> dict[str, list[str]]:
        """Hide it and all that came of it; `restore` brings the same back."""
        return {"deleted": store.delete_node(node)}

    @api.post("/nodes/{node}/restore")
    def restore_node(node: PathId) -> list[schemas.Node]:
        return [node_out(row) for row in store.restore_node(node)]

    @api.put("/nodes/{node}/opinion")
    def opinion(node: PathId, body: schemas.Opinion) -> schemas.Node:
        """Like (1), dislike (-1), or neither (0)."""
        return node_out(store.change_node(node, opinion=body.value))

    return api


def _given(body: Strict) -> dict[str, Any]:
    """What a request says, without what it leaves out."""
    given = body.model_dump(exclude_unset=True)
    return {key: value for key, value in given.items() if value is not None or key == "present"}

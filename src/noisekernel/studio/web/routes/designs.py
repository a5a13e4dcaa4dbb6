"""Designs, their nodes, where they begin, and what was said of them."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Response

from noisekernel.core.errors import InputError
from noisekernel.kinds.pictures.drawing import png_bytes
from noisekernel.studio.pictures import read_upload, scaled
from noisekernel.studio.rounds.rounds import Strict
from noisekernel.studio.store import Row
from noisekernel.studio.studio import Studio
from noisekernel.studio.web import schemas
from noisekernel.studio.web.routes.models import Edge, Side, Upload, content_of, crop_of
from noisekernel.studio.web.schemas import PathId, node_out, round_out

#: A picture is enlarged to at most so many pixels a side.
MOST_SIDE = 4096
#: A PNG of a node never changes, so a browser may keep it.
FOREVER = {"Cache-Control": "private, max-age=31536000, immutable"}


def router(studio: Studio) -> APIRouter:
    api = APIRouter(tags=["designs"])
    store = studio.store

    def whole(design: Row) -> schemas.Design:
        rounds = store.rounds(design["id"])
        done = [record["id"] for record in rounds if record["state"] == "done" and record["task"] != "walk"]
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
    def upload(design: PathId, file: Upload, x: Edge = None, y: Edge = None, side: Side = None) -> schemas.Node:
        """Begin with a picture: its middle, or the part that x, y and side name."""
        served = studio.served_for(store.design(design), adding=True)
        crop = crop_of(x, y, side)
        z = served.model.kind.encode(read_upload(content_of(file), served.model.size, crop)[None])
        settings = {"origin": "upload", "crop": crop, "strangeness": served.strangeness(z)}
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

    @api.get("/nodes/{node}.png", responses={200: {"content": {"image/png": {}}}}, response_class=Response)
    def png(node: PathId, scale: Annotated[int, Query(ge=1, le=64)] = 1) -> Response:
        """The picture, with how it was made in its metadata."""
        found = store.node(node, deleted=True)
        served = studio.served_for(store.design(found["design"], deleted=True))
        (image,) = served.model.draw(store.clean([found]))
        most = max(1, MOST_SIDE // max(image.size))
        if scale > most:
            raise InputError(
                f"scale is {scale}; a picture of {image.width} x {image.height} is enlarged {most} times at most"
            )
        content = png_bytes(scaled(image, scale), studio.how_made(found))
        name = f"{node}-{scale}x.png" if scale > 1 else f"{node}.png"
        headers = {**FOREVER, "Content-Disposition": f'inline; filename="{name}"'}
        return Response(content, media_type="image/png", headers=headers)

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

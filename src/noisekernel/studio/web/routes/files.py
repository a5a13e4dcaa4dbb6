"""Taking designs away, and bringing them back."""

import re
from threading import Lock
from typing import Annotated

from fastapi import APIRouter, File, Path, Query, Response, UploadFile

from noisekernel.core.errors import InputError, MissingError
from noisekernel.studio import design_file as files
from noisekernel.studio.studio import Studio
from noisekernel.studio.tree_page import name_of, tree_page
from noisekernel.studio.web import schemas
from noisekernel.studio.web.schemas import PathId
from noisekernel.studio.work.walk_job import WalkJob

#: Examples on one sheet.
MOST = 400


def router(studio: Studio) -> APIRouter:
    api = APIRouter(tags=["files"])
    store = studio.store
    heavy = Lock()  # what takes much memory is done one at a time

    @api.get("/designs/{design}/sheet", response_class=Response)
    def sheet(
        design: PathId, nodes: Annotated[str, Query(max_length=10_000, description="Ids with commas between.")] = ""
    ) -> Response:
        """Kept nodes, or those named, in one file."""
        owner = store.design(design)
        found = store.nodes(nodes.split(",")) if nodes else store.nodes_of(design)
        if nodes and len(found) != len(nodes.split(",")):
            raise MissingError("one of these nodes is not there")
        if any(node["design"] != design or node["deleted"] for node in found):
            raise InputError("a sheet shows nodes of its own design")
        if not found:
            raise InputError("there is nothing to show yet; choose something first")
        if len(found) > MOST:
            raise InputError(f"{len(found)} nodes are too many for one sheet; name at most {MOST}")
        how = {"design": owner["name"], "model": owner["model"], "nodes": [node["id"] for node in found]}
        shown = studio.served_for(owner).model.kind.on_page.overview(store.clean(found), how)
        return _download(shown.content, shown.media, f"{_plain(owner['name'])}{shown.suffix}")

    @api.get("/designs/{design}/tree.html", response_class=Response, responses={200: {"content": {"text/html": {}}}})
    def tree(design: PathId) -> Response:
        """The tree as one page that needs nothing else."""
        owner = store.design(design)
        nodes = store.nodes_of(design)
        kind = studio.served_for(owner).model.kind
        shown = kind.on_page.markup(store.clean(nodes), [name_of(node) for node in nodes]) if nodes else []
        page = tree_page(owner, nodes, dict(zip([node["id"] for node in nodes], shown, strict=True)), kind.many)
        return _download(page.encode(), "text/html; charset=utf-8", f"{_plain(owner['name'])}.html")

    @api.get(
        "/designs/{design}/design.nkd", response_class=Response, responses={200: {"content": {"application/zip": {}}}}
    )
    def design_file(design: PathId) -> Response:
        """The whole design, for `nk replay` or another studio."""
        owner = store.design(design)
        content = files.write_design(store, owner)
        return _download(content, "application/zip", f"{_plain(owner['name'])}{files.SUFFIX}")

    @api.post("/designs/import", status_code=201)
    def take_in(file: Annotated[UploadFile, File(description="A design file.")]) -> schemas.Imported:
        """A design file as a new design."""
        with heavy:
            return _take_in(file)

    def _take_in(file: UploadFile) -> schemas.Imported:
        found = files.read_design(file.file.read())
        if found.record.model not in studio.models:
            raise InputError(
                f"this design was made with the model {found.record.model[:100]!r}, which is not served now; start the "
                "studio with it"
            )
        served = studio.models[found.record.model]
        if any(one.made.weights != served.weights for one in found.record.rounds):
            raise InputError(f"this design was made with another model that is called {served.id!r} too")
        return schemas.Imported(id=files.take_in(store, found, served.model, found.record.name, served.weights)["id"])

    @api.get("/jobs/{job}/film.{suffix}", response_class=Response)
    def film(job: PathId, suffix: Annotated[str, Path(pattern="^[a-z0-9]{1,8}$")]) -> Response:
        """What was recorded of a live walk."""
        walk = studio.queue.job(job)
        if not isinstance(walk, WalkJob) or not walk.film:
            raise InputError("nothing was recorded of this walk; start recording first")
        with heavy:
            shown = walk.served.model.kind.on_page.film(list(walk.film), f".{suffix}")
        return _download(shown.content, shown.media, f"walk{shown.suffix}")

    return api


def _plain(name: str) -> str:
    """A name that any disk takes."""
    return re.sub(r"[^A-Za-z0-9 _-]+", "", name).strip()[:60] or "design"


def _download(content: bytes, media: str, name: str) -> Response:
    """A file for the browser to save."""
    return Response(content, media_type=media, headers={"Content-Disposition": f'attachment; filename="{name}"'})

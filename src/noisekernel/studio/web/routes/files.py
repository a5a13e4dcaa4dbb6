"""Taking designs away, and bringing them back."""

import re
from threading import Lock
from typing import Annotated, Literal

from fastapi import APIRouter, File, Path, Query, Response, UploadFile

from noisekernel.core.errors import InputError, MissingError, NoiseKernelError
from noisekernel.studio import design_file as files
from noisekernel.studio import viewing
from noisekernel.studio.studio import Studio
from noisekernel.studio.tree_page import THUMB, tree_page
from noisekernel.studio.web import schemas
from noisekernel.studio.web.schemas import PathId
from noisekernel.studio.work.walk_job import WalkJob

#: Pictures on one sheet.
MOST = 400


def router(studio: Studio) -> APIRouter:
    api = APIRouter(tags=["files"])
    store = studio.store
    heavy = Lock()  # what takes much memory is done one at a time

    @api.get("/designs/{design}/sheet.png", response_class=Response, responses={200: {"content": {"image/png": {}}}})
    def sheet(
        design: PathId, nodes: Annotated[str, Query(max_length=10_000, description="Ids with commas between.")] = ""
    ) -> Response:
        """Kept nodes, or those named, on one picture."""
        owner = store.design(design)
        found = store.nodes(nodes.split(",")) if nodes else store.nodes_of(design)
        if nodes and len(found) != len(nodes.split(",")):
            raise MissingError("one of these nodes is not there")
        if any(node["design"] != design or node["deleted"] for node in found):
            raise InputError("a sheet shows nodes of its own design")
        if not found:
            raise InputError("there is nothing to show yet; choose something first")
        if len(found) > MOST:
            raise InputError(f"{len(found)} pictures are too many for one sheet; name at most {MOST}")
        how = {"design": owner["name"], "model": owner["model"], "nodes": [node["id"] for node in found]}
        shown = viewing.overview(studio.served_for(owner).model, store.clean(found), how)
        return _download(shown, owner["name"])

    @api.get("/designs/{design}/tree.html", response_class=Response, responses={200: {"content": {"text/html": {}}}})
    def tree(design: PathId) -> Response:
        """The tree as one page that needs nothing else."""
        owner = store.design(design)
        nodes = store.nodes_of(design)
        shown = viewing.inline(studio.served_for(owner).model, store.clean(nodes), THUMB) if nodes else []
        page = tree_page(owner, nodes, dict(zip([node["id"] for node in nodes], shown, strict=True)))
        return _download(viewing.Shown(page.encode(), "text/html; charset=utf-8", "html"), owner["name"])

    @api.get(
        "/designs/{design}/design.nkd", response_class=Response, responses={200: {"content": {"application/zip": {}}}}
    )
    def design_file(design: PathId) -> Response:
        """The whole design, for `nk replay` or another studio."""
        owner = store.design(design)
        return _download(viewing.Shown(files.write_design(store, owner), "application/zip", "nkd"), owner["name"])

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

    @api.get("/jobs/{job}/film.{kind}", response_class=Response)
    def film(job: PathId, kind: Annotated[Literal["gif", "mp4"], Path()]) -> Response:
        """What was recorded of a live walk."""
        walk = studio.queue.job(job)
        if not isinstance(walk, WalkJob) or not walk.film:
            raise InputError("nothing was recorded of this walk; start recording first")
        try:
            with heavy:
                shown = viewing.film(list(walk.film), kind)
        except NoiseKernelError:
            if kind == "mp4":
                raise InputError(
                    "films in MP4 need ffmpeg: pip install 'noisekernel[video]'; or take the GIF"
                ) from None
            raise
        return _download(shown, "walk")

    return api


def _download(file: viewing.Shown, name: str) -> Response:
    """A file for the browser to save, under a name that any disk takes."""
    plain = re.sub(r"[^A-Za-z0-9 _-]+", "", name).strip()[:60] or "design"
    headers = {"Content-Disposition": f'attachment; filename="{plain}.{file.suffix}"'}
    return Response(file.content, media_type=file.media_type, headers=headers)

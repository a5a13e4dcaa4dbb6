"""Health, models, their examples, and how an example of somebody's own would be taken."""

import json
from typing import Annotated, Any

from fastapi import APIRouter, File, Form, UploadFile

from noisekernel import __version__
from noisekernel.core.errors import InputError
from noisekernel.studio.models import Served
from noisekernel.studio.studio import Studio
from noisekernel.studio.web.schemas import Limit, Offset, Preview, liking

Upload = Annotated[UploadFile, File(description="An example of the model's kind: a file, or typed text as one.")]
How = Annotated[
    str,
    Form(max_length=10_000, description="A JSON object of how to take it, where the kind knows any such settings."),
]


def read_upload(served: Served, file: UploadFile, how: str) -> tuple[Any, dict[str, Any]]:
    """What somebody sent, as clean data (a batch of one), and how it was taken."""
    on_page = served.model.kind.on_page
    on_page.check_size(file.size or 0)
    try:
        settings = json.loads(how or "{}")
    except (ValueError, RecursionError):
        settings = None
    if not isinstance(settings, dict):
        raise InputError("how is no JSON object; leave it out, or send one")
    return on_page.read(file.file.read(on_page.most_bytes + 1), settings), settings


def router(studio: Studio) -> APIRouter:
    api = APIRouter(tags=["models"])

    @api.get("/health")
    async def health() -> dict[str, Any]:
        """Is it there, and how busy?"""
        return {"status": "ok", "version": __version__, "jobs": studio.queue.counts()}

    @api.get("/models")
    def models() -> list[dict[str, Any]]:
        """The models that are served."""
        return [served.told() for served in studio.models.values()]

    @api.get("/models/{model}/examples")
    def examples(model: str, offset: Offset = 0, limit: Limit = 24) -> list[dict[str, Any]]:
        """Examples of a model's data set, to start from."""
        served = studio.served(model)
        count = 0 if served.source is None else len(served.source)
        found = []
        for index in range(offset, min(offset + limit, count)):
            (shown,) = served.model.kind.on_page.inline(served.example(index))
            label = served.label(index)
            found.append({"index": index, "shown": shown, **({} if label is None else {"label": label})})
        return found

    @api.post("/models/{model}/preview")
    def preview(model: str, file: Upload, how: How = "") -> Preview:
        """How an example would be taken, and whether the model knows its like. Nothing is kept."""
        served = studio.served(model)
        z, _ = read_upload(served, file, how)
        (shown,) = served.model.kind.on_page.inline(z)
        return Preview(shown=shown, **liking(served.strangeness(z)))

    return api

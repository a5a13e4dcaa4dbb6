"""Health, models, their examples, and how a picture would fit them."""

from typing import Annotated, Any

from fastapi import APIRouter, File, Form, UploadFile

from noisekernel import __version__
from noisekernel.core.errors import InputError
from noisekernel.studio import viewing
from noisekernel.studio.studio import Studio
from noisekernel.studio.web.schemas import Limit, Offset, Preview, liking

Upload = Annotated[UploadFile, File(description="A picture: PNG, JPEG, WebP, GIF, BMP, TIFF or AVIF.")]
Edge = Annotated[float | None, Form(ge=0.0, lt=1.0, allow_inf_nan=False)]
Side = Annotated[float | None, Form(ge=0.001, le=1.0, allow_inf_nan=False)]


def crop_of(x: float | None, y: float | None, side: float | None) -> viewing.Crop | None:
    """All of a crop, or none of it."""
    if x is None and y is None and side is None:
        return None
    if x is None or y is None or side is None:
        raise InputError("a crop is x, y and side, all three, from 0 to 1")
    return x, y, side


def content_of(file: UploadFile) -> bytes:
    viewing.check_upload(file.size or 0)
    return file.file.read(viewing.MOST_BYTES + 1)


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
            (shown,) = viewing.inline(served.model, served.example(index))
            label = served.label(index)
            found.append({"index": index, "png": shown, **({} if label is None else {"label": label})})
        return found

    @api.post("/models/{model}/preview")
    def preview(model: str, file: Upload, x: Edge = None, y: Edge = None, side: Side = None) -> Preview:
        """How a picture would be fitted, and whether the model knows its like. Nothing is kept."""
        served = studio.served(model)
        z = viewing.read_upload(served.model, content_of(file), crop_of(x, y, side))
        (shown,) = viewing.inline(served.model, z)
        return Preview(png=shown, **liking(served.strangeness(z)))

    return api

"""The studio over HTTP: the application, its errors, and the page. What it offers stands in `routes`."""

import logging
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp

from noisekernel import __version__
from noisekernel.core.errors import FullError, InputError, MissingError, NoiseKernelError, StorageError
from noisekernel.studio.models import module_address
from noisekernel.studio.studio import Studio
from noisekernel.studio.web import schemas
from noisekernel.studio.web.routes import designs, jobs, models
from noisekernel.studio.web.routes import files as files_of_designs
from noisekernel.studio.web.security import LOOPBACK, Guard
from noisekernel.studio.web.sentences import sentence_for

log = logging.getLogger(__name__)

#: The page's files by the end of their names. Others are not sent.
KINDS = {
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "svg": "image/svg+xml",
    "png": "image/png",
    "ico": "image/x-icon",
    "json": "application/json",
    "webmanifest": "application/manifest+json",
}


def create_app(studio: Studio, *, token: str | None = None, hosts: Sequence[str] | None = LOOPBACK) -> ASGIApp:
    """The whole application, guarded."""
    return Guard(plain_app(studio), token=token, hosts=hosts)


def plain_app(studio: Studio) -> FastAPI:
    """The application without its guard."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        studio.start()
        yield
        studio.close()

    app = FastAPI(
        title="noisekernel studio",
        version=__version__,
        description="Designs, rounds and nodes; see docs/studio-api.md.",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
        responses={code: {"model": schemas.Detail} for code in (400, 401, 403, 404, 409, 413, 421, 422, 429)},
    )
    for part in (models, files_of_designs, designs, jobs):
        app.include_router(part.router(studio), prefix="/api")
    _errors(app)
    _page(app)
    _viewers(app, studio)
    return app


def _errors(app: FastAPI) -> None:
    """Every error is a sentence, and none says where the server keeps its files."""

    def said(status: int, detail: str) -> JSONResponse:
        return JSONResponse({"detail": detail}, status_code=status)

    @app.exception_handler(NoiseKernelError)
    async def ours(_: Request, error: Exception) -> JSONResponse:
        kinds = ((MissingError, 404), (FullError, 429), (InputError, 422))
        for kind, status in kinds:
            if isinstance(error, kind):
                return said(status, str(error))
        log.error("%s", error)
        if isinstance(error, StorageError):
            return said(507, "the studio cannot write or read its files; its disk may be full, and its log says more")
        return said(422, "this cannot be done here; the studio's log says why")

    @app.exception_handler(RequestValidationError)
    async def invalid(_: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, RequestValidationError)
        status, detail = sentence_for(error.errors())
        return said(status, detail)

    @app.exception_handler(HTTPException)
    async def http(_: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, HTTPException)
        words = {
            400: "the body cannot be read; send JSON, or a form where a file is asked for",
            404: "there is nothing at this address",
            405: "this address does not take such a request",
        }
        return JSONResponse(
            {"detail": words.get(error.status_code, str(error.detail))}, error.status_code, headers=error.headers
        )

    @app.exception_handler(Exception)
    async def unexpected(_: Request, error: Exception) -> JSONResponse:
        log.error("a request failed", exc_info=error)
        return said(500, "something went wrong, and it is our mistake; the studio's log says what")


def _page(app: FastAPI) -> None:
    """The page's files, each at an address of its own: no path of a client's is ever opened."""
    for path, file in _files(files("noisekernel.studio") / "page"):
        kind = KINDS.get(path.rpartition(".")[2])
        if kind is None:
            continue
        for address in (path, "/") if path == "/index.html" else (path,):
            app.add_api_route(address, _sends(file, kind), methods=["GET"], include_in_schema=False)


def _viewers(app: FastAPI, studio: Studio) -> None:
    """The scripts that kinds of data bring along, at the addresses that the page is told: these files, no others."""
    kinds = {module_address(kind): kind.viewer_module for kind in (one.model.kind for one in studio.models.values())}
    for address, file in kinds.items():
        if file is not None:
            app.add_api_route(address, _sends(file, KINDS["js"]), methods=["GET"], include_in_schema=False)


def _files(folder: Traversable, under: str = "/") -> Iterator[tuple[str, Traversable]]:
    """All files of a folder and of those within it, by their paths."""
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _files(entry, f"{under}{entry.name}/")
        else:
            yield f"{under}{entry.name}", entry


def _sends(file: Traversable | Path, kind: str) -> Callable[[], Response]:
    def send() -> Response:
        return Response(file.read_bytes(), media_type=kind, headers={"Cache-Control": "no-cache"})

    return send

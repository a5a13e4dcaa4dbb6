"""Rounds on the queue, and listening to them."""

import asyncio
import json
from collections.abc import AsyncIterator
from concurrent.futures import Future
from concurrent.futures import TimeoutError as LateError
from typing import Annotated, Any

from fastapi import APIRouter, Body
from fastapi.responses import StreamingResponse

from noisekernel.core.errors import FullError, InputError
from noisekernel.studio.rounds import AnyRequest
from noisekernel.studio.studio import Studio
from noisekernel.studio.web import schemas
from noisekernel.studio.web.schemas import Client, PathId, node_out, round_out
from noisekernel.studio.work.job import ENDS, Job
from noisekernel.studio.work.walk_job import WalkJob

#: Seconds of silence after which a listener is told that the line is open.
HEARTBEAT = 10.0
#: Seconds that an answer from between two steps may take.
PATIENCE = 60.0


def router(studio: Studio) -> APIRouter:
    api = APIRouter(tags=["rounds"])

    def walk_of(job: str) -> WalkJob:
        found = studio.queue.job(job)
        if not isinstance(found, WalkJob):
            raise InputError("this job is no live walk")
        if found.status == "waiting":
            raise InputError("this walk waits for its turn; once it has begun it can be turned")
        return found

    @api.post("/designs/{design}/rounds", status_code=202)
    def new_round(design: PathId, body: Annotated[AnyRequest, Body()], client: Client = None) -> schemas.Started:
        """Put a round on the queue. With an X-Client, somebody has to listen for it to go on."""
        job, record = studio.start_round(design, body, client or "", attended=client is not None)
        return schemas.Started(job=job.id, round=record["id"], seed=record["seed"])

    @api.post("/designs/{design}/estimate")
    def estimate(design: PathId, body: Annotated[AnyRequest, Body()]) -> schemas.Estimate:
        """How long a round would take. Nothing is started."""
        return schemas.Estimate(**studio.estimate(design, body))

    @api.get("/rounds/{round}")
    def one_round(round: PathId) -> schemas.RoundWithNodes:
        """A round with its candidates."""
        row = studio.store.round(round)
        record = round_out(row, studio.job_of(row))
        nodes = [node_out(node) for node in studio.store.nodes_of_round(round) if node["deleted"] is None]
        return schemas.RoundWithNodes(**record.model_dump(), nodes=nodes)

    @api.post("/rounds/{round}/again", status_code=202)
    def again(round: PathId, client: Client = None) -> schemas.Started:
        """Run a round again that was interrupted or cancelled: the same seed, the same candidates."""
        job, record = studio.again(round, client or "", attended=client is not None)
        return schemas.Started(job=job.id, round=record["id"], seed=record["seed"])

    @api.get("/jobs/{job}")
    def state(job: PathId) -> schemas.JobState:
        """How a job is doing, for those who ask rather than listen."""
        found = studio.queue.job(job)
        return schemas.JobState(
            job=found.id,
            status=found.status,
            position=found.position,
            detail=found.detail,
            result=found.result,
        )

    @api.get(
        "/jobs/{job}/events",
        response_class=StreamingResponse,
        responses={200: {"content": {"text/event-stream": {}}}},
    )
    async def events(job: PathId) -> StreamingResponse:
        """Server-sent events: state, frame, done, failed; see docs/studio-api.md."""
        found = studio.queue.job(job)
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        return StreamingResponse(listening(found), media_type="text/event-stream", headers=headers)

    @api.post("/jobs/{job}/cancel")
    def cancel(job: PathId) -> dict[str, str]:
        """Stop before the next step."""
        return {"job": studio.queue.cancel(job).id}

    @api.post("/jobs/{job}/walk")
    def change_walk(job: PathId, body: schemas.WalkChange) -> dict[str, Any]:
        """Change the pace of a live walk, pause it, let it go on."""
        walk = walk_of(job)
        return _answered(walk.ask(lambda: walk.change(body.pace, body.paused)))

    @api.post("/jobs/{job}/save", status_code=201)
    def save(job: PathId) -> schemas.Node:
        """The present state of a live walk, made sharp, as a node."""
        walk = walk_of(job)
        return node_out(_answered(walk.ask(walk.save)))

    @api.post("/jobs/{job}/record")
    def record(job: PathId, body: schemas.Recording) -> dict[str, Any]:
        """Begin a film of a live walk, or end it."""
        walk = walk_of(job)
        return _answered(walk.ask(lambda: walk.record(body.on)))

    return api


async def listening(job: Job) -> AsyncIterator[str]:
    """What happens to a job, as server-sent events; a slow listener misses frames, never the end."""
    loop, news = asyncio.get_running_loop(), asyncio.Event()

    def listener() -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(news.set)

    leave = job.listen(listener)
    try:
        said: tuple[Any, ...] | None = None
        shown = 0
        while True:
            news.clear()
            status, position = job.status, job.position
            if (status, position) != said and status not in ENDS:
                said = (status, position)
                yield _event("state", {"status": status, **({"position": position} if status == "waiting" else {})})
            if job.frames != shown and job.frame is not None:
                shown = job.frames
                yield _event("frame", job.frame)
            if status in ENDS:
                if status == "failed":
                    yield _event("failed", {"detail": job.detail})
                yield _event("state", {"status": status})
                if status == "done":
                    yield _event("done", job.result or {})
                return
            try:
                await asyncio.wait_for(news.wait(), HEARTBEAT)
            except TimeoutError:
                yield ": still here\n\n"
    finally:
        leave()


def _event(name: str, data: dict[str, Any]) -> str:
    return f"event: {name}\ndata: {json.dumps(data)}\n\n"


def _answered(future: "Future[Any]") -> Any:
    try:
        return future.result(timeout=PATIENCE)
    except LateError:
        future.cancel()
        raise FullError("the model is busy; try again in a moment") from None

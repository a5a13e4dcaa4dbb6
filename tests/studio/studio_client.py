"""What the tests of the studio share: a real server in a thread, and how to listen to it."""

import json
import threading
from contextlib import contextmanager

import httpx
import uvicorn

from noisekernel.studio.launch import bind
from noisekernel.studio.web.server import create_app


class _Server(uvicorn.Server):
    """One that says when it is there."""

    def __init__(self, config):
        super().__init__(config)
        self.there = threading.Event()

    async def startup(self, sockets=None):
        await super().startup(sockets=sockets)
        self.there.set()

    def install_signal_handlers(self):
        pass


@contextmanager
def serving(studio, **options):
    """A client of a real server; streams stream, and a closed connection is noticed."""
    listener = bind("127.0.0.1", 0)
    config = uvicorn.Config(create_app(studio, **options), log_level="critical", timeout_graceful_shutdown=1)
    server = _Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    assert server.there.wait(60)
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{listener.getsockname()[1]}", timeout=60) as client:
            yield client
    finally:
        server.should_exit = True
        thread.join(30)
        listener.close()
        assert not thread.is_alive()


def ok(response):
    """The answer, if it is one."""
    assert response.status_code < 300, response.text
    return response.json()


def events(client, job, *, until=None):
    """The events of a job as (name, data), up to the end or the first for which `until` holds."""
    with client.stream("GET", f"/api/jobs/{job}/events") as response:
        assert response.status_code == 200
        assert response.headers["content-type"].startswith("text/event-stream")
        name = ""
        for line in response.iter_lines():
            if line.startswith("event: "):
                name = line.removeprefix("event: ")
            elif line.startswith("data: "):
                data = json.loads(line.removeprefix("data: "))
                yield name, data
                if until is not None and until(name, data):
                    return


def finish(client, design, body):
    """Run a round to its end: its nodes."""
    started = ok(client.post(f"/api/designs/{design}/rounds", json=body))
    seen = list(events(client, started["job"]))
    assert seen[-1][0] == "done", seen[-1]
    return ok(client.get(f"/api/rounds/{started['round']}"))["nodes"]

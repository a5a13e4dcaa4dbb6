"""kill -9, twenty times, while a person works: whatever was acknowledged is there afterwards, bit by bit."""

import os
import random
import signal
import subprocess
import sys
import threading
from pathlib import Path

import httpx
import pytest
from studio_client import ok

from noisekernel.files.digest import digest
from noisekernel.studio.store import Store

KILLS = 20


@pytest.fixture
def nursery(tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    script = Path(__file__).with_name("kill_me.py")
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    process = subprocess.Popen(
        [sys.executable, str(script), str(home)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
        start_new_session=True,
    )
    port = int(process.stdout.readline())
    yield process, port, home
    os.killpg(process.pid, signal.SIGKILL)  # and whatever it gave birth to
    process.communicate()


def work(client, chosen, designs, rng):
    """What a person does, until the server is gone. What the server said yes to is written down."""
    while True:
        design = ok(client.post("/api/designs", json={"name": "d", "model": "digits"}))["id"]
        designs.append(design)
        origin = ok(client.post(f"/api/designs/{design}/origins/example", json={"example": rng.randrange(1000)}))
        chosen[origin["id"]] = origin["digest"]
        parent = origin["id"]
        for _ in range(3):
            body = {"task": "vary", "parents": [parent], "n": 3, "steps": 1}
            started = ok(client.post(f"/api/designs/{design}/rounds", json=body))
            while ok(client.get(f"/api/jobs/{started['job']}"))["status"] not in ("done", "failed"):
                pass
            nodes = ok(client.get(f"/api/rounds/{started['round']}"))["nodes"]
            picked = rng.choice(nodes)
            ok(client.patch(f"/api/nodes/{picked['id']}", json={"kept": True, "name": "good"}))
            chosen[picked["id"]] = picked["digest"]
            ok(client.patch(f"/api/designs/{design}", json={"present": picked["id"]}))
            ok(client.put(f"/api/nodes/{picked['id']}/opinion", json={"value": rng.choice((1, -1))}))
            parent = picked["id"]


def doom(client, server, after, wait):
    """Kill the server a moment after it has said yes to so many changes: wherever it is by then."""
    left = [after]

    def heard(response):
        if response.request.method != "GET":
            left[0] -= 1
            if left[0] == 0:
                threading.Timer(wait, os.kill, (server, signal.SIGKILL)).start()

    client.event_hooks = {"response": [heard]}


def test_nothing_chosen_is_lost(nursery):
    process, port, home = nursery
    rng = random.Random(5)
    chosen: dict[str, str] = {}
    designs: list[str] = []
    for number in range(KILLS + 1):
        process.stdin.write("next\n")
        process.stdin.flush()
        server = int(process.stdout.readline())
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as client:
            ok(client.get("/api/health"))  # it is there
            if number == KILLS:
                break
            doom(client, server, after=rng.randint(2, 14), wait=rng.uniform(0.0, 0.1))
            with pytest.raises(httpx.TransportError):
                work(client, chosen, designs, rng)
        assert process.stdout.readline() == "dead\n"
        store = Store(home)
        try:
            assert store.sound()
            found = {node["id"]: node for node in store.nodes(chosen)}
            for node, expected in chosen.items():
                assert found[node]["kept"]
                assert digest(store.clean([found[node]])[0]) == found[node]["digest"] == expected
            assert {row["id"] for row in store.designs(limit=100_000)} >= set(designs)
        finally:
            store.close()
    # The last server is whole: it shows every design, and runs again what was interrupted.
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as client:
        states = set()
        for design in designs:
            whole = ok(client.get(f"/api/designs/{design}"))
            states |= {record["status"] for record in whole["rounds"]}
            left = next((one["id"] for one in whole["rounds"] if one["status"] == "interrupted"), None)
            if left is not None:
                started = ok(client.post(f"/api/rounds/{left}/again"))
                while ok(client.get(f"/api/jobs/{started['job']}"))["status"] not in ("done", "failed"):
                    pass
                assert ok(client.get(f"/api/rounds/{left}"))["status"] == "done"
        assert states <= {"done", "interrupted"}
        assert len(chosen) > KILLS
    os.kill(server, signal.SIGKILL)
    assert process.stdout.readline() == "dead\n"

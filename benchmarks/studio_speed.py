"""How fast is the studio? First frame, a round of twelve, and the server's answers while the model works.

A real server in a process of its own, asked over HTTP as the page asks it: the time from the request for a round to its
first frame; to the end of 12 variants of the 28x28 model, by the dial (20 annealing steps) and by a walk of 100 steps
(and 10 of reading out), in turn; and, all that time, how long /api/health takes. Times are on the wall, so whatever
else the machine does is in them: the load says how much. So does the time that the server had on the processor (`cpu`,
where Linux tells it): about what a round takes when the machine is free, for the model has one core of two.

    python benchmarks/studio_speed.py [--model fashion] [--repeats 3] [--note TEXT]
"""

import argparse
import datetime
import json
import os
import platform
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from statistics import median
from typing import Any

import httpx

RESULTS = Path(__file__).parent / "results"
N = 12
KINDS: dict[str, dict[str, Any]] = {"renewed": {"strength": 0.4}, "walked": {"beta": 0.2, "steps": 100}}


class Health(threading.Thread):
    """Asks how the server is, again and again, and writes down how long that takes."""

    def __init__(self, url: str) -> None:
        super().__init__(daemon=True)
        self.url, self.times, self.over = url, list[float](), threading.Event()

    def run(self) -> None:
        with httpx.Client(base_url=self.url, timeout=60) as client:
            while not self.over.wait(0.05):
                began = time.perf_counter()
                client.get("/api/health").raise_for_status()
                self.times.append(time.perf_counter() - began)


def cpu(process: int) -> float:
    """Seconds that a process had on the processor, all its threads together; 0 where nobody tells."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def one_round(
    client: httpx.Client, url: str, design: str, parent: str, seed: int, process: int, how: dict[str, Any]
) -> dict[str, float]:
    health = Health(url)
    health.start()
    body = {"task": "vary", "parents": [parent], "n": N, "seed": seed, **how}
    began, used = time.perf_counter(), cpu(process)
    job = client.post(f"/api/designs/{design}/rounds", json=body, headers={"X-Client": "bench"}).json()["job"]
    first, frames = 0.0, 0
    with client.stream("GET", f"/api/jobs/{job}/events") as events:
        for line in events.iter_lines():
            if line == "event: frame":
                frames += 1
                first = first or time.perf_counter() - began
    whole, used = time.perf_counter() - began, cpu(process) - used
    health.over.set()
    health.join()
    times = sorted(health.times)
    return {
        "first_frame": first,
        "round": whole,
        "cpu": used,
        "frames": frames,
        "health_median": median(times),
        "health_99": times[int(0.99 * (len(times) - 1))],
        "health_worst": times[-1],
        "health_asked": len(times),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="fashion")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--note", default="")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        command = [sys.executable, "-m", "noisekernel", "studio", given.model, "--no-browser", "--port", "0"]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, "NK_HOME": home})
        try:
            assert server.stdout is not None
            url = server.stdout.readline().split()[-1]
            load = os.getloadavg()[0]
            with httpx.Client(base_url=url, timeout=600) as client:
                design = client.post("/api/designs", json={"model": given.model}).json()["id"]
                job = client.post(f"/api/designs/{design}/rounds", json={"task": "sample", "n": 1, "steps": 5}).json()
                client.get(f"/api/jobs/{job['job']}/events")
                parent = client.get(f"/api/rounds/{job['round']}").json()["nodes"][0]["id"]
                rounds: dict[str, list[dict[str, float]]] = {kind: [] for kind in KINDS}
                for seed in range(given.repeats):
                    for kind, how in KINDS.items():
                        rounds[kind].append(one_round(client, url, design, parent, seed, server.pid, how))
        finally:
            server.terminate()
            server.wait(30)
    report(given, rounds, load)


def report(given: argparse.Namespace, rounds: dict[str, list[dict[str, float]]], load: float) -> None:
    limits = {"first_frame": 1.0, "round": 20.0, "health_99": 0.1}
    for kind, each in rounds.items():
        for name, limit in limits.items():
            values = [one[name] for one in each]
            print(f"{kind} {name:12s} median {median(values):7.3f} s, worst {max(values):7.3f} s, wanted {limit:g} s")
        print(f"{kind} cpu          median {median([one['cpu'] for one in each]):7.3f} s of a round's")
    print(f"load average at the start {load:.1f}, {os.cpu_count()} cores")
    result: dict[str, Any] = {
        "model": given.model,
        "n": N,
        "kinds": KINDS,
        "date": datetime.date.today().isoformat(),
        "cores": os.cpu_count(),
        "processor": platform.processor() or platform.machine(),
        "load": {"start": load, "end": os.getloadavg()[0]},
        "note": given.note,
        "wanted": limits,
        "rounds": rounds,
    }
    path = RESULTS / f"{result['date']}-studio_speed.json"
    path.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    print(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path.name)


if __name__ == "__main__":
    main()

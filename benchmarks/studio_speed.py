"""How fast is the studio? The first frame, a round of twelve, and the server's answers while the model works.

A server runs in its own process and receives the HTTP requests that the page would send. Three times are measured: from
the request for a round to its first frame; to the end of 12 variants, by the dial (20 annealing steps) and by a walk
of 100 steps (and 10 to read out), in turn; and, throughout, the time that /api/health takes. These are wall-clock
times, so they include the effect of other work on the machine; the load average says how much there was. `cpu` is the
processor time of the server (Linux only), which is about the duration of a round on a free machine. The figures are
appended to benchmarks/results/studio_speed.jsonl.

    python benchmarks/studio_speed.py [--model fashion] [--repeats 3] [--note TEXT]
"""

import argparse
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

from lab.results import record_run

N = 12
KINDS: dict[str, dict[str, Any]] = {"renewed": {"strength": 0.4}, "walked": {"beta": 0.2, "steps": 100}}


class Health(threading.Thread):
    """Asks for the health of the server repeatedly and records how long each answer takes."""

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
    """Processor time of a process with all its threads, in seconds; 0 where the system does not say."""
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
    figures = {
        "model": given.model,
        "n": N,
        "kinds": KINDS,
        "cores": os.cpu_count(),
        "processor": platform.processor() or platform.machine(),
        "load": {"start": load, "end": os.getloadavg()[0]},
        "note": given.note,
        "wanted": limits,
        "rounds": rounds,
    }
    record_run("studio_speed", figures)


if __name__ == "__main__":
    main()

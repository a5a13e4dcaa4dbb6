"""The studio without HTTP: designs, models and the queue, and what can be asked of them together."""

import logging
import os
import secrets
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from noisekernel import __version__
from noisekernel.core.errors import InputError, NoiseKernelError
from noisekernel.core.randomness import STREAMS
from noisekernel.core.suggestions import unknown
from noisekernel.files.locks import lock
from noisekernel.measuring.familiarity import Familiarity
from noisekernel.studio import rounds, taste
from noisekernel.studio.masks import read_mask, write_mask
from noisekernel.studio.models import Served
from noisekernel.studio.store import ENDED_BADLY, MissingError, Row, Store
from noisekernel.studio.work.jobs import RoundJob, use_threads
from noisekernel.studio.work.queue import Job, Queue
from noisekernel.studio.work.walk_job import WalkJob
from noisekernel.tasks.strength import DEFAULT, EQUILIBRIUM, RENEWAL

log = logging.getLogger(__name__)

#: Taste is learned from so many opinions, those on the latest pictures.
MOST_OPINIONS = 200

Request = rounds.Sample | rounds.Vary | rounds.Inpaint | rounds.Steer | rounds.Walk


def home() -> Path:
    """Where designs are kept: `$NK_HOME/studio`, else in the platform's place for data."""
    if os.environ.get("NK_HOME"):
        return Path(os.environ["NK_HOME"]) / "studio"
    if sys.platform == "win32":
        root = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        root = Path.home() / "Library" / "Application Support"
    else:
        root = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    return root / "noisekernel" / "studio"


def threads_to_spare() -> int:
    """The threads for the model: all cores but one, which answers the browsers."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, cores - 1)


@dataclass
class Studio:
    """What the server serves."""

    home: Path
    models: Mapping[str, Served]
    threads: int = field(default_factory=threads_to_spare)
    queue: Queue = field(default_factory=Queue)

    def __post_init__(self) -> None:
        held = lock(self.home / "lock")
        if held is None:
            raise NoiseKernelError(
                f"another studio is at work on {self.home}; stop it, or set NK_HOME to keep these designs elsewhere"
            )
        self._lock = held
        self.store = Store(self.home)
        self.store.recover()

    def start(self) -> None:
        """Begin to work on jobs, and in idle moments to measure the models that were not."""
        self.queue.start(lambda: use_threads(self.threads))
        if any(served.unmeasured or served.familiarity is None for served in self.models.values()):
            threading.Thread(target=self._measure, name="studio-measure", daemon=True).start()

    def close(self) -> None:
        self.queue.close()
        self.store.close()
        self._lock.close()

    def _measure(self) -> None:
        use_threads(self.threads)
        for served in self.models.values():
            try:
                for way in served.unmeasured:
                    way.curve(served.model, advance=self.queue.wait_idle)
                if served.familiarity is None:
                    served.familiarity = Familiarity.learn(served.model, served.weights, self.queue.wait_idle)
            except NoiseKernelError as error:
                log.info("the model %s was not measured: %s", served.id, error)

    def served(self, name: str) -> Served:
        if name not in self.models:
            raise MissingError(unknown("model", name, list(self.models)))
        return self.models[name]

    def served_for(self, design: Row, *, adding: bool = False) -> Served:
        """The model of a design; for `adding` to it, it has to be the very weights, not only the name."""
        if design["model"] not in self.models:
            raise InputError(
                f"this design was made with the model {design['model']!r}, which is not served now; start the studio "
                "with it"
            )
        served = self.models[design["model"]]
        if adding and design["weights"] not in (None, served.weights):
            raise InputError(
                f"this design was made with other weights than the model {served.id!r} has now; it can be looked at "
                "and taken away, but to go on begin a new design"
            )
        return served

    # Rounds -----------------------------------------------------------------------------------------------------------

    def start_round(self, design: str, request: Request, client: str, *, attended: bool) -> tuple[Job, Row]:
        """Put a round on the queue."""
        served, settings = self._asked(design, request)
        parents = getattr(request, "parents", [])
        seed = secrets.randbelow(2**53) if request.seed is None else request.seed
        job = self._job(served, client, attended, request.task)
        self.queue.check_room(client)
        record = self.store.new_round(design, request.task, settings, seed, parents, request.n, self._made(served))
        return self._submit(job, record)

    def estimate(self, design: str, request: Request) -> dict[str, Any]:
        """What a round would take if nothing else were under way: network calls, and seconds on this machine."""
        served, settings = self._asked(design, request)
        parents = getattr(request, "parents", [])
        one = {"task": request.task, "settings": settings, "seed": request.seed or 0, "n": request.n}
        work = rounds.calls_of({**one, "parents": parents, "made": self._made(served)}, self.store)
        use_threads(self.threads)
        seconds = sum(calls * served.seconds(n) for calls, n in work)
        return {"calls": sum(calls for calls, _ in work), "seconds": seconds}

    def _asked(self, design: str, request: Request) -> tuple[Served, dict[str, Any]]:
        """The model for a round, and its settings with nothing left open; or what is wrong with the request."""
        served = self.served_for(self.store.design(design), adding=True)
        parents = getattr(request, "parents", [])
        for parent in parents:
            if self.store.node(parent)["design"] != design:
                raise InputError("a round starts from nodes of its own design")
        if request.n < len(parents):
            raise InputError(f"{len(parents)} nodes were picked, so n has to be {len(parents)} or more, one for each")
        return served, self._settled(design, served, request)

    def again(self, round: str, client: str, *, attended: bool) -> tuple[Job, Row]:
        """Run a round again that did not come to its end: same settings, same seed, same candidates."""
        record = self.store.round(round)
        if record["state"] not in ENDED_BADLY:
            raise InputError(f"this round is {record['state']}; only one that did not end well is run again")
        if record["task"] == "walk":
            raise InputError("a live walk is not run again; start a new one")
        served = self.served_for(self.store.design(record["design"]), adding=True)
        self.queue.check_room(client)
        if not self.store.reopen_round(round, self._made(served)):
            raise InputError("this round is run again already")
        return self._submit(self._job(served, client, attended, record["task"]), self.store.round(round))

    def job_of(self, record: Row) -> str | None:
        """The job that works on a round, while there is one."""
        if record["state"] not in ("waiting", "running"):
            return None
        return next((job.id for job in self.queue.jobs() if getattr(job, "round", {}).get("id") == record["id"]), None)

    def _job(self, served: Served, client: str, attended: bool, task: str) -> RoundJob | WalkJob:
        kind = WalkJob if task == "walk" else RoundJob
        return kind(self.store, served, client, attended=attended or task == "walk")

    def _submit(self, job: RoundJob | WalkJob, record: Row) -> tuple[Job, Row]:
        job.round = record
        try:
            self.queue.submit(job)
        except NoiseKernelError:
            self.store.set_round(record["id"], state="cancelled", detail="there was no room for it")
            raise
        return job, record

    def _made(self, served: Served) -> dict[str, Any]:
        """What the bits of a round depend on beside its record."""
        return {
            "noisekernel": __version__,
            "torch": torch.__version__,
            "threads": self.threads,
            "streams": STREAMS,
            "model": served.id,
            "weights": served.weights,
        }

    def _settled(self, design: str, served: Served, request: Request) -> dict[str, Any]:
        """The settings to record: checked, and with nothing left open."""
        settings = rounds.settings_of(request)
        if settings.get("label") is not None:
            served.model.label([settings["label"]], 1)
        if "beta" in settings:
            settings |= self._noise(served, request.task, settings)
        if "mask" in settings:
            settings["mask"] = write_mask(read_mask(settings["mask"], served.model.size))
        if request.task == "steer":
            settings["opinions"] = self.opinions(design)
            likes = sum(value > 0 for value in settings["opinions"].values())
            if min(likes, len(settings["opinions"]) - likes) < taste.LEAST:
                raise InputError(f"taste needs at least {taste.LEAST} likes and {taste.LEAST} dislikes in this design")
        return settings

    def _noise(self, served: Served, task: str, settings: dict[str, Any]) -> dict[str, Any]:
        """What is renewed of the parents' noise, or how to walk at constant noise: settings with nothing left open."""
        beta, strength, steps = settings["beta"], settings["strength"], settings["steps"]
        below = settings.get("below")
        levels = {"strength": strength, "below": below, "beta": beta}
        if len(given := [name for name, value in levels.items() if value is not None]) > 1:
            raise InputError(f"both {given[0]} and {given[1]} were given; each says how far to go, so leave one out")
        if not given:
            strength = DEFAULT
        if task == "vary" and beta is None:
            for name in ("lag", "readout"):
                if settings[name] is not None:
                    raise InputError(f"{name} is of a walk at constant noise; say at which level: beta")
            if steps == 0:
                raise InputError("steps is 0; what is renewed is annealed in at least 1")
            below = served.curve(RENEWAL).turned(strength) if below is None else below
            return {"strength": strength, "below": below, "steps": 20 if steps is None else steps}
        return {
            "strength": strength,
            "beta": served.curve(EQUILIBRIUM).turned(strength, rounds.LEAST_BETA) if beta is None else beta,
            "steps": 100 if steps is None else steps,
            "lag": float(served.model.kernel.lag) if settings["lag"] is None else settings["lag"],
            "readout": 10 if settings["readout"] is None else settings["readout"],
        }

    # Taste ------------------------------------------------------------------------------------------------------------

    def opinions(self, design: str) -> dict[str, int]:
        """What was judged in a design, of the latest pictures: node to 1 or -1."""
        judged = [node for node in self.store.nodes_of(design) if node["opinion"]]
        return {node["id"]: node["opinion"] for node in judged[-MOST_OPINIONS:]}

    def taste(self, design: str) -> dict[str, Any]:
        """What is known of the taste in a design."""
        served = self.served_for(self.store.design(design))
        opinions = self.opinions(design)
        likes = sum(value > 0 for value in opinions.values())
        dislikes = len(opinions) - likes
        told: dict[str, Any] = {"ready": min(likes, dislikes) >= taste.LEAST, "likes": likes, "dislikes": dislikes}
        if not told["ready"]:
            lacking = [
                f"{taste.LEAST - count} more {name}{'s' if taste.LEAST - count > 1 else ''}"
                for count, name in ((likes, "like"), (dislikes, "dislike"))
                if count < taste.LEAST
            ]
            return {**told, "sure": 0.0, "said": f"Needs {' and '.join(lacking)}."}
        use_threads(self.threads)
        fitted = taste.Taste.fit(served.model, self.store.clean(self.store.nodes(opinions)), list(opinions.values()))
        return {**told, "sure": fitted.sure, "said": fitted.said}

    # How a node was made ----------------------------------------------------------------------------------------------

    def how_made(self, node: Row) -> dict[str, Any]:
        """All that a picture says of itself: what `nk replay` would need to know, but for what its parents came of."""
        told = {key: node[key] for key in ("task", "settings", "digest")}
        told |= {"node": node["id"], "parent": node["parent"], "index": node["place"]}
        if node["round"] is not None:
            record = self.store.round(node["round"])
            told |= {key: record[key] for key in ("seed", "n", "parents")} | record["made"]
        return told

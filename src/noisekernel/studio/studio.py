"""The studio without HTTP: designs, models and the queue, and what can be asked of them together."""

import logging
import secrets
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from noisekernel import __version__
from noisekernel.core.errors import InputError, MissingError, NoiseKernelError
from noisekernel.core.randomness import STREAMS
from noisekernel.core.suggestions import unknown
from noisekernel.files.folders import data_folder
from noisekernel.files.locks import lock
from noisekernel.measuring.familiarity import Familiarity
from noisekernel.studio.models import Served
from noisekernel.studio.opinions import taste_of
from noisekernel.studio.rounds import Asked, task_of
from noisekernel.studio.rounds.fields import MOST_SEED
from noisekernel.studio.store import ENDED_BADLY, Row, Store
from noisekernel.studio.work.job import Job
from noisekernel.studio.work.queue import Queue
from noisekernel.studio.work.round_job import RoundJob
from noisekernel.studio.work.threads import threads_to_spare, use_threads

log = logging.getLogger(__name__)


def home() -> Path:
    """Where designs are kept."""
    return data_folder() / "studio"


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
        if any(served.unmeasured or served.unfamiliar for served in self.models.values()):
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
                if served.unfamiliar:
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

    def start_round(self, design: str, request: Asked, client: str, *, attended: bool) -> tuple[Job, Row]:
        """Put a round on the queue."""
        served, settings = self._asked(design, request)
        seed = secrets.randbelow(MOST_SEED + 1) if request.seed is None else request.seed
        self.queue.check_room(client)
        asked = (request.task, settings, seed, request.start, request.candidates)
        return self._submit(self.store.new_round(design, *asked, self._made(served)), served, client, attended)

    def estimate(self, design: str, request: Asked) -> dict[str, Any]:
        """What a round would take if nothing else were under way: network calls, and seconds on this machine."""
        served, settings = self._asked(design, request)
        one = {"task": request.task, "settings": settings, "seed": request.seed or 0, "n": request.candidates}
        one |= {"parents": request.start, "made": self._made(served)}
        work = task_of(request.task).calls(one, self.store)
        use_threads(self.threads)
        seconds = sum(calls * served.seconds(n) for calls, n in work)
        return {"calls": sum(calls for calls, _ in work), "seconds": seconds}

    def _asked(self, design: str, request: Asked) -> tuple[Served, dict[str, Any]]:
        """The model for a round, and its settings with nothing left open; or what is wrong with the request."""
        served = self.served_for(self.store.design(design), adding=True)
        parents = request.start
        for parent in parents:
            if self.store.node(parent)["design"] != design:
                raise InputError("a round starts from nodes of its own design")
        if request.candidates < len(parents):
            raise InputError(f"{len(parents)} nodes were picked, so n has to be {len(parents)} or more, one for each")
        return served, task_of(request.task).settled(request, served, self.store, design)

    def again(self, round: str, client: str, *, attended: bool) -> tuple[Job, Row]:
        """Run a round again that did not come to its end: same settings, same seed, same candidates."""
        record = self.store.round(round)
        if record["state"] not in ENDED_BADLY:
            raise InputError(f"this round is {record['state']}; only one that did not end well is run again")
        if task_of(record["task"]).live:
            raise InputError(f"a live {record['task']} is not run again; start a new one")
        served = self.served_for(self.store.design(record["design"]), adding=True)
        self.queue.check_room(client)
        if not self.store.reopen_round(round, self._made(served)):
            raise InputError("this round is run again already")
        return self._submit(self.store.round(round), served, client, attended)

    def _submit(self, record: Row, served: Served, client: str, attended: bool) -> tuple[Job, Row]:
        job = task_of(record["task"]).job(record, self.store, served, client, attended=attended)
        try:
            self.queue.submit(job)
        except NoiseKernelError:
            self.store.set_round(record["id"], state="cancelled", detail="there was no room for it")
            raise
        return job, record

    def job_of(self, record: Row) -> str | None:
        """The job that works on a round, while there is one."""
        if record["state"] not in ("waiting", "running"):
            return None
        jobs = (job for job in self.queue.jobs() if isinstance(job, RoundJob))
        return next((job.id for job in jobs if job.round["id"] == record["id"]), None)

    def _made(self, served: Served) -> dict[str, Any]:
        """What the bits of a round depend on beside its record."""
        return {
            "noisekernel": __version__,
            "torch": torch.__version__,
            "threads": self.threads,
            "streams": STREAMS,
            "model": served.name,
            "weights": served.weights,
        }

    def taste(self, design: str) -> dict[str, Any]:
        """What is known of the taste in a design."""
        served = self.served_for(self.store.design(design))
        use_threads(self.threads)
        return taste_of(served.model, self.store, design)

    # How a node was made ----------------------------------------------------------------------------------------------

    def how_made(self, node: Row) -> dict[str, Any]:
        """All that the file of a node tells: what `nk replay` would need to know, but for what its parents came of."""
        told = {key: node[key] for key in ("task", "settings", "digest")}
        told |= {"node": node["id"], "parent": node["parent"], "index": node["place"]}
        if node["round"] is not None:
            record = self.store.round(node["round"])
            told |= {key: record[key] for key in ("seed", "n", "parents")} | record["made"]
        return told

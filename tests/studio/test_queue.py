"""The queue: turns are fair, room is bounded, cancelling is prompt, an exception ends one job only."""

import threading
import time

import pytest

from noisekernel.core.errors import FullError, InputError, MissingError
from noisekernel.studio.work.job import Job
from noisekernel.studio.work.queue import Queue


class Counting(Job):
    """So many steps, each written down; `gate` holds the first one back."""

    def __init__(self, log, name, client, steps, *, attended=False, gate=None, fail=None):
        super().__init__(client, attended=attended)
        self.log, self.name, self.steps, self.gate, self.fail = log, name, steps, gate, fail
        self.over = threading.Event()

    def begin(self):
        if self.gate is not None:
            assert self.gate.wait(300)

    def step(self):
        if self.fail is not None:
            raise self.fail
        self.log.append(self.name)
        self.steps -= 1
        if self.steps > 10**6:  # without end: let the others work
            time.sleep(0.001)
        return self.steps == 0

    def end(self, status, detail):
        pass

    def finish(self, status, detail=None):
        super().finish(status, detail)
        self.over.set()


@pytest.fixture
def queue():
    made = Queue(active=3, per_client=2, most=4, grace=600.0)
    made.start()
    yield made
    made.close()


def test_clients_take_turns_step_by_step(queue):
    log, gate = [], threading.Event()
    jobs = [
        Counting(log, "a1", "a", 6, gate=gate),
        Counting(log, "a2", "a", 6),
        Counting(log, "b1", "b", 6),
    ]
    for job in jobs:
        queue.submit(job)
    gate.set()
    for job in jobs:
        assert job.over.wait(300)
    # While both have work, b has every other turn although a has two jobs.
    assert log.index("b1") < 3
    together = log[: len(log) - log[::-1].index("b1")]
    assert 0.4 <= together.count("b1") / len(together) <= 0.6
    assert abs(together.count("a1") - together.count("a2")) <= 1


def test_a_queue_in_order_of_arrival_would_not_pass():
    """The wrong twin: whoever came first goes first."""
    log = ["a1"] * 6 + ["a2"] * 6 + ["b1"] * 6
    together = log[: len(log) - log[::-1].index("b1")]
    assert not 0.4 <= together.count("b1") / len(together) <= 0.6


def test_room_is_bounded(queue):
    log, gate = [], threading.Event()
    jobs = [Counting(log, str(i), client, 1, gate=gate) for i, client in enumerate("aabb")]
    for job in jobs[:2]:
        queue.submit(job)
    with pytest.raises(FullError, match="you have 2 jobs"):
        queue.submit(Counting(log, "x", "a", 1))
    for job in jobs[2:]:
        queue.submit(job)
    with pytest.raises(FullError, match="4 jobs are under way"):
        queue.submit(Counting(log, "x", "c", 1))
    gate.set()
    for job in jobs:
        assert job.over.wait(300)
    assert sorted(log) == ["0", "1", "2", "3"]


def test_what_never_ends_holds_up_nothing_that_does():
    log = []
    queue = Queue(active=1, endless=2)
    queue.start()
    walks = [Counting(log, name, name, 10**9) for name in "abc"]
    try:
        for walk in walks:
            walk.endless = True
            queue.submit(walk)
        job = Counting(log, "job", "d", 3)
        queue.submit(job)
        assert job.over.wait(300)
        assert walks[2].status == "waiting"
    finally:
        queue.close()


def test_cancelled_before_the_next_step_and_while_waiting(queue):
    log, gate = [], threading.Event()
    first = Counting(log, "first", "a", 1_000_000, gate=gate)
    others = [Counting(log, name, name, 1_000_000, gate=gate) for name in "bc"]
    waiting = Counting(log, "waiting", "d", 1)
    for job in (first, *others, waiting):
        queue.submit(job)
    queue.cancel(first.id)
    gate.set()
    assert first.over.wait(300)
    assert first.status == "cancelled"
    assert log.count("first") == 0
    assert waiting.over.wait(300)  # its place became free
    for job in others:
        queue.cancel(job.id)
        assert job.over.wait(300)
    assert queue.cancel(first.id).status == "cancelled"
    with pytest.raises(MissingError):
        queue.cancel("0" * 16)


def test_a_job_whose_tab_is_gone_is_freed_and_a_reload_is_not(queue):
    log = []
    job = Counting(log, "a", "a", 10**9, attended=True)
    alone = Counting(log, "b", "b", 10**9, attended=False)
    heard = threading.Event()
    leave = job.listen(heard.set)
    queue.submit(job)
    queue.submit(alone)
    assert heard.wait(300)
    leave()
    again = job.listen(heard.set)  # a reload, within the grace
    queue.grace = 0.01
    before = len(log)
    while len(log) < before + 20:  # the worker looks at every job before each turn
        time.sleep(0.001)
    assert not job.over.is_set()
    again()
    assert job.over.wait(300)
    assert job.status == "cancelled"
    assert not alone.over.is_set()
    queue.cancel(alone.id)
    assert alone.over.wait(300)


@pytest.mark.parametrize(
    ("error", "said"), [(InputError("no such lag"), "no such lag"), (RuntimeError("/secret/path"), "our mistake")]
)
def test_an_exception_ends_one_job_only(queue, error, said):
    log = []
    bad, good = Counting(log, "bad", "a", 1, fail=error), Counting(log, "good", "b", 3)
    for job in (bad, good):
        queue.submit(job)
    assert bad.over.wait(300)
    assert good.over.wait(300)
    assert (bad.status, good.status) == ("failed", "done")
    assert said in bad.detail
    assert "secret" not in bad.detail
    assert log == ["good"] * 3


def test_questions_are_answered_between_steps(queue):
    log = []
    job = Counting(log, "a", "a", 10**9)
    queue.submit(job)
    before = job.ask(lambda: threading.current_thread().name).result(300)
    assert before == "studio-model"
    with pytest.raises(ZeroDivisionError):
        job.ask(lambda: 1 // 0).result(300)
    queue.cancel(job.id)
    assert job.over.wait(300)
    with pytest.raises(InputError, match="has ended"):
        job.ask(lambda: 1)


def test_measuring_waits_for_idle_moments(queue):
    log, gate = [], threading.Event()
    job = Counting(log, "a", "a", 1, gate=gate)
    queue.submit(job)
    waiter = threading.Thread(target=lambda: (queue.wait_idle(), log.append("idle")))
    waiter.start()
    gate.set()
    waiter.join(300)
    assert log == ["a", "idle"]

"""Turns of the queue are short: whoever waits, waits for one network call, not for a whole beginning or frame."""

from dataclasses import replace

import pytest
import torch
from studio_pictures import RIGHT_HALF, in_base64

from noisekernel.core.errors import InputError
from noisekernel.studio.rounds.fill import Fill
from noisekernel.studio.rounds.sample import Sample
from noisekernel.studio.rounds.steer import Steer
from noisekernel.studio.rounds.vary import Vary
from noisekernel.studio.rounds.walk import Walk
from noisekernel.studio.rounds.walking import frames_again


@pytest.fixture
def calls(digits):
    """The sizes of the batches that the network was called with."""
    sizes = []
    stem = digits.model.denoiser.backbone.stem  # a summary ends at the bottom; every call begins here
    handle = stem.register_forward_pre_hook(lambda _, given: sizes.append(len(given[0])))
    yield sizes
    handle.remove()


@pytest.fixture
def judged(studio, digits):
    """A design with two parents and many opinions, and the parents."""
    design = studio.store.new_design("one", "digits", digits.weights)["id"]
    z = torch.cat([digits.example(i) for i in range(70)])
    nodes = studio.store.add_nodes(design, z, [{"origin": "upload"}] * 70, [None] * 70, kept=True)
    for i, node in enumerate(nodes):
        studio.store.change_node(node["id"], opinion=1 if i % 2 else -1)
    return design, [node["id"] for node in nodes[:2]]


def turns(studio, calls):
    """The number of network calls of each turn, until nothing is left to do."""
    found = []
    while not studio.queue.idle:
        before = len(calls)
        studio.queue._once()
        found.append(len(calls) - before)
    return found


TASKS = {
    "sample": lambda parents: Sample(task="sample", n=3, steps=6),
    "vary": lambda parents: Vary(task="vary", parents=parents, n=4, strength=0.3),
    "vary at constant noise": lambda parents: Vary(
        task="vary", parents=parents, n=3, beta=0.1, steps=5, lag=0.9, readout=2
    ),
    "fill": lambda parents: Fill(task="fill", parents=parents[:1], n=3, steps=6, mask=in_base64(RIGHT_HALF)),
    "steer": lambda parents: Steer(task="steer", parents=parents, n=3, steps=5, readout=2),
}


@pytest.mark.parametrize("task", TASKS)
def test_a_turn_is_one_network_call(studio, judged, calls, task):
    design, parents = judged
    studio.start_round(design, TASKS[task](parents), "me", attended=False)
    found = turns(studio, calls)
    if task == "steer":
        # Two looks at each of 70 opinions, 64 at a time. Then a step is scored by two, and the first at both its ends.
        begin, first, rest = found[:5], found[5], found[6:]
        assert begin == [1] * 5
        assert first == 1 + 2 * 2
        assert max(rest) == 1 + 2
    else:
        assert max(found) == 1
    (record,) = studio.store.rounds(design)
    assert record["state"] == "done"


def test_the_beginning_of_a_round_is_cancelled_midway(studio, judged, calls):
    design, parents = judged
    job, _ = studio.start_round(design, TASKS["vary"](parents), "me", attended=False)
    for _ in range(3):
        studio.queue._once()
    studio.queue.cancel(job.id)
    turns(studio, calls)
    assert len(calls) == 3
    assert job.status == "cancelled"


def test_a_walk_develops_its_frames_a_call_a_turn(studio, judged, calls):
    design, parents = judged
    job, record = studio.start_round(design, Walk(task="walk", parents=parents[:1]), "me", attended=False)
    leave = job.listen(lambda: None)
    early = job.ask(lambda: job.change(0.2, None))  # before it has begun: answered when it has
    found = []
    while len(calls) < 100:
        before = len(calls)
        studio.queue._once()
        found.append(len(calls) - before)
    assert max(found) == 1
    assert early.result(0)["pace"] == 0.2
    # In the midst of a frame, what is saved is the last one that is whole.
    node = job.save()
    studio.queue.cancel(job.id)
    turns(studio, calls)
    leave()
    steps = sum(segment["steps"] for segment in node["settings"]["segments"])
    assert steps >= 1
    parent = studio.store.clean_of(record["parents"])
    (again,) = frames_again(job.served.model, parent, record["seed"], None, [node["settings"]["segments"]])
    assert torch.allclose(again, studio.store.clean_of([node["id"]]), atol=1e-4)


@pytest.mark.parametrize("task", TASKS)
def test_what_a_round_takes_is_told_beforehand(studio, judged, calls, task):
    design, parents = judged
    request = TASKS[task](parents)
    studio.models["digits"].seconds(1)
    calls.clear()
    told = studio.estimate(design, request)
    assert calls == []  # to tell it takes no call, once the model was timed
    studio.start_round(design, request, "me", attended=False)
    turns(studio, calls)
    assert told["calls"] == len(calls)
    assert told["seconds"] > 0


def test_the_estimate_follows_noise_down_its_lines(studio, judged, calls):
    """Two parents of one round have their noise found once, in a batch; those of two seeds, one after the other."""
    design, parents = judged
    made = []
    for seed in (1, 2):
        request = Vary(task="vary", parents=parents, n=2, strength=0.3, seed=seed)
        _, record = studio.start_round(design, request, "me", attended=False)
        turns(studio, calls)
        made.append([node["id"] for node in studio.store.nodes_of_round(record["id"])])
    for chosen, times in ((made[0], 1), ([made[0][0], made[1][0]], 2)):
        request = Vary(task="vary", parents=chosen, n=2, strength=0.3)
        told = studio.estimate(design, request)
        calls.clear()
        studio.start_round(design, request, "me", attended=False)
        turns(studio, calls)
        assert told["calls"] == len(calls) == 20 * times + 21


def test_a_step_with_more_pictures_is_no_quicker(digits, monkeypatch):
    served = replace(digits)
    monkeypatch.setattr("noisekernel.studio.models._seconds_a_step", lambda model, n: {1: 0.01, 12: 0.032}[n])
    assert served.seconds(1) == pytest.approx(0.01)
    assert served.seconds(6) == pytest.approx(0.02)
    assert served.seconds(64) == pytest.approx(0.136)


def test_a_walk_has_no_estimate(studio, judged):
    design, parents = judged
    with pytest.raises(InputError, match="no end of its own"):
        studio.estimate(design, Walk(task="walk", parents=parents[:1]))

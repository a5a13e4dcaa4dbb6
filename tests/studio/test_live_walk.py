"""The live walk: turned, saved and filmed by hand, and every frame can be had again."""

from io import BytesIO

import pytest
import torch
from PIL import Image
from studio_client import events, ok
from studio_pictures import example

from noisekernel.core.errors import InputError
from noisekernel.studio.rounds.walking import LiveWalk, frames_again
from noisekernel.studio.work.walk_job import WalkJob


@pytest.fixture(scope="module")
def z(digits):
    return torch.cat([digits.example(i) for i in (3, 5)])


def test_a_live_walk_is_turned_saved_and_filmed(api, design):
    parent = example(api, design)
    body = {"task": "walk", "parents": [parent], "pace": 0.1, "seed": 4}
    job = ok(api.post(f"/api/designs/{design}/rounds", json=body))["job"]
    stream = events(api, job)

    def frame_where(good):
        return next(data for name, data in stream if name == "frame" and good(data))

    frame_where(lambda data: data["step"] >= 2)
    assert ok(api.post(f"/api/jobs/{job}/record", json={"on": True}))["recording"]
    changed = ok(api.post(f"/api/jobs/{job}/walk", json={"pace": 0.3}))
    assert changed["pace"] == 0.3
    frame_where(lambda data: data["pace"] == 0.3 and data["film"] > changed["film"] + 1)
    saved = ok(api.post(f"/api/jobs/{job}/save"))
    assert (saved["task"], saved["kept"], saved["parent"]) == ("walk", True, parent)
    assert [segment["pace"] for segment in saved["settings"]["segments"]] == [0.1, 0.3]
    assert ok(api.post(f"/api/jobs/{job}/walk", json={"paused": True}))["paused"]
    frame_where(lambda data: data["paused"])  # or whoever comes later would think that it goes on
    still = ok(api.post(f"/api/jobs/{job}/save"))
    assert still["digest"] == ok(api.post(f"/api/jobs/{job}/save"))["digest"]
    assert ok(api.post(f"/api/jobs/{job}/walk", json={"paused": False, "pace": 0.5}))["pace"] == 0.5
    ok(api.post(f"/api/jobs/{job}/record", json={"on": False}))
    ok(api.post(f"/api/jobs/{job}/cancel"))
    assert [name for name, _ in stream][-1] == "state"
    film = api.get(f"/api/jobs/{job}/film.gif")
    assert Image.open(BytesIO(film.content)).n_frames >= 2
    mp4 = api.get(f"/api/jobs/{job}/film.mp4")
    assert mp4.status_code == 200
    assert mp4.content[4:8] == b"ftyp"
    whole = ok(api.get(f"/api/designs/{design}"))
    assert [record["status"] for record in whole["rounds"]] == ["done"]
    assert saved["id"] in {node["id"] for node in whole["nodes"]}
    late = api.post(f"/api/jobs/{job}/save")
    assert (late.status_code, late.json()["detail"]) == (422, "this job has ended")


def test_a_walk_that_waits_is_not_turned(api, design, studio):
    """Refused at once: to wait for its turn would hold a thread of the server."""
    walk = WalkJob({"id": ""}, iter(()), studio.store, studio.models["digits"], "", attended=False)
    studio.queue._waiting.append(walk)
    studio.queue._admit = lambda _: None
    for path, body in (("walk", {"paused": True}), ("save", None), ("record", {"on": True})):
        answer = api.post(f"/api/jobs/{walk.id}/{path}", json=body)
        assert (answer.status_code, "waits for its turn" in answer.json()["detail"]) == (422, True)


def test_a_walk_is_not_run_again(api, design, studio):
    """Its frames lie on one way from its start; a second way would have the same name."""
    settings = {"pace": 0.1, "label": None}
    record = studio.store.new_round(design, "walk", settings, 0, [example(api, design)], 1, {}, state="interrupted")
    refused = api.post(f"/api/rounds/{record['id']}/again")
    assert (refused.status_code, "start a new one" in refused.json()["detail"]) == (422, True)


@pytest.mark.same_call
def test_frames_of_a_walk_can_be_had_again(digits, z):
    walk = LiveWalk.of(digits.model, z[:1], 9, 0.1)
    saved = [(walk.place(), walk.clean)]
    for step in range(12):
        if step == 4:
            walk.pace = 0.3
        if step == 7:
            walk.pace = 0.05
        walk.step()
        if step in (2, 4, 9, 11):
            saved.append((walk.place(), walk.clean))
    assert [len(place) for place, _ in saved] == [1, 1, 2, 3, 3]
    assert saved[-1][0] == [
        {"pace": 0.1, "steps": 4},
        {"pace": 0.3, "steps": 3},
        {"pace": 0.05, "steps": 5},
    ]
    again = frames_again(digits.model, z[:1], 9, None, [place for place, _ in saved])
    for (_, before), after in zip(saved, again, strict=True):
        assert torch.equal(before, after)
    (alone,) = frames_again(digits.model, z[:1], 9, None, [saved[3][0]])
    assert torch.equal(alone, saved[3][1])
    other = [saved[1][0], [{"pace": 0.2, "steps": 4}, {"pace": 0.3, "steps": 1}]]
    with pytest.raises(InputError, match="do not belong together"):
        frames_again(digits.model, z[:1], 9, None, other)


@pytest.mark.same_call
def test_a_full_segment_makes_room_for_the_next(digits, z, monkeypatch):
    monkeypatch.setattr("noisekernel.studio.rounds.walking.MOST_STEPS", 3)
    walk = LiveWalk.of(digits.model, z[:1], 0, 0.1)
    for _ in range(5):
        walk.step()
    assert [segment["steps"] for segment in walk.place()] == [3, 2]
    (again,) = frames_again(digits.model, z[:1], 0, None, [walk.place()])
    assert torch.equal(again, walk.clean)

"""Rounds over HTTP: what a person does, from samples to variants of variants, and from several tabs."""

import base64
import threading
from io import BytesIO

import numpy as np
import pytest
from PIL import Image
from studio_client import events, finish, ok
from studio_pictures import RIGHT_HALF, example, in_base64, pixels

from noisekernel import models


@pytest.mark.same_call
def test_a_design_from_sample_to_variants_of_variants(api, design):
    nodes = finish(api, design, {"task": "sample", "n": 4, "steps": 5, "seed": 1, "label": "3"})
    assert [node["index"] for node in nodes] == [0, 1, 2, 3]
    assert not any(node["kept"] for node in nodes)
    chosen = nodes[2]["id"]
    variants = finish(
        api, design, {"task": "vary", "parents": [chosen], "n": 3, "strength": 0.3, "steps": 5, "seed": 2}
    )
    assert {node["parent"] for node in variants} == {chosen}
    settings = variants[0]["settings"]
    assert (settings["strength"], settings["beta"], settings["lag"]) == (0.3, None, None)
    assert settings["below"] == models.load("digits").curves["renewal"].turned(0.3)
    again = finish(api, design, {"task": "vary", "parents": [chosen], "n": 3, "steps": 5, "seed": 2})
    assert [a["digest"] for a in again] == [v["digest"] for v in variants]
    said = {"task": "vary", "parents": [chosen], "n": 3, "below": settings["below"], "steps": 5, "seed": 2}
    by_level = finish(api, design, said)
    assert [a["digest"] for a in by_level] == [v["digest"] for v in variants]
    assert by_level[0]["settings"]["strength"] is None
    both = [variants[0]["id"], variants[1]["id"]]
    more = finish(api, design, {"task": "vary", "parents": both, "n": 4, "steps": 2, "seed": 3})
    assert [node["parent"] for node in more] == both * 2
    whole = ok(api.get(f"/api/designs/{design}"))
    kept = {node["id"] for node in whole["nodes"] if node["kept"]}
    assert kept == {chosen, *both}
    assert {node["id"] for node in whole["nodes"]} == kept | {node["id"] for node in more}
    assert whole["latest"] == more[0]["round"]
    assert [record["status"] for record in whole["rounds"]] == ["done"] * 5


def test_frames_come_at_once_and_the_last_is_the_result(api, design):
    headers = {"X-Client": "tab"}
    body = {"task": "sample", "n": 5, "steps": 30, "seed": 1}
    job = ok(api.post(f"/api/designs/{design}/rounds", json=body, headers=headers))["job"]
    seen = list(events(api, job))
    frames = [data for name, data in seen if name == "frame"]
    assert frames[-1]["step"] == frames[-1]["steps"] == 30
    assert (frames[-1]["n"], frames[-1]["columns"], frames[-1]["cell"]) == (5, 3, [8, 8])
    assert [name for name, _ in seen if name != "frame"][-2:] == ["state", "done"]
    sprite = Image.open(BytesIO(base64.b64decode(frames[-1]["clean"].partition(",")[2])))
    nodes = seen[-1][1]["nodes"]
    assert np.array_equal(np.asarray(sprite)[8:16, 0:8], pixels(api, nodes[3]))
    assert frames[-1]["noisy"].startswith("data:image/png")
    # Whoever comes late hears the end.
    assert [name for name, _ in events(api, job)][-1] == "done"
    assert ok(api.get(f"/api/jobs/{job}"))["result"]["nodes"] == nodes


def test_painting_redoes_what_is_painted_alone(api, design):
    parent = example(api, design)
    mask = in_base64(RIGHT_HALF)
    body = {"task": "fill", "parents": [parent], "mask": mask, "feather": 2, "n": 2, "steps": 5}
    for node in finish(api, design, body):
        before, after = pixels(api, parent), pixels(api, node["id"])
        assert np.array_equal(before[:, :4], after[:, :4])
        assert not np.array_equal(before, after)


def test_a_mask_is_kept_once_and_small(api, design, studio):
    """However it was sent; every node tells it all the same."""
    wide = BytesIO()
    Image.fromarray(RIGHT_HALF).convert("RGBA").save(wide, "PNG", compress_level=0)
    mask = "data:image/png;base64," + base64.b64encode(wide.getvalue()).decode()
    body = {"task": "fill", "parents": [example(api, design)], "mask": mask, "n": 2, "steps": 2}
    nodes = finish(api, design, body)
    told = nodes[0]["settings"]["mask"]
    assert len(told) < 150 < len(mask)
    assert np.array_equal(studio.models["digits"].model.kind.on_page.read_mask(told)[0].numpy(), RIGHT_HALF > 127)
    assert studio.store.round(nodes[0]["round"])["settings"] == nodes[1]["settings"]
    assert studio.store.node(nodes[1]["id"])["own"] == {}


def test_every_parent_has_a_candidate(api, design):
    both = [example(api, design, 3), example(api, design, 4)]
    refused = api.post(f"/api/designs/{design}/rounds", json={"task": "vary", "parents": both, "n": 1, "steps": 1})
    assert (refused.status_code, "n has to be 2 or more" in refused.json()["detail"]) == (422, True)


def test_taste_is_taught_and_used(api, design):
    nodes = finish(api, design, {"task": "sample", "n": 6, "steps": 5, "seed": 1})
    told = ok(api.get(f"/api/designs/{design}/taste"))
    assert told == {
        "ready": False,
        "likes": 0,
        "dislikes": 0,
        "sure": 0.0,
        "said": "Needs 2 more likes and 2 more dislikes.",
    }
    steer = {"task": "steer", "parents": [nodes[0]["id"]], "n": 2, "steps": 3, "taste": 1.0}
    refused = api.post(f"/api/designs/{design}/rounds", json=steer)
    assert (refused.status_code, "at least 2 likes" in refused.json()["detail"]) == (422, True)
    for node, value in zip(nodes, (1, 1, -1, -1, 1), strict=False):
        assert ok(api.put(f"/api/nodes/{node['id']}/opinion", json={"value": value}))["kept"]
    ok(api.put(f"/api/nodes/{nodes[4]['id']}/opinion", json={"value": 0}))
    told = ok(api.get(f"/api/designs/{design}/taste"))
    assert (told["ready"], told["likes"], told["dislikes"]) == (True, 2, 2)
    assert 0 <= told["sure"] <= 1
    opinions = ok(api.get(f"/api/designs/{design}"))["opinions"]
    told = ok(api.post(f"/api/designs/{design}/estimate", json=steer))
    plain = ok(api.post(f"/api/designs/{design}/estimate", json={"task": "sample", "n": 2, "steps": 3}))
    assert told["calls"] > 3 * plain["calls"]
    assert told["seconds"] > 0
    steered = finish(api, design, steer)
    assert steered[0]["settings"]["opinions"] == opinions
    job = ok(api.post(f"/api/designs/{design}/rounds", json=steer))["job"]
    accepted = [data["accepted"] for name, data in events(api, job) if name == "frame" and "accepted" in data]
    assert all(0 <= share <= 1 for share in accepted)


def test_a_closed_tab_frees_its_job_and_a_cancel_ends_it(api, design, studio):
    body = {"task": "sample", "n": 2, "steps": 5000}
    started = ok(api.post(f"/api/designs/{design}/rounds", json=body, headers={"X-Client": "tab"}))
    job = studio.queue.job(started["job"])
    list(events(api, started["job"], until=lambda name, _: name == "frame"))
    studio.queue.grace = 0.01
    assert _over(job)
    studio.queue.grace = 600.0
    assert ok(api.get(f"/api/rounds/{started['round']}"))["status"] == "cancelled"
    again = ok(api.post(f"/api/rounds/{started['round']}/again"))
    assert again["seed"] == started["seed"]
    stream = events(api, again["job"])
    assert next(stream)[0] == "state"
    ok(api.post(f"/api/jobs/{again['job']}/cancel"))
    assert list(stream)[-1] == ("state", {"status": "cancelled"})
    done = ok(api.post(f"/api/designs/{design}/rounds", json={**body, "steps": 2}))
    list(events(api, done["job"]))
    refused = api.post(f"/api/rounds/{done['round']}/again")
    assert "is done" in refused.json()["detail"]


def _over(job):
    """Wait until a job has ended, without a listener that would keep it."""
    over = threading.Event()
    tell = job.tell

    def told(frame=None):
        tell(frame)
        if job.status in ("cancelled", "done", "failed"):
            over.set()

    job.tell = told
    return job.status == "cancelled" or (over.wait(60) and job.status == "cancelled")


def test_two_tabs_run_a_round_again_once(api, design, studio):
    """Both saw that it was interrupted; whoever is second is told."""
    parent = example(api, design)
    made = {"noisekernel": "", "torch": "", "threads": 1, "model": "digits", "weights": "0" * 64}
    settings = {"beta": 0.1, "strength": None, "lag": 0.9, "steps": 1, "readout": 1, "label": None}
    record = studio.store.new_round(design, "vary", settings, 0, [parent], 2, made, state="interrupted")
    seen = studio.store.round(record["id"])
    job = ok(api.post(f"/api/rounds/{record['id']}/again"))["job"]
    assert list(events(api, job))[-1][0] == "done"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(studio.store, "round", lambda _: seen)
        late = api.post(f"/api/rounds/{record['id']}/again")
    assert (late.status_code, late.json()["detail"]) == (422, "this round is run again already")
    assert len(studio.store.nodes_of_round(record["id"])) == 2


def test_a_parent_stays_while_its_round_is_under_way(api, design, studio):
    first = example(api, design)
    (parent, *_) = finish(api, design, {"task": "vary", "parents": [first], "n": 2, "steps": 2})
    long = {"task": "vary", "parents": [parent["id"]], "beta": 0.1, "steps": 5000}
    job = ok(api.post(f"/api/designs/{design}/rounds", json=long))
    for node in (parent["id"], first):  # what it came of would take it along
        refused = api.delete(f"/api/nodes/{node}")
        assert (refused.status_code, "is under way; cancel it or wait" in refused.json()["detail"]) == (422, True)
    ok(api.post(f"/api/jobs/{job['job']}/cancel"))
    list(events(api, job["job"]))
    assert parent["id"] in ok(api.delete(f"/api/nodes/{first}"))["deleted"]
    refused = api.post(f"/api/rounds/{job['round']}/again")
    assert (refused.status_code, "restore it first" in refused.json()["detail"]) == (404, True)
    assert studio.store.round(job["round"])["state"] == "cancelled"
    ok(api.post(f"/api/nodes/{first}/restore"))
    ok(api.post(f"/api/rounds/{job['round']}/again"))


def test_too_many_jobs_are_refused(api, design):
    body = {"task": "sample", "n": 1, "steps": 5000}
    answers = [api.post(f"/api/designs/{design}/rounds", json=body) for _ in range(7)]
    assert [answer.status_code for answer in answers] == [202] * 6 + [429]
    assert "cancel one" in answers[-1].json()["detail"]
    whole = ok(api.get(f"/api/designs/{design}"))
    assert len(whole["rounds"]) == 6
    assert all(record["job"] for record in whole["rounds"])
    for answer in answers[:6]:
        ok(api.post(f"/api/jobs/{answer.json()['job']}/cancel"))


def test_two_tabs_work_at_once(api, design):
    jobs = [
        ok(api.post(f"/api/designs/{design}/rounds", json={"task": "sample", "n": 1, "steps": 20, "seed": i}))["job"]
        for i in range(2)
    ]
    for job in jobs:
        assert list(events(api, job))[-1][0] == "done"

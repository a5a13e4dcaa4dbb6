"""The studio over HTTP: what a person does, and what a person gets wrong."""

import base64
import json
from io import BytesIO

import numpy as np
import pytest
from conftest_studio import events, finish, ok
from PIL import Image

from noisekernel import models
from noisekernel.kinds.pictures import drawing
from noisekernel.studio.masks import read_mask
from noisekernel.studio.work.walk_job import WalkJob

MASK = np.zeros((8, 8), np.uint8)
MASK[:, 4:] = 255


def png(image):
    content = BytesIO()
    image.save(content, "PNG")
    return content.getvalue()


def picture(width=40, height=30):
    return png(Image.fromarray((np.arange(width * height * 3) % 255).astype(np.uint8).reshape(height, width, 3)))


def example(api, design, index=3):
    return ok(api.post(f"/api/designs/{design}/origins/example", json={"example": index}))["id"]


def pixels(api, node):
    return np.asarray(Image.open(BytesIO(api.get(f"/api/nodes/{node}.png").content)))


def test_health_models_and_examples(api):
    assert ok(api.get("/api/health"))["jobs"] == {"active": 0, "waiting": 0}
    (model,) = ok(api.get("/api/models"))
    assert (model["id"], model["shape"], model["examples"]) == ("digits", [1, 8, 8], 1797)
    assert model["classes"] == [str(i) for i in range(10)]
    assert model["strength"]["curve"]["betas"]
    found = ok(api.get("/api/models/digits/examples?offset=1795&limit=10"))
    assert [each["index"] for each in found] == [1795, 1796]
    assert found[0]["png"].startswith("data:image/png;base64,")
    assert found[0]["label"] in model["classes"]


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
    mask = base64.b64encode(png(Image.fromarray(MASK))).decode()
    body = {"task": "inpaint", "parents": [parent], "mask": mask, "feather": 2, "n": 2, "steps": 5}
    for node in finish(api, design, body):
        before, after = pixels(api, parent), pixels(api, node["id"])
        assert np.array_equal(before[:, :4], after[:, :4])
        assert not np.array_equal(before, after)


def test_a_mask_is_kept_once_and_small(api, design, studio):
    """However it was sent; every node tells it all the same."""
    wide = BytesIO()
    Image.fromarray(MASK).convert("RGBA").save(wide, "PNG", compress_level=0)
    mask = "data:image/png;base64," + base64.b64encode(wide.getvalue()).decode()
    body = {"task": "inpaint", "parents": [example(api, design)], "mask": mask, "n": 2, "steps": 2}
    nodes = finish(api, design, body)
    told = nodes[0]["settings"]["mask"]
    assert len(told) < 150 < len(mask)
    assert np.array_equal(read_mask(told, studio.models["digits"].model.size)[0].numpy(), MASK > 127)
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
    walk = WalkJob(studio.store, studio.models["digits"], "", attended=False)
    studio.queue._waiting.append(walk)
    studio.queue._admit = lambda _: None
    for path, body in (("walk", {"paused": True}), ("save", None), ("record", {"on": True})):
        answer = api.post(f"/api/jobs/{walk.id}/{path}", json=body)
        assert (answer.status_code, "waits for its turn" in answer.json()["detail"]) == (422, True)


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


def test_a_walk_is_not_run_again(api, design, studio):
    """Its frames lie on one way from its start; a second way would have the same name."""
    settings = {"pace": 0.1, "label": None}
    record = studio.store.new_round(design, "walk", settings, 0, [example(api, design)], 1, {}, state="interrupted")
    refused = api.post(f"/api/rounds/{record['id']}/again")
    assert (refused.status_code, "start a new one" in refused.json()["detail"]) == (422, True)


def _over(job):
    """Wait until a job has ended, without a listener that would keep it."""
    import threading

    over = threading.Event()
    tell = job.tell

    def told(frame=None):
        tell(frame)
        if job.status in ("cancelled", "done", "failed"):
            over.set()

    job.tell = told
    return job.status == "cancelled" or (over.wait(60) and job.status == "cancelled")


def test_pictures_come_in_any_size_and_are_fitted(api, design):
    shown = ok(api.post("/api/models/digits/preview", files={"file": ("p.png", picture())}))["png"]
    node = ok(api.post(f"/api/designs/{design}/origins", files={"file": ("p.png", picture())}))
    inside = np.asarray(Image.open(BytesIO(base64.b64decode(shown.partition(",")[2]))))
    assert np.array_equal(inside, pixels(api, node["id"]))
    crop = {"x": 0.5, "y": 0.25, "side": 0.5}
    part = ok(api.post(f"/api/designs/{design}/origins", files={"file": ("p.png", picture())}, data=crop))
    assert part["digest"] != node["digest"]
    assert (part["task"], part["kept"], part["parent"]) == ("upload", True, None)
    beyond = api.post(
        f"/api/designs/{design}/origins", files={"file": ("p.png", picture())}, data={**crop, "side": 1.0}
    )
    assert "beyond the picture" in beyond.json()["detail"]
    half = api.post(f"/api/designs/{design}/origins", files={"file": ("p.png", picture())}, data={"x": 0.1})
    assert "all three" in half.json()["detail"]


def test_a_picture_that_the_model_never_saw_the_like_of_is_told_so(api, design, studio):
    """Before it is used, and on its node; and nothing is said of one that is like the others."""
    own = ok(api.post("/api/models/digits/preview", files={"file": ("p.png", picture())}))
    assert own["unlike"] is True
    assert "unlike those that the model learned from" in own["said"]
    node = ok(api.post(f"/api/designs/{design}/origins", files={"file": ("p.png", picture())}))
    assert (node["unlike"], node["said"]) == (True, own["said"])
    (again,) = ok(api.get(f"/api/designs/{design}"))["nodes"]
    assert again["unlike"] is True
    like = png(studio.models["digits"].model.draw(studio.models["digits"].example(3))[0])
    told = ok(api.post("/api/models/digits/preview", files={"file": ("p.png", like)}))
    assert (told["unlike"], told["said"]) == (False, None)
    assert ok(api.get(f"/api/nodes/{example(api, design)}"))["unlike"] is None  # examples are its own data


def test_nodes_are_starred_named_deleted_and_restored(api, design):
    first = example(api, design)
    nodes = finish(api, design, {"task": "vary", "parents": [first], "n": 2, "steps": 1})
    child = nodes[0]["id"]
    assert ok(api.patch(f"/api/nodes/{child}", json={"starred": True, "name": "  the one "}))["name"] == "the one"
    ok(api.patch(f"/api/designs/{design}", json={"present": child, "name": "new"}))
    gone = ok(api.delete(f"/api/nodes/{first}"))["deleted"]
    assert {first, child} <= set(gone)
    whole = ok(api.get(f"/api/designs/{design}"))
    assert (whole["nodes"], whole["present"], whole["name"]) == ([], None, "new")
    assert {node["id"] for node in ok(api.post(f"/api/nodes/{first}/restore"))} == set(gone)
    ok(api.delete(f"/api/designs/{design}"))
    assert ok(api.get("/api/designs")) == []
    assert ok(api.post(f"/api/designs/{design}/restore"))["id"] == design
    (summary,) = ok(api.get("/api/designs"))
    assert (summary["nodes"], summary["thumb"]) == (2, child)
    assert ok(api.patch(f"/api/designs/{design}", json={"present": None}))["present"] is None


def test_pngs_know_how_they_were_made(api, design, tmp_path):
    first = example(api, design)
    (node,) = finish(api, design, {"task": "vary", "parents": [first], "n": 1, "steps": 2, "seed": 8})
    answer = api.get(f"/api/nodes/{node['id']}.png?scale=4")
    assert "immutable" in answer.headers["cache-control"]
    (tmp_path / "a.png").write_bytes(answer.content)
    with Image.open(tmp_path / "a.png") as image:
        assert image.size == (32, 32)
    made = drawing.how_made(tmp_path / "a.png")
    assert (made["task"], made["seed"], made["settings"]["steps"]) == ("vary", 8, 2)
    assert made["digest"] == node["digest"]
    assert len(made["weights"]) == 64


def test_sheet_and_tree(api, design):
    first = example(api, design)
    finish(api, design, {"task": "vary", "parents": [first], "n": 2, "steps": 1})
    ok(api.patch(f"/api/nodes/{first}", json={"name": "<script>alert(1)</script>"}))
    assert Image.open(BytesIO(api.get(f"/api/designs/{design}/sheet.png").content)).size[0] >= 64
    assert api.get(f"/api/designs/{design}/sheet.png?nodes={first},{first}").status_code == 200
    assert api.get(f"/api/designs/{design}/sheet.png?nodes={'0' * 16}").status_code == 404
    page = api.get(f"/api/designs/{design}/tree.html")
    assert "attachment" in page.headers["content-disposition"]
    assert "<script" not in page.text
    assert "&lt;script&gt;" in page.text
    assert "http://" not in page.text
    assert "https://" not in page.text
    assert page.text.count("<li>") == 1


MISTAKES = [
    ("post", "/api/designs", {"model": "digit"}, 404, "Did you mean 'digits'?"),
    ("post", "/api/designs", {"modl": "digits"}, 422, "model"),
    ("post", "/api/designs", {"model": "digits", "name": "x" * 201}, 422, "at most 200"),
    ("post", "/api/designs", {"model": "digits", "name": "a\u0000b"}, 422, "U+0000 is a control character"),
    ("post", "/api/designs", {"model": "digits", "name": "a\u2028b"}, 422, "U+2028 is a line break"),
    ("post", "/api/designs", {"model": "digits", "name": "a\u202eb"}, 422, "U+202E is a mark that reorders text"),
    ("post", "{d}/rounds", {"task": "smaple"}, 422, "Did you mean 'sample'?"),
    ("post", "{d}/rounds", {"n": 3}, 422, "task is missing"),
    ("post", "{d}/rounds", {"task": "sample", "n": 500}, 422, "n is 500; give at most 64"),
    ("post", "{d}/rounds", {"task": "sample", "n": 0}, 422, "n is 0; give at least 1"),
    ("post", "{d}/rounds", {"task": "sample", "steps": 5001}, 422, "steps is 5001; give at most 5,000"),
    ("post", "{d}/rounds", {"task": "sample", "seed": 2**53}, 422, "give at most 9,007,199,254,740,991"),
    ("post", "{d}/rounds", {"task": "sample", "stepz": 3}, 422, "Did you mean 'steps'?"),
    ("post", "{d}/rounds", {"task": "sample", "label": "zebra"}, 422, "no class called 'zebra'"),
    ("post", "{d}/rounds", {"task": "vary", "parents": []}, 422, "parents is empty; give at least 1"),
    ("post", "{d}/rounds", {"task": "vary", "parents": ["0" * 16]}, 404, "no such node"),
    ("post", "{d}/rounds", {"task": "vary", "parents": ["../../etc"]}, 422, "parents: '../../etc' is no id"),
    ("post", "{d}/rounds", {"task": "vary", "parents": ["{n}"], "beta": 0.1, "strength": 0.1}, 422, "leave one out"),
    ("post", "{d}/rounds", {"task": "vary", "parents": ["{n}"], "below": 0.1, "strength": 0.1}, 422, "leave one out"),
    ("post", "{d}/rounds", {"task": "vary", "parents": ["{n}"], "below": 0.1, "beta": 0.1}, 422, "leave one out"),
    ("post", "{d}/rounds", {"task": "steer", "parents": ["{n}"], "below": 0.1}, 422, "below"),
    ("post", "{d}/rounds", {"task": "vary", "parents": ["{n}"], "lag": 1.0}, 422, "lag is 1.0; give less than 1"),
    ("post", "{d}/rounds", {"task": "vary", "parents": ["{n}"], "lag": 0.5}, 422, "of a walk at constant noise"),
    ("post", "{d}/rounds", {"task": "vary", "parents": ["{n}"], "steps": 0}, 422, "at least 1"),
    ("post", "{d}/rounds", {"task": "walk", "parents": ["{n}"], "beta": 0.5}, 422, "beta"),
    ("post", "{d}/rounds", {"task": "inpaint", "parents": ["{n}"], "mask": "!"}, 422, "base64"),
    ("post", "{d}/origins/example", {"example": 5000}, 422, "this model has 1797"),
    ("put", "/api/nodes/{n}/opinion", {"value": 2}, 422, "value is 2; give at most 1"),
    ("patch", "{d}", {"present": "0" * 16}, 404, "no such node"),
    ("get", "/api/designs/ffffffffffffffff", None, 404, "no such design"),
    ("get", "/api/designs/%00", None, 404, "nothing of this name"),
    ("get", "/api/jobs/ffffffffffffffff/events", None, 404, "no such job"),
    ("get", "/api/models/fashio/examples", None, 404, "There are: digits"),
    ("get", "/api/nodes/{n}.png?scale=65", None, 422, "scale is 65; give at most 64"),
    ("get", "/api/nowhere", None, 404, "nothing at this address"),
    ("delete", "/api/health", None, 405, "does not take"),
]


def test_mistakes_are_answered_in_sentences(api, design):
    node = example(api, design)

    def filled(text):
        return text.replace("{d}", f"/api/designs/{design}").replace("{n}", node)

    for method, path, body, status, said in MISTAKES:
        body = None if body is None else json.loads(filled(json.dumps(body)))
        answer = api.request(method, filled(path), json=body)
        assert answer.status_code == status, (path, body, answer.text)
        assert said in answer.json()["detail"], (path, body, answer.text)
    half = rb'{"model": "digits", "name": "a\ud83db"}'
    broken = ((b"{", "not JSON"), (b"\xff", "send JSON"), (b'{"a": NaN}', ""), (b"[" * 100_000, ""), (half, "name: "))
    for content, said in broken:
        answer = api.post("/api/designs", content=content, headers={"content-type": "application/json"})
        assert answer.status_code in (400, 422)
        assert said in answer.json()["detail"]


NAMES = {
    "joined emoji": "\U0001f469\u200d\U0001f3a8 studies",
    "non-joiner": "\u0646\u0645\u0648\u0646\u0647\u200c\u0647\u0627",
    "wide space": "\u4e8c\u4eba\u3000\u4e09\u4eba",
    "no-break space": "n\u00b0\u00a07",
    "combining": "e\u0301tude",
    "flag of tags": "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
    "right-to-left mark": "a\u200fb",
}


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_names_are_what_people_write(api, design, name):
    assert ok(api.patch(f"/api/designs/{design}", json={"name": name}))["name"] == name
    node = example(api, design)
    assert ok(api.patch(f"/api/nodes/{node}", json={"name": name}))["name"] == name
    file = api.get(f"/api/designs/{design}/design.nkd").content
    again = ok(api.post("/api/designs/import", files={"file": ("a.nkd", file)}))["id"]
    assert ok(api.get(f"/api/designs/{again}"))["name"] == name


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


def test_a_picture_and_its_large_twin_have_names_of_their_own(api, design):
    node = example(api, design)
    names = [api.get(f"/api/nodes/{node}.png{scale}").headers["content-disposition"] for scale in ("", "?scale=8")]
    assert names == [f'inline; filename="{node}.png"', f'inline; filename="{node}-8x.png"']


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


def test_a_design_of_a_model_that_is_not_served(api, studio, design):
    other = studio.store.new_design("old", "gone")["id"]
    answer = api.post(f"/api/designs/{other}/rounds", json={"task": "sample"})
    assert answer.status_code == 422
    assert "not served now" in answer.json()["detail"]
    assert ok(api.get(f"/api/designs/{other}"))["model"] == "gone"


def test_a_design_of_other_weights_is_looked_at_only(api, studio, design):
    node = example(api, design)
    assert studio.store.design(design)["weights"] == studio.models["digits"].weights
    other = studio.store.new_design("old", "digits", "0" * 64)["id"]
    (old,) = studio.store.add_nodes(
        other, studio.store.clean([studio.store.node(node)]), [{"origin": "upload"}], [None]
    )
    vary = {"task": "vary", "parents": [old["id"]], "n": 1, "steps": 1}
    answer = api.post(f"/api/designs/{other}/rounds", json=vary)
    assert (answer.status_code, "other weights" in answer.json()["detail"]) == (422, True)
    for path, body in (("", {"files": {"file": ("p.png", picture())}}), ("/example", {"json": {"example": 3}})):
        answer = api.post(f"/api/designs/{other}/origins{path}", **body)
        assert (answer.status_code, "other weights" in answer.json()["detail"]) == (422, True)
    assert np.array_equal(pixels(api, old["id"]), pixels(api, node))
    unknown = studio.store.new_design("older", "digits")["id"]
    assert finish(api, unknown, {"task": "sample", "n": 1, "steps": 1})


def test_the_interface_describes_itself_offline(api):
    schema = ok(api.get("/openapi.json"))
    assert "/api/designs/{design}/rounds" in schema["paths"]
    (named,) = schema["paths"]["/api/jobs/{job}/events"]["get"]["parameters"]
    assert named["name"] == "job"  # what is offered is heeded
    assert api.get("/docs").status_code == 404
    assert api.get("/redoc").status_code == 404


@pytest.mark.parametrize("name", ["index.html", ""])
def test_the_page_is_sent(api, name):
    answer = api.get(f"/{name}")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/html")

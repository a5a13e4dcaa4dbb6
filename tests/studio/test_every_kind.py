"""The studio over HTTP with data that are no pictures: points and strings, from the start to a design that is replayed.

Whatever a test says of one kind it says of the other, in that kind's words: `CASES`.
"""

import json
import math
from dataclasses import dataclass
from typing import Any

import pytest
import torch
from studio_client import events, finish, ok, serving

from noisekernel.measuring.familiarity import UNLIKE, Familiarity
from noisekernel.studio.design_file import read_design
from noisekernel.studio.models import WAYS, serve
from noisekernel.studio.replay import replay
from noisekernel.studio.studio import Studio
from noisekernel.studio.work.queue import Queue
from small_models import WORDS


@dataclass(frozen=True)
class Case:
    """A kind: what somebody types, what the page shows of it, and how parts of it are marked."""

    model: str
    kind: str
    many: str
    typed: str
    shown: Any
    file: str
    media: str
    mask: str
    redone: tuple[int, ...]
    sheet: str
    films: tuple[str, ...]


CASES = {
    "points": Case(
        model="rows",
        kind="points",
        many="points",
        typed="3.1, 106, 0.005",
        shown=[3.1, 106.0, 0.005],
        file="left,right,tiny\n3.1,106,0.005\n",
        media="text/csv",
        mask='["right"]',
        redone=(1,),
        sheet="image/svg+xml",
        films=("svg", "csv"),
    ),
    "tokens": Case(
        model="words",
        kind="text",
        many="strings",
        typed="hannah",
        shown="hannah",
        file="hannah\n",
        media="text/plain",
        mask="h____h",
        redone=(1, 2, 3, 4),
        sheet="text/plain",
        films=("txt",),
    ),
}


def measured(small):
    """A model that is served, of which nothing is measured behind a test's back."""
    served = serve(str(small.model), str(small.data))
    for way in WAYS:
        served.model.curves[way.name] = way.guess
    served.familiarity = Familiarity.learn(served.model, served.weights)
    return served


@pytest.fixture(scope="module")
def served(rows_model, words_model):
    return {"rows": measured(rows_model), "words": measured(words_model)}


@pytest.fixture
def kinds_studio(tmp_path, served):
    made = Studio(tmp_path / "home", served, threads=1, queue=Queue(grace=600.0))
    yield made
    made.close()


@pytest.fixture
def there(kinds_studio):
    with serving(kinds_studio) as client:
        yield client


@pytest.fixture(params=CASES.values(), ids=CASES)
def case(request):
    return request.param


@pytest.fixture
def begun(there, case):
    return ok(there.post("/api/designs", json={"name": "another kind", "model": case.model}))["id"]


def bring(client, design, text, **form):
    """Send what somebody typed."""
    file = {"file": ("typed.txt", text if isinstance(text, bytes) else text.encode(), "text/plain")}
    return client.post(f"/api/designs/{design}/origins", files=file, data=form)


def clean(studio, ids):
    return studio.store.clean(studio.store.nodes(ids))


def test_the_page_is_told_what_it_needs(there):
    told = {model["id"]: model for model in ok(there.get("/api/models"))}
    rows, words = told["rows"], told["words"]
    assert (rows["kind"], rows["one"], rows["many"], rows["viewer_module"]) == ("points", "point", "points", None)
    assert rows["view"]["columns"] == ["left", "right", "tiny"]
    assert rows["view"]["means"][1] == pytest.approx(100.0, abs=1.0)
    assert all(scale > 0 for scale in rows["view"]["scales"])
    assert (words["kind"], words["one"], words["view"]) == ("text", "string", {"length": 6, "feather": False})
    (first, *_) = ok(there.get("/api/models/rows/examples?limit=2"))
    assert (first["index"], len(first["shown"]), "label" in first) == (0, 3, False)
    shown = [each["shown"] for each in ok(there.get("/api/models/words/examples?limit=10"))]
    assert shown == [*WORDS]


@pytest.mark.same_call
def test_a_design_from_what_was_typed_to_a_replay(there, case, begun, kinds_studio, tmp_path):
    # What is typed is shown as it was typed, before it is used and after.
    file = {"file": ("typed.txt", case.typed.encode(), "text/plain")}
    preview = ok(there.post(f"/api/models/{case.model}/preview", files=file))
    assert preview["shown"] == pytest.approx(case.shown) if case.kind == "points" else preview["shown"] == case.shown
    root = ok(bring(there, begun, case.typed))
    answer = there.get(f"/api/nodes/{root['id']}/show")
    assert (answer.text, answer.headers["content-type"].partition(";")[0]) == (case.file, case.media)
    example = ok(there.post(f"/api/designs/{begun}/origins/example", json={"example": 3}))

    # New samples and variants.
    drawn = finish(there, begun, {"task": "sample", "n": 6, "steps": 8, "seed": 1})
    both = [root["id"], example["id"]]
    varied = finish(there, begun, {"task": "vary", "parents": both, "n": 4, "strength": 0.4, "steps": 8, "seed": 2})
    assert [node["parent"] for node in varied] == both * 2
    still = finish(there, begun, {"task": "vary", "parents": both, "n": 2, "below": 0.0, "steps": 20, "seed": 2})
    found = clean(kinds_studio, [node["id"] for node in still])
    assert torch.allclose(found.float(), clean(kinds_studio, both).float(), atol=0.05)  # found and developed again

    # What is marked is redone, and everything else keeps its bits.
    body = {"task": "fill", "parents": [root["id"]], "mask": case.mask, "n": 6, "steps": 8, "seed": 3}
    filled = clean(kinds_studio, [node["id"] for node in finish(there, begun, body)])
    before = clean(kinds_studio, [root["id"]]).expand_as(filled)
    kept = [place for place in range(before.shape[1]) if place not in case.redone]
    assert torch.equal(filled[:, kept], before[:, kept])
    assert not torch.equal(filled[:, case.redone], before[:, case.redone])

    # Taste, learned from what the network sees, whatever network that is.
    for node, value in zip(drawn, (1, 1, -1, -1), strict=False):
        ok(there.put(f"/api/nodes/{node['id']}/opinion", json={"value": value}))
    assert ok(there.get(f"/api/designs/{begun}/taste"))["ready"]
    steer = {"task": "steer", "parents": [root["id"]], "n": 2, "steps": 4, "taste": 1.0, "seed": 4}
    steered = finish(there, begun, steer)

    # A walk that is recorded and of which a frame is kept.
    walk = {"task": "walk", "parents": [root["id"]], "seed": 5}
    job = ok(there.post(f"/api/designs/{begun}/rounds", json=walk))["job"]
    stream = events(there, job)
    next(data for name, data in stream if name == "frame")
    ok(there.post(f"/api/jobs/{job}/record", json={"on": True}))
    next(data for name, data in stream if name == "frame" and data["film"] > 2)
    saved = ok(there.post(f"/api/jobs/{job}/save"))
    for suffix in case.films:
        film = there.get(f"/api/jobs/{job}/film.{suffix}")
        assert film.status_code == 200
        assert film.headers["content-disposition"] == f'attachment; filename="walk.{suffix}"'
        assert film.text.count("\n") > (2 if suffix != "svg" else 0)
    assert there.get(f"/api/jobs/{job}/film.gif").json()["detail"].startswith("there is no film.gif; films of")
    ok(there.post(f"/api/jobs/{job}/cancel"))

    # Taken away: a sheet, the tree as a page, and a design file that comes out the same wherever it is computed.
    for node in (varied[0], steered[1], saved):
        ok(there.patch(f"/api/nodes/{node['id']}", json={"starred": True}))
    sheet = there.get(f"/api/designs/{begun}/sheet?nodes={root['id']},{varied[0]['id']}")
    assert (sheet.status_code, sheet.headers["content-type"].partition(";")[0]) == (200, case.sheet)
    page = there.get(f"/api/designs/{begun}/tree.html").text
    assert "<img" not in page
    assert f" {case.many} by the model {case.model}" in page
    assert ("<pre>hannah</pre>" if case.kind == "text" else "<th>right</th><td>106</td>") in page
    content = there.get(f"/api/designs/{begun}/design.nkd").content
    again = list(replay(read_design(content), kinds_studio.models[case.model].model))
    assert len(again) > 8
    assert all(each.bits for each in again)
    new = ok(there.post("/api/designs/import", files={"file": ("a.nkd", content)}))["id"]
    assert finish(there, new, {"task": "sample", "n": 1, "steps": 2})


def test_frames_are_in_the_words_of_the_kind(there, case, begun, kinds_studio):
    job = ok(there.post(f"/api/designs/{begun}/rounds", json={"task": "sample", "n": 5, "steps": 30, "seed": 1}))
    seen = list(events(there, job["job"]))
    frames = [data for name, data in seen if name == "frame"]
    first, last = frames[0], frames[-1]
    assert (last["n"], len(last["clean"]), len(last["noisy"])) == (5, 5, 5)
    z = clean(kinds_studio, seen[-1][1]["nodes"])
    assert last["clean"] == kinds_studio.models[case.model].model.kind.on_page.inline(z)
    if case.kind == "text":
        kind = kinds_studio.models[case.model].model.kind
        assert kind.on_page.noisy(torch.full((2, 7), kind.classes)) == ["·" * 7] * 2  # the place of the end too
        # An end that shows before what is still masked is a space.
        assert all(set(text) <= {"·", " ", *"".join(WORDS)} for text in first["noisy"])
        assert all(set(text) <= set("".join(WORDS)) for text in last["clean"])
    else:
        assert all(len(point) == 3 and all(map(math.isfinite, point)) for point in first["noisy"] + last["clean"])
        assert 80 < last["clean"][0][1] < 120  # in the units of the data


def test_a_string_may_change_its_length(there, kinds_studio):
    design = ok(there.post("/api/designs", json={"model": "words"}))["id"]
    root = ok(bring(there, design, "bob"))["id"]
    body = {"task": "fill", "parents": [root], "mask": "b*", "n": 24, "steps": 8, "seed": 1}
    nodes = finish(there, design, body)
    texts = [there.get(f"/api/nodes/{node['id']}/show").text.rstrip("\n") for node in nodes]
    assert all(text.startswith("b") for text in texts)
    assert len({len(text) for text in texts}) > 1
    fixed = finish(there, design, {**body, "mask": "b_b"})
    assert all(there.get(f"/api/nodes/{node['id']}/show").text.rstrip("\n")[2:] in ("", "b") for node in fixed)


def test_a_column_that_is_redone_follows_the_others(there, kinds_studio):
    """What the model learned: `right` is near 2 `left` + 100, with a deviation of 0.3."""
    design = ok(there.post("/api/designs", json={"model": "rows"}))["id"]
    root = ok(bring(there, design, "left,right,tiny\n-3,60,0"))["id"]
    nodes = finish(there, design, {"task": "fill", "parents": [root], "mask": '["right"]', "n": 16, "steps": 20})
    found = kinds_studio.models["rows"].model.kind.on_page.inline(clean(kinds_studio, [node["id"] for node in nodes]))
    assert sum(point[1] for point in found) / 16 == pytest.approx(94.0, abs=2.0)
    assert all(point[0] == pytest.approx(-3.0) and point[2] == pytest.approx(0.0, abs=1e-6) for point in found)


WRONG = {
    "rows": [
        ("1,2", "it has 2 numbers; these points have 3"),
        ("1,two,3", "right is 'two'; points are finite numbers"),
        ("1,2,inf", "tiny is 'inf'; points are finite numbers"),
        ("1,2,3\n4,5,6\n7,8,9", "the text has 3 lines"),
        ("left,rigth,tiny\n1,2,3", "Did you mean 'right'?"),
        ("left,right\n1,2,3", "3 numbers under 2 names"),
        ("left,right\n1,2", "the column tiny is missing"),
        ("1e30,2,3", "is the most that is taken"),
        ("", "it has 0 numbers"),
        (b"\xff\xfe", "no text in UTF-8"),
        ("1," * 600_000, "at most 1,000,000 are taken"),
        ('"' + "1" * 200_000, "is no CSV"),
    ],
    "words": [
        ("Hannah", "the character 'H' is none of"),
        ("hannahs", "it has 7 characters; at most 6 are allowed"),
        ("ada\neve", "the text has 2 lines; give one string"),
        (b"\x89PNG", "no text in UTF-8"),
        ("/etc/passwd", "characters; at most 6"),
    ],
}


@pytest.mark.parametrize("model", WRONG)
def test_what_is_no_example_is_refused_in_a_sentence(there, model):
    design = ok(there.post("/api/designs", json={"model": model}))["id"]
    for text, said in WRONG[model]:
        answer = bring(there, design, text)
        assert answer.status_code == 422, answer.text
        assert said in answer.json()["detail"], answer.text
    assert ok(there.get(f"/api/designs/{design}"))["nodes"] == []


@pytest.mark.parametrize(
    ("model", "changes", "said"),
    [
        ("rows", {"mask": "right"}, 'no JSON array of names of columns, such as ["left"]'),
        ("rows", {"mask": '["rigth"]'}, "Did you mean 'right'?"),
        ("rows", {"mask": "[]"}, "nothing is marked"),
        ("rows", {"mask": "[" * 100_000}, "no JSON array"),
        ("rows", {"mask": "[[1]]"}, "no JSON array"),
        ("rows", {"mask": '["left"]', "feather": 2}, "points have no edges to soften"),
        ("words", {"mask": "hannah"}, "no _ and no *"),
        ("words", {"mask": "_" * 7}, "the pattern has 7 characters; at most 6 are allowed"),
        ("words", {"mask": "_", "feather": 0.5}, "strings have no edges to soften"),
    ],
)
def test_masks_that_are_none(there, model, changes, said):
    design = ok(there.post("/api/designs", json={"model": model}))["id"]
    node = ok(there.post(f"/api/designs/{design}/origins/example", json={"example": 0}))["id"]
    answer = there.post(f"/api/designs/{design}/rounds", json={"task": "fill", "parents": [node], **changes})
    assert (answer.status_code, said in answer.json()["detail"]) == (422, True), answer.text


def test_nothing_is_enlarged_or_cropped_that_has_no_size(there, case, begun):
    node = ok(bring(there, begun, case.typed))["id"]
    answer = there.get(f"/api/nodes/{node}/show?scale=2")
    assert answer.json()["detail"] == f"scale is 2; {case.many} are not enlarged, so leave it out"
    crop = json.dumps({"x": 0, "y": 0, "side": 1})
    answer = bring(there, begun, case.typed, how=crop)
    assert (answer.status_code, "are taken as they are; leave out 'x'" in answer.json()["detail"]) == (422, True)


def test_what_is_typed_opens_no_file_of_the_server(there, tmp_path, monkeypatch):
    """A command takes a word that names a file for that file; what a browser sends is only ever what it says."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "anna").write_text("otto\n")
    (tmp_path / "1,2,3").write_text("left,right,tiny\n7,8,9\n")
    for model, typed, shown in (("words", "anna", "anna"), ("rows", "1,2,3", pytest.approx([1.0, 2.0, 3.0]))):
        file = {"file": ("typed.txt", typed.encode())}
        assert ok(there.post(f"/api/models/{model}/preview", files=file))["shown"] == shown


@pytest.mark.parametrize(("usual", "strange"), [("3,106,0", "3,94,0"), ("-3,94,0.01", "60,300,2")])
def test_what_is_unlike_the_data_is_told_so(there, usual, strange):
    for typed, unlike in ((usual, False), (strange, True)):
        told = ok(there.post("/api/models/rows/preview", files={"file": ("typed.txt", typed.encode())}))
        assert told["unlike"] is unlike, typed
        assert ("unlike all that the model learned from" in (told["said"] or "")) is unlike


def test_of_strings_those_of_the_data_are_the_least_strange(served):
    """A small model is sure of little, so it calls none unlike; but it tells its own words from the same letters."""
    words = served["words"]

    def strangeness(text):
        return words.strangeness(words.model.kind.on_page.read(text.encode(), {}))

    own = [strangeness(word) for word in WORDS]
    others = [strangeness(text) for text in ("vhvhvh", "htbdvo", "tttttt", "nhlvbd", "dlhtnb")]
    assert max(own) < UNLIKE
    assert sum(own) / len(own) < min(others)

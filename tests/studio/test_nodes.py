"""Nodes over HTTP: pictures that come in, what is said of them, and pictures that go out."""

import base64
import json
from io import BytesIO

import numpy as np
from PIL import Image
from studio_client import finish, ok
from studio_pictures import example, picture, pixels, png

from noisekernel.kinds.pictures import drawing


def how(settings):
    """As a form tells how to take a file."""
    return {"how": json.dumps(settings)}


def test_pictures_come_in_any_size_and_are_fitted(api, design):
    shown = ok(api.post("/api/models/digits/preview", files={"file": ("p.png", picture())}))["shown"]
    node = ok(api.post(f"/api/designs/{design}/origins", files={"file": ("p.png", picture())}))
    inside = np.asarray(Image.open(BytesIO(base64.b64decode(shown.partition(",")[2]))))
    assert np.array_equal(inside, pixels(api, node["id"]))
    crop = {"x": 0.5, "y": 0.25, "side": 0.5}
    part = ok(api.post(f"/api/designs/{design}/origins", files={"file": ("p.png", picture())}, data=how(crop)))
    assert part["digest"] != node["digest"]
    assert (part["task"], part["kept"], part["parent"]) == ("upload", True, None)
    beyond = api.post(
        f"/api/designs/{design}/origins", files={"file": ("p.png", picture())}, data=how({**crop, "side": 1.0})
    )
    assert "beyond the picture" in beyond.json()["detail"]
    half = api.post(f"/api/designs/{design}/origins", files={"file": ("p.png", picture())}, data=how({"x": 0.1}))
    assert "all three" in half.json()["detail"]
    assert ok(api.get(f"/api/nodes/{part['id']}"))["settings"]["how"] == crop
    for wrong, said in (
        ("[1]", "no JSON object"),
        ("{", "no JSON object"),
        ('{"x": NaN, "y": 0, "side": 1}', "finite"),
    ):
        answer = api.post(f"/api/designs/{design}/origins", files={"file": ("p.png", picture())}, data={"how": wrong})
        assert (answer.status_code, said in answer.json()["detail"]) == (422, True), answer.text


def test_a_picture_that_the_model_never_saw_the_like_of_is_told_so(api, design, studio):
    """Before it is used, and on its node; and nothing is said of one that is like the others."""
    own = ok(api.post("/api/models/digits/preview", files={"file": ("p.png", picture())}))
    assert own["unlike"] is True
    assert "unlike all that the model learned from" in own["said"]
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
    answer = api.get(f"/api/nodes/{node['id']}/show?scale=4")
    assert "immutable" in answer.headers["cache-control"]
    (tmp_path / "a.png").write_bytes(answer.content)
    with Image.open(tmp_path / "a.png") as image:
        assert image.size == (32, 32)
    made = drawing.how_made(tmp_path / "a.png")
    assert (made["task"], made["seed"], made["settings"]["steps"]) == ("vary", 8, 2)
    assert made["digest"] == node["digest"]
    assert len(made["weights"]) == 64


def test_a_picture_and_its_large_twin_have_names_of_their_own(api, design):
    node = example(api, design)
    names = [api.get(f"/api/nodes/{node}/show{scale}").headers["content-disposition"] for scale in ("", "?scale=8")]
    assert names == [f'inline; filename="{node}.png"', f'inline; filename="{node}-8x.png"']


def test_sheet_and_tree(api, design):
    first = example(api, design)
    finish(api, design, {"task": "vary", "parents": [first], "n": 2, "steps": 1})
    ok(api.patch(f"/api/nodes/{first}", json={"name": "<script>alert(1)</script>"}))
    assert Image.open(BytesIO(api.get(f"/api/designs/{design}/sheet").content)).size[0] >= 64
    assert api.get(f"/api/designs/{design}/sheet?nodes={first},{first}").status_code == 200
    assert api.get(f"/api/designs/{design}/sheet?nodes={'0' * 16}").status_code == 404
    page = api.get(f"/api/designs/{design}/tree.html")
    assert "attachment" in page.headers["content-disposition"]
    assert "<script" not in page.text
    assert "&lt;script&gt;" in page.text
    assert "http://" not in page.text
    assert "https://" not in page.text
    assert page.text.count("<li>") == 1

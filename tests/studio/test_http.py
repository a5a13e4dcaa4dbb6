"""The studio over HTTP: what it says of itself and its models, and what a person gets wrong."""

import json

import numpy as np
import pytest
from studio_client import finish, ok
from studio_pictures import example, picture, pixels


def test_health_models_and_examples(api):
    assert ok(api.get("/api/health"))["jobs"] == {"active": 0, "waiting": 0}
    (model,) = ok(api.get("/api/models"))
    assert (model["id"], model["kind"], model["examples"]) == ("digits", "pictures", 1797)
    assert (model["one"], model["many"], model["viewer_module"]) == ("picture", "pictures", None)
    assert model["view"] == {"width": 8, "height": 8, "feather": True}
    assert model["classes"] == [str(i) for i in range(10)]
    assert model["strength"]["curve"]["betas"]
    found = ok(api.get("/api/models/digits/examples?offset=1795&limit=10"))
    assert [each["index"] for each in found] == [1795, 1796]
    assert found[0]["shown"].startswith("data:image/png;base64,")
    assert found[0]["label"] in model["classes"]


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
    ("post", "{d}/rounds", {"task": "fill", "parents": ["{n}"], "mask": "!"}, 422, "base64"),
    ("post", "{d}/origins/example", {"example": 5000}, 422, "this model has 1797"),
    ("put", "/api/nodes/{n}/opinion", {"value": 2}, 422, "value is 2; give at most 1"),
    ("patch", "{d}", {"present": "0" * 16}, 404, "no such node"),
    ("get", "/api/designs/ffffffffffffffff", None, 404, "no such design"),
    ("get", "/api/designs/%00", None, 404, "nothing of this name"),
    ("get", "/api/jobs/ffffffffffffffff/events", None, 404, "no such job"),
    ("get", "/api/models/fashio/examples", None, 404, "There are: digits"),
    ("get", "/api/nodes/{n}/show?scale=65", None, 422, "scale is 65; give at most 64"),
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

"""A design file replays bit for bit; one changed seed, one flipped bit, is told."""

import io
import itertools
import json
import zipfile

import numpy as np
import pytest
from PIL import Image
from safetensors.torch import load, save
from studio_client import events, finish, ok
from studio_pictures import RIGHT_HALF, in_base64


def like(api, node, value):
    return ok(api.put(f"/api/nodes/{node}/opinion", json={"value": value}))


@pytest.fixture
def made(api, design):
    """A design with a round of every task in it, and its file."""
    first = ok(api.post(f"/api/designs/{design}/origins/example", json={"example": 7}))["id"]
    new = finish(api, design, {"task": "sample", "n": 4, "steps": 3, "seed": 1, "label": "4"})
    for node, value in zip(new, (1, 1, -1, -1), strict=True):
        like(api, node["id"], value)
    few = {"steps": 2, "readout": 2}
    walked = finish(api, design, {"task": "vary", "parents": [first], "beta": 0.2, "n": 2, "seed": 6, **few})
    both = [walked[0]["id"], new[0]["id"]]
    varied = finish(api, design, {"task": "vary", "parents": both, "n": 3, "steps": 4, "seed": 2})
    for seed in (7, 8):  # variants of variants, whose noise is that of their line
        both = [varied[2]["id"], varied[1]["id"]]
        varied = finish(api, design, {"task": "vary", "parents": both, "n": 3, "steps": 4, "seed": seed})
    mask = in_base64(RIGHT_HALF)
    filled = finish(
        api,
        design,
        {"task": "fill", "parents": [varied[1]["id"]], "mask": mask, "feather": 1.5, "n": 2, "steps": 3, "seed": 3},
    )
    steered = finish(
        api, design, {"task": "steer", "parents": [filled[0]["id"]], "n": 2, "taste": 0.7, "seed": 4, **few}
    )
    ok(api.patch(f"/api/nodes/{steered[1]['id']}", json={"name": "the last"}))
    walk = {"task": "walk", "parents": [steered[1]["id"]], "pace": 0.1, "seed": 5}
    job = ok(api.post(f"/api/designs/{design}/rounds", json=walk))["job"]
    stream = events(api, job)
    next(data for name, data in stream if name == "frame" and data["step"] > 1)
    ok(api.post(f"/api/jobs/{job}/walk", json={"pace": 0.2}))
    next(data for name, data in stream if name == "frame" and data["pace"] == 0.2)
    ok(api.post(f"/api/jobs/{job}/save"))
    ok(api.post(f"/api/jobs/{job}/cancel"))
    list(stream)
    like(api, new[1]["id"], 0)  # the taste of the round that was steered is remembered all the same
    ok(api.delete(f"/api/nodes/{new[3]['id']}"))
    content = api.get(f"/api/designs/{design}/design.nkd").content
    return design, content


def changed(content, record=lambda _: None, data=lambda _: None):
    """The file with its record or its data changed in place."""
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        told, z = json.loads(file.read("design.json")), load(file.read("z.safetensors"))
    record(told)
    data(z)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        file.writestr("design.json", json.dumps(told))
        file.writestr("z.safetensors", save(z))
    return out.getvalue()


@pytest.mark.same_call
def test_every_node_bit_for_bit_and_every_change_is_told(made, api, run, tmp_path):
    design, content = made
    (tmp_path / "a.nkd").write_bytes(content)
    code, out, err = run("replay", "a.nkd", "--out", "again")
    kept = [node for node in ok(api.get(f"/api/designs/{design}"))["nodes"] if node["kept"]]
    total = len(list((tmp_path / "again").iterdir()))
    assert (code, out, err) == (0, f"{total} of {total} nodes are the same, bit for bit.\n", "")
    assert total == len(kept) + 1  # and the deleted one, that taste was taught by
    for node in kept:
        with Image.open(tmp_path / "again" / f"{node['id']}.png") as image:
            shown = np.asarray(Image.open(io.BytesIO(api.get(f"/api/nodes/{node['id']}/show").content)))
            assert np.array_equal(np.asarray(image), shown)

    # The wrong twins: another seed in one round; one bit of an origin; another pace in the last step of a walk.
    def reseed(record):
        record["rounds"][2]["seed"] += 1

    (tmp_path / "b.nkd").write_bytes(changed(content, reseed))
    code, out, _ = run("replay", "b.nkd", "--json")
    assert code == 1
    assert len(json.loads(out)["differ"]) >= 2  # the round's own, and what came of it

    origin = next(node for node in kept if node["task"] == "example")["id"]

    def flip(z):
        z[origin].view(-1).numpy().view(np.uint8)[0] ^= 1

    flipped = changed(content, data=flip)
    (tmp_path / "c.nkd").write_bytes(flipped)
    code, out, _ = run("replay", "c.nkd")
    assert code == 1
    assert f"differs: {origin}\n" in out
    refused = api.post("/api/designs/import", files={"file": ("c.nkd", flipped)})
    assert (refused.status_code, origin in refused.json()["detail"]) == (422, True)

    varied = next(node for node in kept if node["task"] == "vary")["id"]

    def damage(z):
        z[varied].zero_()

    (tmp_path / "damaged.nkd").write_bytes(changed(content, data=damage))  # of what is computed again
    code, out, _ = run("replay", "damaged.nkd")
    assert (code, out.splitlines()[0]) == (1, f"differs: {varied}")

    def redial(record):
        walked = next(node for node in record["nodes"] if "segments" in node["settings"])
        walked["settings"]["segments"][-1]["pace"] = 0.21

    (tmp_path / "d.nkd").write_bytes(changed(content, redial))
    assert run("replay", "d.nkd")[0] == 1

    # Into a studio and out again: the same design, and it still replays.
    there = ok(api.post("/api/designs/import", files={"file": ("a.nkd", content)}))["id"]
    before, after = (
        sorted(node["digest"] for node in ok(api.get(f"/api/designs/{d}"))["nodes"] if node["kept"])
        for d in (design, there)
    )
    assert before == after
    (tmp_path / "e.nkd").write_bytes(api.get(f"/api/designs/{there}/design.nkd").content)
    assert run("replay", "e.nkd")[0] == 0
    variants = ok(api.get(f"/api/designs/{there}"))["nodes"]
    assert finish(api, there, {"task": "vary", "parents": [variants[-1]["id"]], "n": 1, "steps": 1})


def test_on_another_processor_nodes_are_the_same_up_to_rounding(made, run, tmp_path):
    _, content = made
    (tmp_path / "a.nkd").write_bytes(content)
    code, out, _ = run("replay", "a.nkd", "--json")
    told = json.loads(out)
    assert (code, told["differ"]) == (0, [])
    assert told["rounded"] > 5
    assert 0 < told["largest_difference"] < 1e-3

    def reseed(record):
        record["rounds"][2]["seed"] += 1

    (tmp_path / "b.nkd").write_bytes(changed(content, reseed))
    code, out, _ = run("replay", "b.nkd")
    assert code == 1
    assert "up to rounding" in out


def test_files_with_something_wrong(made, api, run, tmp_path):
    _, content = made

    def broken(record):
        record["rounds"][0]["parents"] = ["0" * 16]

    def another_model(record):
        record["model"] = "cats"

    def other_weights(record):
        for one in record["rounds"]:
            one["made"]["weights"] = "0" * 64

    def unheard_of(record):
        record["rounds"][1]["settings"]["lag"] = 7

    def left_open(record):
        record["rounds"][2]["settings"]["below"] = None

    def no_taste(record):
        next(one for one in record["rounds"] if one["task"] == "steer")["settings"]["opinions"] = {}

    def of_before(record):
        record["format"] = 3
        record["rounds"][0]["task"] = "inpaint"  # which was the name of a task then

    def extra(record):
        record["nodes"][0]["path"] = "/etc/passwd"

    for change, said in (
        (broken, "do not fit together"),
        (another_model, "which is not served now"),
        (other_weights, "another model that is called 'digits'"),
        (unheard_of, "lag"),
        (left_open, "without its noise level"),
        (no_taste, "without its opinions"),
        (of_before, "the design file has format 3; this version reads format 4"),
        (extra, "path"),
    ):
        answer = api.post("/api/designs/import", files={"file": ("x.nkd", changed(content, change))})
        assert answer.status_code == 422
        assert said in answer.json()["detail"], answer.text
    (tmp_path / "f.nkd").write_bytes(changed(content, other_weights))
    code, _, err = run("replay", "f.nkd")
    assert code == 2
    assert "other weights" in err
    assert run("replay", "nowhere.nkd")[0] == 2
    (tmp_path / "g.nkd").write_bytes(b"hello")
    assert "not a design file" in run("replay", "g.nkd")[2]


def test_files_that_claim_too_much_are_refused_before_any_work(made, api, run, tmp_path, monkeypatch):
    _, content = made
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        origin = next(node["id"] for node in json.loads(file.read("design.json"))["nodes"] if node["round"] is None)

    def walks_for_ever(record):
        walked = next(node for node in record["nodes"] if "segments" in node["settings"])
        walked["settings"]["segments"] += [{"pace": 0.1, "steps": 10**6}] * 1000

    def many_steps(record):
        record["rounds"][0]["settings"]["steps"] = 10**9

    def one_long_walk(record):
        walked = next(node for node in record["nodes"] if "segments" in node["settings"])
        walked["settings"]["segments"] = [{"pace": 0.1, "steps": 10**6}]

    def set_to(value):
        return lambda z: z[origin].fill_(value)

    for file, said in (
        (changed(content, walks_for_ever), "steps; at most 10,000,000 are taken"),
        (changed(content, many_steps), "steps: "),
        (changed(content, data=set_to(1e30)), f"damaged: node {origin} has values up to 1e+30"),
        (changed(content, data=set_to(float("nan"))), f"damaged: node {origin} has values up to nan"),
    ):
        answer = api.post("/api/designs/import", files={"file": ("x.nkd", file)})
        assert answer.status_code == 422
        assert said in answer.json()["detail"], answer.text
        (tmp_path / "x.nkd").write_bytes(file)
        code, _, err = run("replay", "x.nkd")
        assert code == 2
        assert said in err
    # What is possible but takes long is told after its first steps, here by a clock on which each takes a second.
    seconds = itertools.count(0.0, 4.0)
    monkeypatch.setattr("noisekernel.cli.cost.clock", lambda: next(seconds))
    (tmp_path / "y.nkd").write_bytes(changed(content, one_long_walk))
    code, _, err = run("replay", "y.nkd")
    assert code == 2
    assert "this takes about 12 days; add --yes" in err


def test_no_file_is_written_that_could_not_be_read_again(made, api, monkeypatch):
    design, content = made
    for name, most in (
        ("MOST_FILE_BYTES", len(content) - 1),
        ("MOST_BYTES", {"design.json": 10**6, "z.safetensors": 99}),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(f"noisekernel.studio.design_file.record.{name}", most)
            answer = api.get(f"/api/designs/{design}/design.nkd")
            assert answer.status_code == 422
            assert "too many for a file that can be read again" in answer.json()["detail"]


def test_an_empty_design_is_a_file_too(api, design, run, tmp_path):
    content = api.get(f"/api/designs/{design}/design.nkd").content
    assert ok(api.post("/api/designs/import", files={"file": ("a.nkd", content)}))["id"] != design
    (tmp_path / "a.nkd").write_bytes(content)
    assert run("replay", "a.nkd")[:2] == (0, "0 of 0 nodes are the same, bit for bit.\n")


def test_a_file_whose_origins_have_parents_or_names_that_cannot_be_shown_is_refused(made, api):
    _, content = made

    def cycle(record):
        origin = next(node for node in record["nodes"] if node["round"] is None)
        origin["parent"] = origin["id"]

    def unprintable(record):
        record["nodes"][0]["name"] = "\x1b[2J"

    for change in (cycle, unprintable):
        answer = api.post("/api/designs/import", files={"file": ("e.nkd", changed(content, change))})
        assert (answer.status_code, "damaged" in answer.json()["detail"]) == (422, True)

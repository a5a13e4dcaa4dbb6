"""Every command works on data that are no pictures: numbers from a CSV file, and strings."""

import json

import pytest

from helpers import refused

COLUMNS = "height,weight,age"


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kinds")
    rows = [f"{150 + i % 40},{50 + i % 40 + i % 7},{20 + i % 60}" for i in range(400)]
    (folder / "people.csv").write_text("\n".join([COLUMNS, *rows]))
    names = ["anna", "otto", "bob", "hannah", "ada", "eve", "nan", "abba", "ann", "hanna"] * 20
    (folder / "names.txt").write_text("\n".join(names))
    return folder


@pytest.fixture(scope="module")
def models(home):
    import noisekernel as nk

    few = {"training.images": 128, "training.batch": 32}
    for name in ("people.csv", "names.txt"):
        nk.fit(home / name, home / name.split(".")[0], settings=few, progress=False)
    return {"points": home / "people", "tokens": home / "names"}


@pytest.mark.training
def test_training_says_which_kind_it_took_the_data_for(run, home, tmp_path):
    code, _, err = run("train", home / "names.txt", "--out", "r", "--set", "training.images=32")
    assert code == 0
    assert "taken for strings (--kind says otherwise)" in " ".join(err.split())
    assert [path.suffix for path in (tmp_path / "r" / "samples").iterdir()] == [".txt"]
    code, out, _ = run("train", home / "people.csv", "--out", "q", "--dry-run")
    assert code == 0
    assert "400 points of 3 columns (height, weight, age)" in " ".join(out.split())


@pytest.mark.training
@pytest.mark.parametrize(("kind", "example", "mask"), [("points", "180,75,30", "weight"), ("tokens", "anna", "_n*")])
def test_all_commands(run, tmp_path, home, models, kind, example, mask):
    model = models[kind]
    suffix, page = {"points": (".csv", ".svg"), "tokens": (".txt", ".txt")}[kind]
    lines = 1 if kind == "points" else 0  # the names of the columns
    data = home / {"points": "people.csv", "tokens": "names.txt"}[kind]

    assert run("sample", model, "-n", 5, "--steps", 3, "--batch-size", 2)[0] == 0
    text = (tmp_path / "samples" / f"examples{suffix}").read_text()
    assert len(text.splitlines()) == 5 + lines
    assert (tmp_path / "samples" / f"sheet{page}").exists()
    manifest = json.loads((tmp_path / "samples" / "manifest.json").read_text())
    assert [each["line"] for each in manifest["examples"]] == list(range(5))
    assert manifest["finished"] is True
    # The same seed, one at a time: the same samples.
    assert run("sample", model, "-n", 5, "--steps", 3, "--out", "again", "--batch-size", 5)[0] == 0
    if kind == "tokens":
        assert (tmp_path / "again" / "examples.txt").read_text() == text

    assert run("vary", model, example, "-n", 3, "--below", 0.3, "--steps", 3)[0] == 0
    first = (tmp_path / "variants" / f"examples{suffix}").read_text().splitlines()[lines]
    assert first == example
    assert run("equilibrate", model, example, "-n", 2, "--steps", 2)[0] == 0
    code, out, _ = run("fill", model, example, "--mask", mask, "-n", 2, "--steps", 3, "--json")
    assert code == 0
    assert json.loads(out)["mask"] == mask
    filled = (tmp_path / "filled" / f"examples{suffix}").read_text().splitlines()[lines:]
    if kind == "points":
        assert all(row.split(",")[0] == "180" and row.split(",")[2] == "30" for row in filled)  # what was kept
    else:
        assert all(row == "" or len(row) == 1 or row[1] == "n" for row in filled)
    assert run("fill", model, data, "--tiles", 1, "--keep", 0.5, "-n", 1, "--steps", 2, "--out", "many")[0] == 0
    assert run("walk", model, example, "-n", 2, "--steps", 2)[0] == 0
    assert (tmp_path / f"walk{page}").exists()
    code, out, _ = run("evaluate", model, "--data", data, "-n", 40, "--steps", 2)
    assert code == 0
    assert "against" in out
    assert run("info", model)[0] == 0
    best = {"points": "height", "tokens": "long"}[kind]
    several = ("--rounds", 2, "--score", best, "--below", 0.3, "--steps", 2, "-n", 3, "--out", "rounds")
    assert run("vary", model, example, *several)[0] == 0


@pytest.mark.training
def test_mistakes(run, tmp_path, home, models):
    refused(run("vary", models["points"], "1,2"), "it has 2 numbers; these points have 3")
    refused(run("vary", models["points"], "a,b,c"), "neither a CSV file nor numbers with commas between them")
    refused(run("vary", models["tokens"], "ÄÖ"), "is none of")
    refused(run("fill", models["points"], "1,2,3", "--mask", "wight"), "Did you mean 'weight'")
    refused(run("fill", models["tokens"], "anna", "--mask", "anna"), "there is nothing to fill in")
    refused(run("walk", models["tokens"], "--out", "x.gif"), "walks of strings are written as .txt")
    refused(run("walk", models["points"], "--out", "x.gif"), "walks of points are .svg (a moving plot) or .csv")
    refused(run("train", home / "people.csv", "--kind", "tokenz", "--out", "z"), "Did you mean 'tokens'")
    refused(run("train", home / "people.csv", "--kind", "tokens", "--out", "z"), "holds points, and this recipe is for")
    (tmp_path / "mixed.csv").write_text("a,b\n1,2\n3,x\n")
    refused(run("train", "mixed.csv", "--kind", "points", "--out", "z"), "holds tables, and this recipe is for points")
    (tmp_path / "odd.csv").write_text("a,b\n1,2,3\n")
    refused(run("train", "odd.csv", "--out", "z"), "odd.csv, row 2: 3 cells where there are 2 columns")
    (tmp_path / "empty.txt").write_text("\n\n")
    refused(run("train", "empty.txt", "--out", "z"), "holds no line of text")
    (tmp_path / "same.csv").write_text("a,b\n1,2\n1,3\n")
    refused(run("train", "same.csv", "--out", "z"), "the column a has one and the same value everywhere")


@pytest.mark.training
@pytest.mark.parametrize("kind", ["points", "tokens"])
def test_the_page_of_a_diagnosis_shows_examples_of_any_kind(run, tmp_path, home, models, kind):
    data = home / {"points": "people.csv", "tokens": "names.txt"}[kind]
    options = ("--steps", 8, "-n", 8, "--pairs", 40, "--batch-size", 64)
    code, _, err = run("diagnose", models[kind], "--data", data, "--out", "d", *options)
    assert code == 0, err
    page = (tmp_path / "d" / "diagnose.html").read_text()
    many, one = {"points": ("points", "point"), "tokens": ("strings", "string")}[kind]
    for said in (f"{many}</dd>", f"variants of a {one}", f"real {many}, as many", "principal components of the data"):
        assert said in page, said
    assert "picture" not in page.lower()
    assert ('<img src="data:image/svg+xml;base64,' if kind == "points" else "<pre>") in page


@pytest.mark.training
@pytest.mark.parametrize("kind", ["points", "tokens"])
def test_the_demo_is_a_tour_of_any_kind(run, tmp_path, home, kind):
    data = home / {"points": "people.csv", "tokens": "names.txt"}[kind]
    small = ("--set", "training.images=128", "--set", "training.batch=32", "--set", "network.width=16")
    code, out, err = run("demo", "--data", data, "--out", "d", *small)
    assert code == 0, err
    page = (tmp_path / "d" / "report.html").read_text()
    many = {"points": "points", "tokens": "strings"}[kind]
    for said in (f"<h2>New {many}</h2>", "<h2>A tree of variants</h2>", "<h2>Filling in</h2>", "<text "):
        assert said in page, said
    assert "picture" not in page.lower()
    assert f"new {many}" in out
    assert "nk vary d/run EXAMPLE" in out

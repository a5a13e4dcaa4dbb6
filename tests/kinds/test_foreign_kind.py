"""A kind of data from someone else's package: found by its entry point, and used by every part like our own."""

import json

import pytest

from foreign_kind import install, python


@pytest.fixture
def elsewhere(tmp_path):
    return install(tmp_path)


@pytest.mark.training
def test_a_kind_of_another_package_goes_through_everything(elsewhere, tmp_path):
    done = python(
        """
        import json, torch, noisekernel as nk
        model = nk.fit("rolls.txt", "run", kind="dice", progress=False)
        z = model.read(["dice 1 2 3"])
        filled = nk.fill(model, z, model.kind.mask("__k", [])[0], 2, steps=4)
        again = nk.load("run")
        judged = nk.measure(again, "rolls.txt", n=20, steps=4)
        print(json.dumps({
            "kind": again.kind.kind, "new": again.draw(nk.synthesize(again, 2, steps=4)), "filled": again.draw(filled),
            "names": sorted(nk.kinds.kinds()), "judged": judged.how["kind"], "files": sorted(p.suffix for p in
            __import__("pathlib").Path("run/samples").iterdir()),
        }))
        """,
        elsewhere,
        tmp_path,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    told = json.loads(done.stdout.splitlines()[-1])
    assert told["kind"] == "dice"
    assert told["names"] == ["dice", "pictures", "points", "tokens"]
    assert all(text.startswith("dice ") for text in told["new"])
    assert all(text.endswith(" 3") for text in told["filled"])  # what was kept
    assert told["judged"] == "rolls"
    assert set(told["files"]) == {".txt"}
    assert "the kind 'broken' (nowhere:Nothing) cannot be used" in done.stderr

    # The data may be either kind, so nobody guesses; and without the package the model is refused by its kind.
    both = python("import noisekernel as nk; nk.fit('rolls.txt', progress=False)", elsewhere, tmp_path)
    assert "may be tokens or dice; say which: --kind tokens" in both.stderr
    without = python("import noisekernel as nk; nk.load('run')", None, tmp_path)
    assert "is a model of data of the kind 'dice', which is not known here" in without.stderr
    assert "install the package that provides it" in " ".join(without.stderr.split())

"""A kind of data from someone else's package: found by its entry point, and used by every part like our own.

The package is the skeleton of docs/extending, with the entry point that the page shows.
"""

import json
import os
import re
import subprocess
import sys
import textwrap
import tomllib

import pytest

from skeletons import FOLDER, PIECES


@pytest.fixture
def elsewhere(tmp_path):
    """A folder with an installed package in it, as pip leaves one."""
    page = (FOLDER / "index.md").read_text()
    (entry,) = [toml for toml in re.findall(r"```toml\n(.*?)```", page, re.DOTALL) if "noisekernel.kinds" in toml]
    ((group, listed),) = tomllib.loads(entry)["project"]["entry-points"].items()
    assert listed == {"dna": "my_kind:Dna"}
    site = tmp_path / "site"
    about = site / "my_kind-1.0.dist-info"
    about.mkdir(parents=True)
    (site / "my_kind.py").write_text((FOLDER / "my_kind.py").read_text())
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: my-kind\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[{group}]\ndna = {listed['dna']}\nbroken = nowhere:Nothing\n")
    (tmp_path / "pieces.txt").write_text("".join(f"{piece}\n" for piece in PIECES))
    return site


def python(code, site, tmp_path):
    path = os.pathsep.join([str(site), *filter(None, [os.environ.get("PYTHONPATH")])]) if site else None
    env = {**os.environ, "OMP_NUM_THREADS": "1", **({"PYTHONPATH": path} if path else {})}
    command = [sys.executable, "-c", textwrap.dedent(code)]
    return subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=env, timeout=300)


@pytest.mark.training
def test_a_kind_of_another_package_goes_through_everything(elsewhere, tmp_path):
    done = python(
        """
        import json, pathlib, noisekernel as nk
        from noisekernel.kinds import check_kind
        from noisekernel.models import check_model
        from my_kind import Dna

        pieces = pathlib.Path("pieces.txt").read_text().split()
        check_kind(Dna, pieces, bad=["AX"], example=pieces[0], mask="__GTAC")
        two_steps = {"training.images": 16, "training.batch": 8}
        model = nk.fit("pieces.txt", "run", kind="dna", settings=two_steps, progress=False)
        check_model(model, pieces)
        again = nk.load("run")
        judged = nk.measure(again, "pieces.txt", n=20, steps=4)
        filled = again.fill([pieces[0]], "__GTAC", 2, steps=4)
        print(json.dumps({
            "kind": again.kind.kind, "new": again.draw(again.sample(2, steps=4)), "filled": again.draw(filled),
            "names": sorted(nk.kinds.kinds()), "judged": judged.how["kind"],
            "files": sorted(p.suffix for p in pathlib.Path("run/samples").iterdir()),
        }))
        """,
        elsewhere,
        tmp_path,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    told = json.loads(done.stdout.splitlines()[-1])
    assert told["kind"] == "dna"
    assert told["names"] == ["dna", "music", "pictures", "points", "tables", "tokens"]
    assert all(len(piece) == 6 and set(piece) <= set("ACGT") for piece in told["new"])
    assert all(piece.endswith("GTAC") for piece in told["filled"])  # what was kept
    assert told["judged"] == "pieces"
    assert set(told["files"]) == {".txt"}
    assert "the kind 'broken' (nowhere:Nothing) cannot be used" in done.stderr

    # The data may be either kind, so nobody guesses; and without the package the model is refused by its kind.
    both = python("import noisekernel as nk; nk.fit('pieces.txt', progress=False)", elsewhere, tmp_path)
    assert "may be tokens or dna; say which: --kind tokens" in both.stderr
    without = python("import noisekernel as nk; nk.load('run')", None, tmp_path)
    assert "is a model of data of the kind 'dna', which is not known here" in without.stderr
    assert "install the package that provides it" in " ".join(without.stderr.split())

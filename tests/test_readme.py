"""What the README and the docs say can be typed: its Python runs, its commands and links exist."""

import re
import shlex
from pathlib import Path

import pytest
from PIL import Image
from typer.main import get_command
from typer.testing import CliRunner

import noisekernel as nk
from noisekernel import recipes
from noisekernel.cli.main import app
from noisekernel.core import settings
from noisekernel.kinds.music.grid import Note, codes_of
from noisekernel.kinds.music.midi import write_midi

ROOT = Path(__file__).parents[1]
#: What the site is made from; not what building it writes.
WRITTEN = [page for page in sorted((ROOT / "docs").rglob("*.md")) if "_build" not in page.parts]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *WRITTEN]
TUTORIAL = ROOT / "docs" / "tutorial.md"
pages = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))


ROWS = [f"{150 + i % 40},{50 + i % 40 + i % 7},{20 + i % 60}" for i in range(200)]
NAMES = ["anna", "otto", "bob", "hannah", "ada", "eve", "nan", "abba", "ann", "hanna"] * 20
CUSTOMERS = ["age,married,income,town,since"] + [
    f"{20 + i % 50},{'yes' if i % 3 else 'no'},{'' if i % 9 == 0 else 20_000 + 500 * (i % 60)},"
    f"{'Ulm' if i % 2 else 'Bonn'},201{i % 10}-0{1 + i % 9}-1{i % 3}"
    for i in range(200)
]
TABLE = ["height,weight,age", *ROWS]
#: A run of two steps of a tiny network: what is tested is that lines run, not what they draw.
BRIEF = ["training.images=16", "training.batch=8"]
TINY = {
    "pictures": ["network.channels=8", "network.multipliers=[1]"],
    "points": ["network.width=16", "network.depth=1"],
    "tables": ["network.width=16", "network.depth=1", "network.heads=2"],
    "strings": ["network.width=16", "network.depth=1", "network.heads=2"],
    "music": ["network.width=16", "network.depth=1", "network.heads=2", "data.steps=32"],
}
KINDS = {
    **{"my-pictures/": "pictures", "people.csv": "points", "customers.csv": "tables", "names.txt": "strings"},
    "chorales/": "music",
}


def _midi(path, beats, shift, names=("Soprano", "Alto", "Tenor", "Bass")):
    notes = [Note(v, 72 - 8 * v + (s + shift) % 4, 4 * s, 4) for v in range(len(names)) for s in range(beats)]
    path.write_bytes(write_midi(codes_of(notes, len(names), 4 * beats), names))


@pytest.fixture
def data(tmp_path, monkeypatch):
    """A folder with the data that the README and the pages name, where fitting is brief."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text("\n".join(TABLE))
    (tmp_path / "customers.csv").write_text("\n".join(CUSTOMERS))
    (tmp_path / "names.txt").write_text("\n".join(NAMES))
    (tmp_path / "chorales").mkdir()
    for i in range(8):
        _midi(tmp_path / "chorales" / f"{i}.mid", 12, i)
    _midi(tmp_path / "long.mid", 16, 3)
    _midi(tmp_path / "tune.mid", 8, 2, ("Soprano",))
    (tmp_path / "my-pictures").mkdir()
    for i in range(16):
        name = "cat.jpg" if i == 0 else f"{i}.png"
        Image.new("RGB", (8, 8), (15 * i, 100, 255 - 15 * i)).save(tmp_path / "my-pictures" / name)
    fit = nk.fit

    def briefly(what, settings=None):
        own = [f"{name}={value}" for name, value in (settings or {}).items()]
        return fit(what, settings=[*BRIEF, *TINY[KINDS[what]], *own], progress=False)

    monkeypatch.setattr(nk, "fit", briefly, raising=False)
    return tmp_path


@pytest.mark.training
def test_the_python_of_the_readme_runs(data):
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    first, second, third = blocks
    assert len(first.strip().splitlines()) == 2 + 5  # five lines train, draw, vary and save
    # Fewer steps.
    second = second.replace("new, mask)", "new, mask, steps=5)")
    second = second.replace("z.mean(dim=(1, 2, 3)))", "z.mean(dim=(1, 2, 3)), beta=0.1, steps=5)")
    names: dict = {}
    exec(first, names)
    assert names["variants"].shape == (1, 8, 3, 8, 8)
    assert nk.load("my-model").shape == (3, 8, 8)
    exec(second, names)
    assert names["variants"].shape == (2, 8, 1, 28, 28)
    assert names["filled"].shape == (16, 1, 1, 28, 28)
    assert (data / "filled.png").exists()
    exec(third, names)
    assert names["names"].kind.kind == "tokens"


@pytest.mark.training
def test_the_commands_of_the_readme_run(data):
    commands = re.findall(r"^    nk ([^#\n]*)", (ROOT / "README.md").read_text(), re.MULTILINE)
    assert len(commands) == 17
    for command in commands:
        words = shlex.split(command)
        if words[0] == "studio":  # serves until it is stopped: tests/studio
            continue
        if words[0] == "train":
            words += [word for each in (*BRIEF, *TINY[KINDS[words[1]]]) for word in ("--set", each)]
        else:
            words = [*("5" if word == "64" else word for word in words), "--steps", "2"]
        if words[0] == "vary":
            words += ["--below", "0.3"]  # a strength is calibrated first
        done = CliRunner().invoke(app, words)
        assert done.exit_code == 0, (command, done.output)
    for made in (
        "new/sheet.png",
        "ways/examples.csv",
        "fifty/sheet.txt",
        "cats/sheet0.png",
        "like-hannah/examples.txt",
    ):
        assert (data / made).exists(), made


@pytest.mark.training
def test_every_line_of_the_tutorial_runs(tmp_path, monkeypatch):
    text = TUTORIAL.read_text()
    monkeypatch.chdir(tmp_path)
    names: dict = {}
    for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        exec(block, names)
    assert names["variants"].shape == (2, 12, 1, 8, 8)
    assert names["filled"].shape == (2, 4, 1, 8, 8)
    assert names["picture"].shape == (1, 1, 8, 8)
    assert (tmp_path / "three.png").exists()
    commands = re.findall(r"^nk (.*)$", "".join(re.findall(r"```sh\n(.*?)```", text, re.DOTALL)), re.MULTILINE)
    assert len(commands) == 6
    for command in commands:
        done = CliRunner().invoke(app, shlex.split(command))
        assert done.exit_code == 0, (command, done.output)
    for made in ("new/sheet.png", "variants/sheet0.png", "filled/sheet.png", "walk.gif"):
        assert (tmp_path / made).exists()


@pytest.mark.training
@pytest.mark.parametrize(
    ("page", "variants", "number", "made"),
    [
        ("points", 20, 7, ["samples/sheet.svg", "younger/sheet2.svg", "walk.svg"]),
        (
            "tables",
            20,
            13,
            [
                *("samples/examples.csv", "redrawn/examples.csv", "fifty/sheet.txt"),
                *("sure/summary.csv", "redone/summary.csv", "walk.csv"),
            ],
        ),
        (
            "music",
            8,
            10,
            [
                *("samples/sheet.png", "longer/0001.mid", "harmonised/sheet.png", "lower/manifest.json"),
                *("bars/sheet.png", "busier/sheet1.png", "walk.mid", "new.mid"),
            ],
        ),
        ("strings", 10, 8, ["samples/examples.txt", "longer/sheet2.txt", "walk.txt"]),
    ],
)
def test_every_line_of_a_page_on_a_kind_runs(page, variants, number, made, data):
    text = (ROOT / "docs" / "howto" / f"{page}.md").read_text()
    names: dict = {}
    for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        exec(block, names)
    assert [len(names[each]) for each in ("variants", "filled", "moved")] == [variants, 5, 1]
    commands = re.findall(r"^nk ([^#\n]*)", "".join(re.findall(r"```sh\n(.*?)```", text, re.DOTALL)), re.MULTILINE)
    assert len(commands) == number
    for command in commands:
        settings = (*BRIEF, *TINY[page]) if command.startswith("train") else ()
        done = CliRunner().invoke(app, shlex.split(command) + [word for each in settings for word in ("--set", each)])
        assert done.exit_code == 0, (command, done.output)
    assert all((data / name).exists() for name in made)


@pages
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
        target = target.removeprefix("path:")
        made = target.endswith(".rst")  # by the gallery, from the example of the same name
        path = ROOT / "examples" / f"{Path(target).stem}.py" if made else page.parent / target
        if not target.startswith("http") and not target.endswith("gallery/index.rst"):
            assert path.exists(), target


@pages
def test_commands_and_their_options_exist(page):
    commands = get_command(app).commands
    for line in re.findall(r"(?:\bnk|-m noisekernel) ([a-z]+(?: [^`\n#|]*)?)", page.read_text()):
        words = line.split()
        assert words[0] in commands, line
        known = {option for parameter in commands[words[0]].params for option in parameter.opts}
        for word in words[1:]:
            if word.startswith("-") and not word.strip("-.…").isdecimal():
                assert word.split("=")[0].rstrip("`,;") in known, line


@pages
def test_settings_that_are_shown_exist(page):
    known = {".".join(path) for path in settings.paths(recipes.Recipe)}
    for key in re.findall(r"\b((?:training|data|objective|kernel|network|sampling)\.[a-z_.]+)=", page.read_text()):
        assert key in known, key

"""What the README and the docs say can be typed: its Python runs, its commands and links exist."""

import re
import shlex
from pathlib import Path

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from noisekernel import recipes
from noisekernel.cli.main import app
from noisekernel.core import settings

ROOT = Path(__file__).parents[1]
#: What the site is made from; not what building it writes.
WRITTEN = [page for page in sorted((ROOT / "docs").rglob("*.md")) if "_build" not in page.parts]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *WRITTEN]
TUTORIAL = ROOT / "docs" / "tutorial.md"
pages = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))


@pytest.mark.training
def test_the_ten_lines_of_python_run(tmp_path, monkeypatch):
    block = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)[0]
    assert 'nk.load("fashion")' in block
    assert len(block.strip().splitlines()) <= 12
    monkeypatch.chdir(tmp_path)
    # Fewer steps: what is tested is that the lines run, not what they draw.
    block = block.replace("new, mask)", "new, mask, steps=5)").replace("steps=100", "steps=5")
    block = block.replace("z.mean(dim=(1, 2, 3)))", "z.mean(dim=(1, 2, 3)), beta=0.1, steps=5)")
    names: dict = {}
    exec(block, names)
    assert names["variants"].shape == (2, 8, 1, 28, 28)
    assert names["filled"].shape == (16, 1, 1, 28, 28)
    assert (tmp_path / "filled.png").exists()


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

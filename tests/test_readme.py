"""What the README and the docs say can be typed: its Python runs, its commands and links exist."""

import re
from pathlib import Path

import pytest
from typer.main import get_command

from noisekernel import recipes
from noisekernel.cli.main import app
from noisekernel.recipes import settings

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.training
def test_the_ten_lines_of_python_run(tmp_path, monkeypatch):
    block = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)[0]
    assert 'nk.load("fashion")' in block
    assert len(block.strip().splitlines()) <= 12
    monkeypatch.chdir(tmp_path)
    # Fewer steps: what is tested is that the lines run, not what they draw.
    block = block.replace("new, mask)", "new, mask, steps=5)").replace("steps=100", "steps=5")
    block = block.replace("z.mean(dim=(1, 2, 3)))", "z.mean(dim=(1, 2, 3)), steps=5)")
    names: dict = {}
    exec(block, names)
    assert names["variants"].shape == (2, 8, 1, 28, 28)
    assert names["filled"].shape == (16, 1, 1, 28, 28)
    assert (tmp_path / "filled.png").exists()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
        if not target.startswith("http"):
            assert (page.parent / target.removeprefix("path:")).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_and_their_options_exist(page):
    commands = get_command(app).commands
    for line in re.findall(r"(?:\bnk|-m noisekernel) ([a-z]+(?: [^`\n#|]*)?)", page.read_text()):
        words = line.split()
        assert words[0] in commands, line
        known = {option for parameter in commands[words[0]].params for option in parameter.opts}
        for word in words[1:]:
            if word.startswith("-") and not word.strip("-.…").isdecimal():
                assert word.split("=")[0].rstrip("`,;") in known, line


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_settings_that_are_shown_exist(page):
    known = {".".join(path) for path in settings.paths(recipes.Recipe)}
    for key in re.findall(r"\b((?:training|data|objective|kernel|network|sampling)\.[a-z_.]+)=", page.read_text()):
        assert key in known, key

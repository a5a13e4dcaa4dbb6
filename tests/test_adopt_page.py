"""The page on adopting: its Python and its commands run, in the folder that it speaks of."""

import re
import shlex
from pathlib import Path

import pytest
from PIL import Image
from typer.testing import CliRunner

import pipelines
from noisekernel.cli.main import app

PAGE = Path(__file__).parents[1] / "docs" / "howto" / "adopt.md"


@pytest.mark.training
def test_every_line_of_the_page_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pipelines.pipeline().save_pretrained("my-ddpm")
    Path("my-pictures").mkdir()
    for number, pixels in enumerate(pipelines.pictures(4)):
        Image.fromarray(pixels).save(Path("my-pictures") / ("cat.jpg" if number == 0 else f"{number}.png"))
    text = PAGE.read_text()
    names: dict = {}
    for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        exec(block, names)
    assert names["variants"].shape == (2, 8, 3, 8, 8)
    Path("adopted.safetensors").unlink()
    commands = re.findall(r"^nk (.*)$", "".join(re.findall(r"```sh\n(.*?)```", text, re.DOTALL)), re.MULTILINE)
    assert len(commands) == 6
    for command in commands:
        brief = ["--set", "training.images=64"] if command.startswith("train") else []
        done = CliRunner().invoke(app, shlex.split(command) + brief)
        assert done.exit_code == 0, (command, done.output)
    assert Path("walk.gif").exists()
    assert (Path("back") / "model_index.json").exists()

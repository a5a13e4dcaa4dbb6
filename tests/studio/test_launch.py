"""`nk studio` from the outside: what it prints, what it refuses, how it ends; and the example in the docs."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from noisekernel.cli.main import main
from noisekernel.core.errors import NoiseKernelError
from noisekernel.studio import studio as studio_module

ROOT = Path(__file__).parents[2]


@pytest.fixture
def nk(monkeypatch, capsys):
    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["nk", *map(str, arguments)])
        with pytest.raises(SystemExit) as stop:
            main()
        return stop.value.code, capsys.readouterr().err

    return call


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    """A studio with a token, as the command starts it."""
    home = tmp_path_factory.mktemp("home")
    command = [sys.executable, "-m", "noisekernel", "studio", "digits", "--no-browser", "--port", "0"]
    server = subprocess.Popen(
        [*command, "--token", "sixteen-letters-or-more"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "NK_HOME": str(home), "OMP_NUM_THREADS": "1"},
    )
    said = server.stdout.readline() + server.stdout.readline()
    yield server, said, home
    if server.poll() is None:
        server.kill()
    server.communicate()


def test_it_starts_serves_the_docs_example_and_ends_quietly(running, tmp_path):
    server, said, home = running
    url = re.search(r"http://127\.0\.0\.1:\d+/", said)[0]
    assert f"{url}?token=sixteen-letters-or-more" in said
    assert (home / "studio" / "studio.sqlite").exists()
    assert httpx.get(f"{url}api/health", timeout=60).status_code == 401
    text = (ROOT / "docs" / "studio-api.md").read_text()
    code = re.search(r"```python\n(.*?)```", text, re.DOTALL)[1]
    code = code.replace("timeout=60)", 'timeout=60, headers={"Authorization": "Bearer sixteen-letters-or-more"})', 1)
    script = tmp_path / "example.py"
    script.write_text(code)
    printed = subprocess.check_output([sys.executable, str(script), url], text=True, cwd=tmp_path, timeout=300)
    assert len(printed.split()) == 3
    assert (tmp_path / "brighter.nkd").stat().st_size > 1000
    with httpx.Client(base_url=url, timeout=60, headers={"Authorization": "Bearer sixteen-letters-or-more"}) as client:
        design = client.get("/api/designs").json()[0]
        assert design["name"] == "Ever brighter"
    server.send_signal(signal.SIGINT)
    _, error = server.communicate(timeout=60)
    assert "Traceback" not in error


def test_what_it_refuses(nk, tmp_path, monkeypatch):
    monkeypatch.setenv("NK_HOME", str(tmp_path))
    code, err = nk("studio", "digitz", "--no-browser")
    assert (code, "Did you mean 'digits'" in err) == (2, True)
    code, err = nk("studio", "digits", "--token", "short", "--no-browser")
    assert (code, "at least 16" in err) == (2, True)
    code, err = nk("studio", "digits", "digits", "--no-browser")
    assert (code, "two models are called 'digits'" in err) == (2, True)
    code, err = nk("studio", "digits", "--data", "nowhere", "--no-browser")
    assert (code, "called 'nowhere'" in err) == (2, True)
    code, err = nk("studio", "digits", "--host", "203.0.113.1", "--no-browser")
    assert (code, "cannot be used" in err) == (2, True)


def test_a_missing_extra_is_one_sentence(nk, monkeypatch):
    import importlib.util

    real = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "uvicorn" else real(name))
    code, err = nk("studio")
    assert (code, "pip install 'noisekernel[studio]'" in err) == (2, True)


def test_more_than_this_machine_means_a_token(monkeypatch, tmp_path, capsys, digits):
    """Whatever --host says but a loopback address."""
    from noisekernel.studio import launch

    monkeypatch.setenv("NK_HOME", str(tmp_path))
    monkeypatch.setattr(launch, "serve_all", lambda *_: {"digits": digits})
    guards = []
    monkeypatch.setattr(launch, "create_app", lambda studio, **options: guards.append(options))
    monkeypatch.setattr(launch.uvicorn.Server, "run", lambda self, sockets: [each.close() for each in sockets])
    for host, asked, names in (
        ("0.0.0.0", True, None),
        ("localhost", False, ("localhost", "127.0.0.1", "::1", "localhost")),
        (None, False, ("localhost", "127.0.0.1", "::1", "127.0.0.1")),
    ):
        launch.run([], port=0, host=host, token=None, data=None, length=None, threads=1, browser=False)
        assert (guards[-1]["token"] is not None) == asked
        assert guards[-1]["hosts"] == names
        assert ("?token=" in capsys.readouterr().out) == asked


def test_a_token_of_any_characters_is_in_the_address(monkeypatch, tmp_path, capsys, digits):
    from noisekernel.studio import launch

    monkeypatch.setenv("NK_HOME", str(tmp_path))
    monkeypatch.setattr(launch, "serve_all", lambda *_: {"digits": digits})
    monkeypatch.setattr(launch.uvicorn.Server, "run", lambda self, sockets: [each.close() for each in sockets])
    token = "a&b#c/d+e f%20gh"
    launch.run([], port=0, host=None, token=token, data=None, length=None, threads=1, browser=False)
    url = capsys.readouterr().out.split("\n")[0].removeprefix("The studio is at ")
    assert httpx.URL(url).params["token"] == token


def test_one_studio_a_folder(studio, digits):
    """A second one would take the first one's rounds for those of a dead server."""
    with pytest.raises(NoiseKernelError, match="another studio is at work on"):
        studio_module.Studio(studio.home, {"digits": digits})
    studio.close()
    studio_module.Studio(studio.home, {"digits": digits}).close()


def test_where_designs_are_kept(monkeypatch, tmp_path):
    monkeypatch.setenv("NK_HOME", str(tmp_path))
    assert studio_module.home() == tmp_path / "studio"
    monkeypatch.delenv("NK_HOME")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    if sys.platform == "linux":
        assert studio_module.home() == tmp_path / "data" / "noisekernel" / "studio"


def test_help_is_quick():
    """Nothing of the studio, and no torch, before it is needed."""
    code = "import sys; from noisekernel.cli import main; print('torch' in sys.modules, 'fastapi' in sys.modules)"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).split() == ["False", "False"]

"""What the suite needs of the system, and what becomes of it where that is not there."""

import subprocess
import sys
from pathlib import Path

import pytest

import needs

BROWSER_TEST = Path(__file__).parent / "browser" / "test_tasting.py"


def program(folder: Path, name: str, says: str = "") -> Path:
    path = folder / name
    path.write_text(f"#!/bin/sh\necho {says}\n")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    ("env", "all_of_it"),
    [
        ({}, False),
        ({"CI": ""}, False),
        ({"CI": "false"}, False),
        ({"CI": "true"}, True),
        ({"NK_REQUIRE_ALL": "1"}, True),
    ],
)
def test_nothing_may_be_left_out_where_it_is_said(env, all_of_it):
    assert needs.required(env) is all_of_it


def test_the_browser_is_the_systems_unless_another_is_named(tmp_path):
    path = {"PATH": str(tmp_path)}
    assert needs.browser(path) is None
    chromium, other = program(tmp_path, "chromium"), program(tmp_path, "other")
    assert needs.browser(path) == str(chromium)
    assert needs.browser({**path, "NK_BROWSER": "other"}) == str(other)
    assert needs.browser({**path, "NK_BROWSER": "none"}) is None


def test_node_must_be_new_enough_and_come_with_npm(tmp_path):
    path = {"PATH": str(tmp_path)}
    program(tmp_path, "node", "v18.19.0")
    program(tmp_path, "npm")
    assert needs.node(path) is None
    node = program(tmp_path, "node", "v22.1.0")
    assert needs.node(path) == str(node)
    (tmp_path / "npm").unlink()
    assert needs.node(path) is None


def suite(monkeypatch, **env):
    """Browser tests where there is no browser."""
    for name in ("CI", "NK_REQUIRE_ALL"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"NK_BROWSER": "none", **env}.items():
        monkeypatch.setenv(name, value)
    command = [sys.executable, "-m", "pytest", str(BROWSER_TEST), "-p", "no:cacheprovider", "--color", "no"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_without_a_browser_the_suite_passes_and_says_last_and_loudly_what_it_left_out(monkeypatch):
    ran = suite(monkeypatch)
    assert ran.returncode == 0
    *_, heading, said, _ = ran.stdout.splitlines()
    assert "!!! LEFT OUT !!!" in heading
    assert said == f"4 tests of the studio's page: {needs.NO_BROWSER}"


def test_where_nothing_may_be_left_out_it_fails(monkeypatch):
    ran = suite(monkeypatch, NK_REQUIRE_ALL="1")
    assert ran.returncode == 1
    assert needs.NO_BROWSER in ran.stdout

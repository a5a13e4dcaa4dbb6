"""Where noisekernel keeps things on each platform, and in one place if it is told so."""

import sys

import pytest

from noisekernel.files.folders import cache_folder, data_folder


@pytest.mark.parametrize(
    ("folder", "variable", "on_mac"),
    [
        (cache_folder, "XDG_CACHE_HOME", "Caches"),
        (data_folder, "XDG_DATA_HOME", "Application Support"),
    ],
)
def test_the_folder_of_each_platform(monkeypatch, tmp_path, folder, variable, on_mac):
    monkeypatch.setenv("NK_HOME", str(tmp_path / "own"))
    assert folder() == tmp_path / "own"
    monkeypatch.delenv("NK_HOME")
    monkeypatch.setenv(variable, str(tmp_path))
    monkeypatch.setattr(sys, "platform", "linux")
    assert folder() == tmp_path / "noisekernel"
    monkeypatch.setattr(sys, "platform", "darwin")
    assert folder().parts[-3:] == ("Library", on_mac, "noisekernel")
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "local"))
    assert folder() == tmp_path / "local" / "noisekernel"

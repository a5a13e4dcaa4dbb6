"""Locks: one holder at a time, free again when the holder closes or dies."""

import subprocess
import sys

import pytest

from noisekernel.files.locks import lock, lock_folder


@pytest.mark.parametrize(("take", "name"), [(lock, "a/file"), (lock_folder, "a/folder")])
def test_one_holder_at_a_time(tmp_path, take, name):
    held = take(tmp_path / name)
    assert held is not None
    assert take(tmp_path / name) is None
    held.close()
    again = take(tmp_path / name)
    assert again is not None
    again.close()
    holder = (
        "import sys; from pathlib import Path; from noisekernel.files import locks; "
        f"held = locks.{take.__name__}(Path(sys.argv[1])); print(held is not None, flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", holder, str(tmp_path / name)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout.readline() == "True\n"
        assert take(tmp_path / name) is None
        other.kill()
        other.wait()
    after = take(tmp_path / name)
    assert after is not None
    after.close()


def test_a_folder_is_locked_without_a_file_in_it(tmp_path):
    held = lock_folder(tmp_path / "folder")
    assert list((tmp_path / "folder").iterdir()) == []
    held.close()

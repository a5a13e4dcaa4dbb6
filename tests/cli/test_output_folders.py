"""What commands write: nothing is overwritten or mixed, and a full disk is told."""

import json

from helpers import refused
from noisekernel.core.errors import StorageError
from noisekernel.kinds import record as records


def test_nothing_is_overwritten_without_force(run, tmp_path):
    assert run("sample", "digits", "-n", 1, "--steps", 2)[0] == 0
    before = (tmp_path / "samples" / "0000.png").read_bytes()
    refused(run("sample", "digits", "-n", 1, "--steps", 2, "--seed", 1), "not empty", "--force")
    assert (tmp_path / "samples" / "0000.png").read_bytes() == before
    assert run("sample", "digits", "-n", 1, "--steps", 2, "--seed", 1, "--force")[0] == 0
    assert (tmp_path / "samples" / "0000.png").read_bytes() != before


def test_a_full_disk_leaves_a_folder_that_says_what_is_in_it(run, tmp_path, monkeypatch):
    """The third picture does not fit: what is there is told, is on record, and is cleared by --force."""
    save = records.write_bytes

    def full(path, content):
        if path.name == "0002.png":
            raise StorageError(f"{path} cannot be written: No space left on device. What was there before is untouched")
        save(path, content)

    monkeypatch.setattr(records, "write_bytes", full)
    said = "No space left on device", "2 of 4 pictures are in samples, each of them whole", "not finished", "--force"
    refused(run("sample", "digits", "-n", 4, "--steps", 2), *said)
    assert {path.name for path in (tmp_path / "samples").iterdir()} == {"0000.png", "0001.png", "manifest.json"}
    manifest = json.loads((tmp_path / "samples" / "manifest.json").read_text())
    assert (manifest["finished"], len(manifest["examples"])) == (False, 4)
    assert run("sample", "digits", "-n", 1, "--steps", 2, "--force")[0] == 0
    assert {path.name for path in (tmp_path / "samples").iterdir()} == {"0000.png", "sheet.png", "manifest.json"}
    assert json.loads((tmp_path / "samples" / "manifest.json").read_text())["finished"] is True
    monkeypatch.setattr(records, "write_json", lambda path, content: full(path.with_name("0002.png"), b""))
    refused(run("sample", "digits", "-n", 4, "--steps", 2, "--out", "other"), "No space left on device")
    assert not (tmp_path / "other").exists()


def test_two_commands_do_not_write_into_one_folder(run, tmp_path, monkeypatch):
    """Whoever is second is told, be the first still at it or just done, and nothing of the first is lost."""
    write = records.Record.write
    told = []

    def interrupted(record, images, files):
        write(record, images, files)
        if not told:
            told.append(None)
            told[0] = run("sample", "digits", "-n", 1, "--steps", 2, "--seed", 5, "--force", "--out", "s")

    with monkeypatch.context() as patch:
        patch.setattr(records.Record, "write", interrupted)
        assert run("sample", "digits", "-n", 3, "--steps", 2, "--out", "s")[0] == 0
    refused(told[0], "another command writes into s")
    assert json.loads((tmp_path / "s" / "manifest.json").read_text())["finished"]
    assert len(list((tmp_path / "s").glob("000*.png"))) == 3

    begin = records.Record._begin

    def late(record):
        with monkeypatch.context() as patch:
            patch.setattr(records.Record, "_begin", begin)
            assert run("sample", "digits", "-n", 2, "--steps", 2, "--out", "t")[0] == 0
        begin(record)

    with monkeypatch.context() as patch:
        patch.setattr(records.Record, "_begin", late)
        refused(
            run("sample", "digits", "-n", 1, "--steps", 2, "--seed", 5, "--out", "t"), "another command writes into t"
        )
    assert len(list((tmp_path / "t").glob("000*.png"))) == 2


def test_force_leaves_nothing_of_what_it_replaces(run, tmp_path):
    run("sample", "digits", "-n", 5, "--steps", 2)
    (tmp_path / "samples" / "mine.png").write_bytes(b"not of ours")
    run("sample", "digits", "-n", 2, "--steps", 2, "--force")
    names = {path.name for path in (tmp_path / "samples").iterdir()}
    assert names == {"0000.png", "0001.png", "mine.png", "sheet.png", "manifest.json"}
    (tmp_path / "samples" / "manifest.json").write_text(
        '{"pictures": [{"file": "../precious.png"}, {"file": "mine.txt"}]}'
    )
    (tmp_path / "precious.png").write_bytes(b"elsewhere")
    (tmp_path / "samples" / "mine.txt").write_bytes(b"not of ours")
    run("sample", "digits", "-n", 1, "--steps", 2, "--force")
    assert (tmp_path / "precious.png").exists()
    assert (tmp_path / "samples" / "mine.txt").exists()


def test_force_does_not_remove_what_is_varied(run, tmp_path):
    run("sample", "digits", "-n", 3, "--steps", 2)
    assert run("vary", "digits", "samples/0001.png", "-n", 1, "--out", "samples", "--force", "--steps", 2)[0] == 0
    left = sorted(path.name for path in (tmp_path / "samples").glob("*.png"))
    assert left == ["0001-original.png", "0001-round0-00.png", "0001.png", "sheet0.png"]
    # What is read is not written over, even so.
    again = (tmp_path / "samples" / "0001-original.png").read_bytes()
    how = ("vary", "digits", "samples/0001.png", "samples/0001-original.png", "-n", 1, "--out", "samples", "--force")
    refused(run(*how), "0001-original.png is to be read and would be written over")
    assert (tmp_path / "samples" / "0001-original.png").read_bytes() == again


def test_a_page_of_the_users_is_not_written_over(run, tmp_path):
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "README.md").write_text("mine")
    refused(run("push", "digits", "./project"), "README.md already")
    assert (tmp_path / "project" / "README.md").read_text() == "mine"

"""Results files survive runs that are killed and runs that write at the same time."""

import errno
import json
import multiprocessing

import pytest

from lab import jsonlines


def test_records_come_back_in_order(tmp_path):
    path = tmp_path / "new folder" / "study.jsonl"
    records = [{"arm": "ours", "fid": 0.1}, {"arm": "Fréchet", "stops": [{"steps": 1}]}]
    for record in records:
        jsonlines.append(path, record)
    assert jsonlines.read(path) == records
    assert path.read_bytes().count(b"\n") == 2


@pytest.mark.parametrize("left", [1, 10, 40])
def test_an_unfinished_last_line_is_named_ignored_and_then_replaced(tmp_path, capsys, left):
    path = tmp_path / "study.jsonl"
    jsonlines.append(path, {"arm": "ours"})
    whole = path.read_bytes()
    path.write_bytes(whole + json.dumps({"arm": "paper", "fid": 1.25, "held_out": 2.5}).encode()[:left])

    assert jsonlines.read(path) == [{"arm": "ours"}]
    assert f"{path}, line 2 is unfinished" in capsys.readouterr().err
    jsonlines.append(path, {"arm": "ddpm"})
    assert "removed" in capsys.readouterr().err
    assert jsonlines.read(path) == [{"arm": "ours"}, {"arm": "ddpm"}]
    assert path.read_bytes().startswith(whole)
    assert capsys.readouterr().err == ""


def test_a_letter_cut_in_two_is_unfinished_too(tmp_path, capsys):
    path = tmp_path / "study.jsonl"
    path.write_bytes('{"arm": "Fré'.encode()[:-1])
    assert jsonlines.read(path) == []
    assert "line 1 is unfinished" in capsys.readouterr().err


def test_a_whole_last_line_without_its_newline_is_kept(tmp_path):
    path = tmp_path / "study.jsonl"
    path.write_text('{"arm": "ours"}')
    jsonlines.append(path, {"arm": "paper"})
    assert jsonlines.read(path) == [{"arm": "ours"}, {"arm": "paper"}]


@pytest.mark.parametrize("damage", ["<<<<<<< HEAD", '{"arm": ', "[1, 2]", "3"])
def test_a_damaged_line_elsewhere_is_refused_in_a_sentence(tmp_path, damage):
    path = tmp_path / "study.jsonl"
    path.write_text('{"arm": "ours"}\n' + damage + '\n{"arm": "paper"}\n')
    with pytest.raises(SystemExit, match=r"study\.jsonl, line 2 is not a JSON object: repair or delete the line"):
        jsonlines.read(path)


def test_a_full_disk_leaves_the_file_as_it_was_and_prints_the_result(tmp_path, monkeypatch):
    path = tmp_path / "study.jsonl"
    jsonlines.append(path, {"arm": "ours"})
    before = path.read_bytes()

    def full(_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(jsonlines.os, "fsync", full)
    with pytest.raises(SystemExit, match=r'No space left on device.*The result was: \{"arm": "paper"\}'):
        jsonlines.append(path, {"arm": "paper"})
    assert path.read_bytes() == before


def _append_many(path, process, started):
    started.wait()
    for number in range(40):
        # Longer than a page and than any buffer, so that a write in parts would interleave.
        jsonlines.append(path, {"process": process, "number": number, "text": str(process) * 70_000})


def test_lines_of_several_processes_do_not_interleave(tmp_path):
    path, context = tmp_path / "study.jsonl", multiprocessing.get_context("spawn")
    started = context.Barrier(3)
    writers = [context.Process(target=_append_many, args=(path, process, started)) for process in range(3)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert [writer.exitcode for writer in writers] == [0, 0, 0]
    records = jsonlines.read(path)
    assert sorted((record["process"], record["number"]) for record in records) == [
        (process, number) for process in range(3) for number in range(40)
    ]
    assert all(record["text"] == str(record["process"]) * 70_000 for record in records)

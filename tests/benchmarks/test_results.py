"""Results are measured once, continue after a run was stopped, and give the tables of the report."""

from pathlib import Path

import pytest

from lab import headlines, jsonlines, programme
from lab.effort import FULL, QUICK
from lab.findings import Findings
from lab.results import RESULTS, Key, ResultsFolder, record_run, today

KEY = Key("samples", "digits", 3_000, "ours", 0, 20)


def measuring(value, calls):
    def by():
        calls.append(value)
        return {"fid": value, "held_out": value, "floor": 0.5, "samples": 200}

    return by


def test_a_result_is_measured_once_and_kept_with_what_identifies_it(tmp_path):
    calls = []
    results = ResultsFolder(tmp_path)
    assert results.measure("churn", KEY, measuring(1.0, calls))["fid"] == 1.0
    assert results.measure("churn", KEY, measuring(2.0, calls))["fid"] == 1.0
    [line] = jsonlines.read(tmp_path / "churn.jsonl")
    labels = {"study": "churn", "measured": "samples", "material": "digits", "images": 3_000, "arm": "ours"}
    assert labels | {"seed": 0, "calls": 20, "date": today()} == {name: line[name] for name in [*line][:8]}
    assert calls == [1.0]


def test_another_run_continues_and_measures_only_what_is_missing(tmp_path):
    calls = []
    ResultsFolder(tmp_path).measure("churn", KEY, measuring(1.0, calls))
    other = Key("samples", "digits", 3_000, "ours", 1, 20)
    again = ResultsFolder(tmp_path)
    for key in (KEY, other):
        again.measure("churn", key, measuring(2.0, calls))
    assert calls == [1.0, 2.0]


def test_a_result_of_one_study_serves_another(tmp_path):
    calls = []
    ResultsFolder(tmp_path).measure("churn", KEY, measuring(1.0, calls))
    ResultsFolder(tmp_path).measure("recipe_ladder", KEY, measuring(2.0, calls))
    assert calls == [1.0]
    assert [path.name for path in tmp_path.iterdir()] == ["churn.jsonl"]


def test_results_of_another_process_are_seen_at_once(tmp_path):
    here, there = ResultsFolder(tmp_path), ResultsFolder(tmp_path)
    for seed in range(3):
        there.measure("churn", Key("samples", "digits", 3_000, "ours", seed, 20), measuring(1.0, []))
        assert len(here.all()) == seed + 1


def test_a_torn_result_is_measured_again(tmp_path, capsys):
    calls = []
    ResultsFolder(tmp_path).measure("churn", KEY, measuring(1.0, calls))
    path = tmp_path / "churn.jsonl"
    path.write_bytes(path.read_bytes()[:-20])
    assert ResultsFolder(tmp_path).measure("churn", KEY, measuring(2.0, calls))["fid"] == 2.0
    assert "line 1 is unfinished" in capsys.readouterr().err
    assert [record["fid"] for record in jsonlines.read(path)] == [2.0]
    assert calls == [1.0, 2.0]


@pytest.mark.parametrize(
    ("first", "second", "wins"),
    [
        ("2026-01-01", "2026-01-02", "second"),
        ("2026-01-02", "2026-01-01", "first"),
        ("2026-01-01", "2026-01-01", "second"),
    ],
)
@pytest.mark.parametrize("files", [("churn", "churn"), ("churn", "recipe_ladder")])
def test_of_two_lines_with_one_key_the_newer_wins(tmp_path, first, second, wins, files):
    for study, date, name in zip(files, (first, second), ("first", "second"), strict=True):
        jsonlines.append(tmp_path / f"{study}.jsonl", {"study": study, **KEY.labels(), "date": date, "name": name})
    [found] = ResultsFolder(tmp_path).all().values()
    assert found["name"] == wins


def test_a_line_that_is_no_result_is_refused_in_a_sentence(tmp_path):
    jsonlines.append(tmp_path / "dial.jsonl", {"study": "dial", "date": today()})
    with pytest.raises(SystemExit, match=r"dial\.jsonl: a line has no measured or material or images or arm or seed"):
        ResultsFolder(tmp_path).all()


def test_results_of_another_scorer_stop_the_run(tmp_path):
    results = ResultsFolder(tmp_path)
    results.measure("churn", KEY, measuring(1.0, []))
    results.check_floor("digits", 200, 0.5)
    results.check_floor("digits", 1_000, 0.7)
    results.check_floor("fashion28", 200, 0.7)
    with pytest.raises(SystemExit, match=r"score 0\.7 .* and 0\.5 .*classifier-digits\.safetensors"):
        results.check_floor("digits", 200, 0.7)


def test_a_script_appends_its_run(tmp_path):
    for value in (1, 2):
        record_run("dial", {"value": value}, tmp_path)
    assert jsonlines.read(tmp_path / "dial.jsonl") == [
        {"study": "dial", "date": today(), "value": value} for value in (1, 2)
    ]


def test_the_results_of_the_repository_are_read_and_their_studies_exist():
    found = ResultsFolder(RESULTS / "bench").all()
    assert len(found) >= 451
    known = {study.STUDY for study in programme.STUDIES}
    for path in (RESULTS / "bench").iterdir():
        assert path.stem in known
        assert {record["study"] for record in jsonlines.read(path)} == {path.stem}
    for path in RESULTS.glob("*.jsonl"):
        assert all(record["study"] == path.stem for record in jsonlines.read(path))
        assert (RESULTS.parent / f"{path.stem}.py").exists()


def test_tables_and_headlines_are_those_of_the_repository():
    """So nobody edits them by hand, and a change of the report that changes a figure is seen."""
    found = Findings.read(ResultsFolder(RESULTS / "bench"))
    page = (RESULTS / f"{found.newest}-bench.md").read_text()
    assert page.endswith(programme.markdown(found, FULL))
    assert headlines.table() in headlines.PAGE.read_text()


@pytest.mark.parametrize("effort", [FULL, QUICK], ids=["full", "quick"])
def test_every_unit_belongs_to_a_study_that_says_where_its_results_go(effort):
    asked = list(programme.units(effort))
    assert {unit.study for unit in asked} <= {study.STUDY for study in programme.STUDIES}
    assert all(unit.keys(1_000) for unit in asked)


def test_a_study_is_named_as_its_file():
    for study in programme.STUDIES:
        assert Path(study.__file__).stem == study.STUDY
    files = {path.stem for path in Path(programme.__file__).parent.glob("studies/[!_]*.py")}
    assert files == {study.STUDY for study in programme.STUDIES}


def test_no_module_has_the_name_of_one_of_the_package():
    """The same word would have two meanings. Where they meet, the benchmark's module gives way."""
    root = Path(__file__).parents[2]
    package, lab = (
        {path.stem for path in (root / folder).rglob("*.py")} - {"__init__"}
        for folder in ("src/noisekernel", "benchmarks/lab")
    )
    assert not package & lab

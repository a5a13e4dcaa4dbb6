"""Every command on a table: rows with holes, columns by name, cells that are kept to the last character."""

import csv
import json
import random

import pandas
import pytest
import torch

import noisekernel as nk
from helpers import refused

NAMES = ["key", "age", "married", "pay", "town", "joined"]
FEW = {"training.images": 256, "training.batch": 32, "network.width": 32, "network.depth": 2}


def cells(i, draw):
    age = draw.randint(18, 80)
    return [
        f"P{i:04d}",
        str(age),
        "yes" if draw.random() < (age - 18) / 62 else "no",
        "" if draw.random() < 0.1 else f"{draw.lognormvariate(10, 1):.2f}",
        draw.choice(["Bonn", "Ulm, south", 'the "Hague"']),
        f"20{draw.randint(10, 24)}-0{draw.randint(1, 9)}-1{draw.randint(0, 9)}",
    ]


def write(path, rows, names=NAMES, delimiter=";"):
    with path.open("w", newline="") as file:
        csv.writer(file, delimiter=delimiter).writerows([names, *rows])
    return path


def read(path, delimiter=","):
    with path.open(newline="") as file:
        return list(csv.reader(file, delimiter=delimiter))


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder, draw = tmp_path_factory.mktemp("tables"), random.Random(0)
    write(folder / "people.csv", [cells(i, draw) for i in range(400)])
    return folder


@pytest.fixture(scope="module")
def model(home):
    nk.fit(home / "people.csv", home / "run", settings=FEW, progress=False)
    return home / "run"


@pytest.mark.training
def test_training_tells_what_the_columns_are(run, home, tmp_path):
    settings = [f"--set={name}={value}" for name, value in FEW.items()]
    code, _, err = run("train", home / "people.csv", "--out", "r", "--set", "data.types.age=category", *settings)
    assert code == 0, err
    said = " ".join(err.split())
    for words in (
        "taken for rows (--kind says otherwise)",
        "categories: age (62), town (3)",
        "yes or no: married (2)",
        "numbers: pay",
        "dates: joined",
        "left out: key (400 different words in 400 rows)",
        "say otherwise with data.types.COLUMN=",
    ):
        assert words in said, err
    assert [path.suffix for path in (tmp_path / "r" / "samples").iterdir()] == [".txt"]
    code, out, _ = run("train", home / "people.csv", "--out", "q", "--dry-run")
    assert code == 0
    assert "400 rows of 5 columns (age, married, pay, town …)" in " ".join(out.split())


@pytest.mark.training
def test_all_commands(run, tmp_path, home, model):
    row = '50,yes,1234.50,"Ulm, south",2014-03-12'
    assert run("sample", model, "-n", 30, "--steps", 5)[0] == 0
    header, *rows = read(tmp_path / "samples" / "examples.csv")
    assert header == NAMES[1:]
    assert len(rows) == 30
    assert {each[1] for each in rows} <= {"yes", "no"}
    assert {each[3] for each in rows} <= {"Bonn", "Ulm, south", 'the "Hague"'}
    known = {each[3] for each in read(home / "people.csv", ";")}
    assert {each[2] for each in rows} <= known  # numbers of the data, and as they are written there

    assert run("vary", model, row, "-n", 3, "--below", 0.3, "--steps", 3)[0] == 0
    assert read(tmp_path / "variants" / "examples.csv")[1] == ["50", "yes", "1234.50", "Ulm, south", "2014-03-12"]
    assert run("equilibrate", model, row, "-n", 2, "--steps", 2)[0] == 0
    assert run("fill", model, home / "people.csv", "--tiles", 1, "--keep", 0.5, "-n", 1, "--steps", 2)[0] == 0
    assert run("walk", model, row, "-n", 2, "--steps", 2)[0] == 0
    walk = read(tmp_path / "walk.csv")
    assert walk[0] == ["step", "chain", *NAMES[1:]]
    assert walk[1] == ["0", "0", "50", "yes", "1234.50", "Ulm, south", "2014-03-12"]
    code, out, _ = run("evaluate", model, "--data", home / "people.csv", "-n", 40, "--steps", 2)
    assert code == 0
    assert "against 400 rows of people.csv" in out
    assert run("info", model)[0] == 0
    several = ("--rounds", 2, "--score=-pay", "--below", 0.3, "--steps", 2, "-n", 3, "--out", "rounds")
    assert run("vary", model, row, *several)[0] == 0
    assert run("export", model, "--out", "model.pt2")[0] == 0


@pytest.mark.training
def test_holes_are_filled_and_no_other_cell_is_changed(run, tmp_path, home, model):
    """Numbers that training never saw, and more digits than it keeps, come back too."""
    draw = random.Random(1)
    rows = [cells(i, draw)[1:] for i in range(60)]
    for i, row in enumerate(rows):
        row[2] = f"{100 * draw.random():.9f}"
        for column in draw.sample(range(5), i % 4):
            row[column] = draw.choice(["", "NA", "?"])
    table = write(tmp_path / "holes.csv", rows, NAMES[1:], delimiter="\t")
    code, _, err = run("fill", model, table, "-n", 2, "--steps", 4)
    assert code == 0, err
    header, *filled = read(tmp_path / "filled" / "examples.csv")
    assert header == NAMES[1:]
    assert len(filled) == 120
    for i, found in enumerate(filled):
        given = rows[i // 2]
        for before, after in zip(given, found, strict=True):
            if before in ("", "NA", "?"):
                assert after not in ("", "NA", "?")
            elif before != after:
                assert float(before) == float(after)  # a trailing zero
    sheet = (tmp_path / "filled" / "sheet.txt").read_text()
    assert "?" in sheet


@pytest.mark.training
def test_a_row_by_some_of_its_cells(run, tmp_path, model):
    code, out, _ = run("fill", model, "age=50, married=yes", "-n", 5, "--steps", 4, "--json")
    assert code == 0
    assert json.loads(out)["filled_share"] > 0.5
    _, *rows = read(tmp_path / "filled" / "examples.csv")
    assert [row[:2] for row in rows] == [["50", "yes"]] * 5
    assert all(row[2] and row[3] and row[4] for row in rows)
    mask = ("--mask", "pay, town", "-n", 2, "--steps", 3, "--out", "masked")
    assert run("fill", model, "50,yes,33.125,Bonn,2014-03-12", *mask)[0] == 0
    _, *rows = read(tmp_path / "masked" / "examples.csv")
    assert [[row[0], row[1], row[4]] for row in rows] == [["50", "yes", "2014-03-12"]] * 2


@pytest.mark.training
def test_mistakes(run, tmp_path, home, model):
    row = "50,yes,33.125,Bonn,2014-03-12"
    refused(run("fill", model, row), "no cell of these rows is empty, so there is nothing to fill in")
    refused(run("fill", model, row, "--mask", "pai"), "Did you mean 'pay'")
    refused(run("fill", model, "age=50", "--mask", "pay"), "the cell of married is empty")
    refused(run("vary", model, "age=50"), "the cell of married is empty, which it never was in training; fill it in")
    refused(run("fill", model, "age=fifty"), "age is 'fifty'; it has to be a finite number")
    refused(run("fill", model, "town=Bon"), "town is 'Bon', which training never saw; did you mean 'Bonn'?")
    refused(run("fill", model, "agee=50"), "Did you mean 'age'")
    refused(run("vary", model, "50,yes"), "nor 5 cells with commas between them")
    refused(run("walk", model, "--out", "x.gif"), "walks of rows are written as .csv")
    refused(run("vary", model, row, "--score", "town", "--rounds", 2), "town")
    other = write(tmp_path / "other.csv", [["1", "x"], ["2", "y"]], ["a", "b"])
    refused(run("evaluate", model, "--data", other), "the column age is missing")
    refused(run("train", home / "people.csv", "--kind", "points", "--out", "z"), "holds tables")
    code, _, err = run("fill", model, "99,yes,33.125,,2014-03-12", "-n", 1, "--steps", 2, "--out", "beyond")
    assert code == 0
    assert "age is 99, and training saw 18 to 80" in " ".join(err.split())


@pytest.mark.training
def test_a_summary_has_a_line_for_each_filled_cell(run, tmp_path, home, model):
    rows = [["", "yes", "33100.25", "Bonn", "2014-03-12"], ["40", "", "", "Bonn", "2014-03-12"]]
    whole = ["40", "no", "33100.25", "Bonn", "2014-03-12"]
    table = write(tmp_path / "holes.csv", rows, NAMES[1:])
    code, out, err = run("fill", model, table, "-n", 19, "--steps", 3, "--summary")
    assert code == 0, err
    assert "summary.csv: 3 cells; an interval holds the truth 90.0% of the time or more" in " ".join(out.split())
    head, *lines = read(tmp_path / "filled" / "summary.csv")
    assert head == ["row", "column", "value", "probability", "low", "high", "alternatives"]
    assert [line[:2] for line in lines] == [["holes-0", "age"], ["holes-1", "married"], ["holes-1", "pay"]]
    filled = read(tmp_path / "filled" / "examples.csv")[1:]
    ages = sorted(int(row[0]) for row in filled[:19])
    assert [lines[0][2], *lines[0][4:6]] == [str(ages[9]), str(ages[0]), str(ages[18])]
    said = json.loads(lines[1][6])
    assert sum(said.values()) == pytest.approx(1.0)
    assert said["yes"] == sum(row[1] == "yes" for row in filled[19:]) / 19
    assert lines[1][4:6] == ["", ""]
    assert {row[2] for row in filled[19:]} == set(json.loads(lines[2][6]))  # written as in the results

    # Rows without a hole cost nothing and are no samples.
    table = write(tmp_path / "holes.csv", [whole, *rows], NAMES[1:])
    assert run("fill", model, table, "-n", 19, "--steps", 3, "--summary", "--out", "more")[0] == 0
    assert read(tmp_path / "more" / "examples.csv")[1:20] == [whole] * 19
    assert [line[0] for line in read(tmp_path / "more" / "summary.csv")[1:]] == ["holes-1", "holes-2", "holes-2"]
    made = json.loads((tmp_path / "more" / "manifest.json").read_text())["examples"]
    assert [each["sample"] for each in made] == [None] * 19 + list(range(38))

    # The same in Python.
    table = write(tmp_path / "holes.csv", rows, NAMES[1:])
    chain = nk.load(model)
    found = chain.summarise(chain.fill(table, n=19, steps=3), of=table)
    assert [(cell.row, cell.column) for cell in found] == [(0, "age"), (1, "married"), (1, "pay")]
    assert found.of(0, "age").low <= found.of(0, "age").value <= found.of(0, "age").high
    whole = "50,yes,1234.50,Bonn,2014-03-12"
    by_mask = chain.summarise(chain.fill(whole, "town", n=4, steps=2), mask="town", coverage=0.5)
    assert [(cell.row, cell.column) for cell in by_mask] == [(0, "town")]
    with pytest.raises(nk.NoiseKernelError, match="these are fills of 1 row, and the examples given are 2"):
        chain.summarise(chain.fill(whole, "town", n=4, steps=2), of=table, coverage=0.5)

    # What a later command does not write does not stay.
    assert run("fill", model, table, "-n", 1, "--steps", 2, "--force")[0] == 0
    assert not (tmp_path / "filled" / "summary.csv").exists()
    refused(run("fill", model, table, "-n", 4, "--summary", "--out", "x"), "that takes at least 19 of them")
    refused(run("fill", model, table, "--coverage", 0.5, "--out", "x"), "add --summary, or leave it out")


@pytest.mark.training
def test_a_page_of_new_rows_beside_real_ones(run, tmp_path, home, model):
    draw = random.Random(5)
    others = write(tmp_path / "others.csv", [cells(1000 + i, draw) for i in range(150)])
    quick = ("--data", home / "people.csv", "-n", 120, "--steps", 2, "--page", "page.html")
    code, out, err = run("evaluate", model, *quick, "--held-out", others, "--json", "--out", "f.json")
    assert code == 0, err
    rows = json.loads(out)["rows"]
    assert (rows["names"], rows["n"], rows["held_out"]) == (NAMES[1:], 120, True)
    assert rows["nearest"]["compared"] == 150
    assert 0 <= rows["floor"]["columns"] < 0.4
    page = (tmp_path / "page.html").read_text()
    for words in ("New rows of run", "people.csv: 400 rows", "columns shuffled", "the &quot;Hague&quot;"):
        assert words in page
    refused(run("evaluate", model, *quick), "page.html exists")
    code, out, err = run("evaluate", model, *quick, "--force")
    assert code == 0, err
    assert "classifier, AUC" in out
    assert "page.html has the rows" in out
    refused(
        run("evaluate", "digits", "--data", "digits", "--page", "x.html"), "pictures have no columns to be compared"
    )


@pytest.mark.training
def test_numbers_alone_are_a_table_where_somebody_says_so(run, tmp_path):
    numbers = [[str(i % 7), f"{i % 5}.5"] for i in range(60)]
    path = write(tmp_path / "numbers.csv", numbers, ["a", "b"], delimiter=",")
    settings = [f"--set={name}={value}" for name, value in FEW.items()]
    assert run("train", path, "--kind", "tables", "--out", "r", *settings)[0] == 0
    assert run("sample", "r", "-n", 5, "--steps", 3)[0] == 0
    header, *rows = read(tmp_path / "samples" / "examples.csv")
    assert header == ["a", "b"]
    assert all(row[0] in "0123456" and row[1].endswith(".5") for row in rows)


@pytest.fixture(scope="module")
def frame(home):
    return pandas.read_csv(home / "people.csv", sep=";", parse_dates=["joined"]).drop(columns="key")


@pytest.mark.training
def test_a_frame_goes_in_and_rows_of_its_types_come_out(frame, home):
    model = nk.fit(frame, settings=FEW, progress=False)
    assert {column.name: column.type for column in model.kind.columns} == {
        "age": "integer",
        "married": "yes/no",
        "pay": "decimal",
        "town": "category",
        "joined": "date",
    }
    new = pandas.DataFrame(model.draw(model.sample(20, steps=4)))
    assert list(new.columns) == list(frame.columns)
    assert [str(new[name].dtype) for name in ("age", "pay")] == ["int64", "float64"]
    assert str(new["joined"].dtype).startswith("datetime64")
    assert set(new["joined"]) <= set(frame["joined"])

    holes = frame.head(8).copy()
    holes["pay"] = [4321.3456789, None] * 4
    holes["age"] = [None, 33.0, None, 44.0] * 2
    filled = model.fill(holes, n=2, steps=4)
    assert filled.shape == (8, 2, *model.shape)
    done = pandas.DataFrame(model.draw(filled, of=holes))
    assert not bool(done.isna().any().any())
    for name in frame.columns:
        for i, cell in enumerate(holes[name]):
            if cell == cell:
                assert list(done[name][2 * i : 2 * i + 2]) == [cell] * 2
    assert 4321.3456789 not in [row["pay"] for row in model.draw(filled)]  # without `of`, the nearest that it knows
    varied = model.vary(dict(frame.iloc[1]), 3, below=0.2, steps=3)
    assert len(model.draw(varied)) == 3
    steered = nk.steer(model, model.sample(2, steps=3), lambda z: z[:, 0].float(), 2, steps=2)
    assert len(model.draw(steered)) == 4
    with pytest.raises(nk.data.opening.InputError, match="cannot be made of 8"):
        model.draw(filled[0, :1], of=holes)


@pytest.mark.training
def test_a_model_goes_on_with_other_rows_of_the_same_columns(frame, tmp_path):
    first = nk.fit(frame, settings=FEW, progress=False)
    more = nk.fit(frame.tail(50), start=first, settings={"training.images": 64}, progress=False)
    assert more.kind == first.kind
    assert more.history["data"]
    other = frame.tail(50).assign(town="Rom")
    with pytest.raises(nk.data.opening.InputError, match="town is 'Rom', which training never saw"):
        nk.fit(other, start=first, settings={"training.images": 64}, progress=False)
    empty = frame.tail(50).assign(age=[None] * 50)
    with pytest.raises(nk.data.opening.InputError, match="the cell of age is empty, which it never was in training"):
        nk.fit(empty, start=first, settings={"training.images": 64}, progress=False)


@pytest.mark.training
def test_a_parquet_file(run, frame, tmp_path):
    pytest.importorskip("pyarrow")
    frame.to_parquet(tmp_path / "people.parquet")
    settings = [f"--set={name}={value}" for name, value in FEW.items()]
    assert run("train", "people.parquet", "--out", "r", *settings)[0] == 0
    assert run("fill", "r", "people.parquet", "-n", 1, "--steps", 2)[0] == 0
    assert len(read(tmp_path / "filled" / "examples.csv")) == 401
    assert torch.is_tensor(nk.load(tmp_path / "r").read("people.parquet"))


def test_parquet_without_pyarrow_says_how_to_get_it(monkeypatch, tmp_path):
    import sys

    (tmp_path / "t.parquet").write_bytes(b"x")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(nk.core.errors.NoiseKernelError, match=r"pip install 'noisekernel\[tables\]'"):
        nk.data.open_source(tmp_path / "t.parquet")


@pytest.mark.training
def test_redrawing_keeps_columns_and_leans_towards_a_score(run, home, model, tmp_path):
    row = "30,no,20000.00,Bonn,2015-03-12"
    given = ("redraw", model, row, "--mask", "age, married, town", "-n", "40", "--steps", "12")
    code, out, err = run(*given, "--score", "age", "--insist", "0.2", "--out", "old", "--json")
    assert code == 0, err
    assert json.loads(out)["insist"] == 0.2
    assert run(*given, "--score=-age", "--insist", "0.2", "--out", "young")[0] == 0
    old, young = (read(path / "examples.csv") for path in (tmp_path / "old", tmp_path / "young"))
    names = old[0]
    pay, joined, age = (names.index(name) for name in ("pay", "joined", "age"))
    assert {(cells[pay], cells[joined]) for cells in old[1:]} == {(old[1][pay], old[1][joined])}
    mean_of = [sum(int(cells[age]) for cells in table[2:]) / 40 for table in (old, young)]
    assert mean_of[0] > mean_of[1] + 5
    refused(run(*given, "--score", "height", "--out", "none"), "height")

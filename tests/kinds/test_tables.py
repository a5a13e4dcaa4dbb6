"""Rows of a table: types are found and told, cells come back as they were, and mistakes get a sentence each."""

import csv
import io
import math
import tracemalloc
from datetime import date, datetime

import numpy as np
import pandas
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import noisekernel as nk
from noisekernel.core.errors import BadExampleError, InputError
from noisekernel.kinds import kind_of
from noisekernel.kinds.tables import Tables, inference, reading
from noisekernel.kinds.tables.column import OPEN


def fitted(rows, **settings_):
    source = nk.data.open_source(rows)
    return Tables(**settings_).fitted(source)


def table(n=40, **columns):
    """Rows of named cells from functions of the number of the row."""
    return [{name: cell(i) for name, cell in columns.items()} for i in range(n)]


def stored(kind, rows):
    return torch.from_numpy(np.stack([kind.store(row).values for row in rows]))


PEOPLE = table(
    60,
    key=lambda i: f"P{i:03d}",
    age=lambda i: 20 + i % 31,
    pay=lambda i: None if i % 7 == 0 else round(1234.5 + 17.25 * i, 2),
    sex=lambda i: "mf"[i % 2],
    member=lambda i: "yes" if i % 3 else "no",
    since=lambda i: f"20{10 + i % 9}-0{1 + i % 8}-1{i % 9}",
    size=lambda i: "SML"[i % 3],
)


# Types ----------------------------------------------------------------------------------------------------------------


def test_types_are_found_and_told():
    kind, told = fitted(PEOPLE, orders={"size": ["S", "M", "L"]})
    types = {column.name: column.type for column in kind.columns}
    assert types == {
        "age": "integer",
        "pay": "decimal",
        "sex": "category",
        "member": "yes/no",
        "since": "date",
        "size": "ordinal",
    }
    assert kind.left_out == ("key",)
    assert kind.columns[-1].categories == ("S", "M", "L")
    for said in (
        "a table of 7 columns",
        "categories: sex (2)",
        "whole numbers: age (31 values in 31 bins)",
        "dates: since",
        "ordinal: size (3)",
        "with cells in which nothing stands: pay",
        "left out: key (60 different words in 60 rows)",
        "data.types.COLUMN=",
    ):
        assert said in told, told
    # Classes: 31 ages, 51 incomes and "missing", …; and a place for each of three columns of numbers.
    assert kind.counts == (31, 52, 2, 2, kind.columns[4].known, 3, 64, 64, 64)
    assert (kind.uniform, kind.classes, kind.shape) == (3, max(kind.counts), (9,))


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["1", "2", "3"], "integer"),
        (["1", "2.5", "3"], "decimal"),
        (["1.50", "2.00"], "decimal"),
        (["1e3", "2"], "decimal"),
        (["01234", "10115"], "category"),  # codes keep their zero
        (["12345678901234567890", "7"], "category"),  # and long ones all their digits
        (["a", "b", "a"], "category"),
        (["True", "False"], "yes/no"),
        (["0", "1"], "yes/no"),
        ([True, False], "yes/no"),
        (["Y", "N"], "yes/no"),
        (["2024-01-31", "2023-12-01"], "date"),
        (["31.01.2024", "01.12.2023"], "date"),
        (["12/31/2024", "01/31/2024"], "date"),
        (["2024-01-31 10:00:00", "2023-12-01 11:30:00"], "date"),
        ([date(2024, 1, 31), date(2023, 1, 1)], "date"),
        ([datetime(2024, 1, 31, 5), datetime(2023, 1, 1)], "date"),
        ([pandas.Timestamp("2024-01-31"), pandas.Timestamp("2023-01-01")], "date"),
        ([np.int64(3), np.int64(5), np.int64(9)], "integer"),
        ([2.0, 3.0, float("nan"), 7.0], "integer"),
        ([None, "NA", "x", "y", "?"], "category"),
    ],
    ids=str,
)
def test_the_type_of_a_column(cells, kind):
    found, _ = fitted([{"x": cells[i % len(cells)], "y": "ab"[i % 2]} for i in range(24)])
    assert found.columns[0].type == kind
    # Every cell comes back as the object, or as written as it was.
    for cell in cells:
        (row,) = found.drawn(stored(found, [{"x": cell, "y": "a"}]))
        missing = cell is None or cell != cell or cell in ("NA", "?")
        text = found.columns[0].text(row["x"])
        same = missing if row["x"] is None else row["x"] == cell or text == cell or float(text) == float(cell)
        assert same, (row, cell)


def test_types_may_be_said_otherwise():
    rows = table(
        30, zip=lambda i: 10_000 + i % 5, when=lambda i: f"0{1 + i % 5}/0{1 + i % 4}/2024", note=lambda i: f"n{i}"
    )
    kind, told = fitted(rows)
    assert [column.type for column in kind.columns] == ["integer", "date"]
    assert "the dates of when are taken to have the day before the month" in told
    kind, _ = fitted(rows, types={"zip": "category", "when": "identifier", "note": "category"})
    assert [(column.name, column.type) for column in kind.columns] == [("zip", "category"), ("note", "category")]
    assert kind.drawn(stored(kind, rows[:1])) == [{"zip": 10_000, "note": "n0"}]
    many = table(30, x=lambda i: f"{i % 4}", y=lambda i: i % 9)
    assert fitted(many, types={"x": "ordinal"})[0].columns[0].categories == ("0", "1", "2", "3")
    assert fitted(many, bins=4)[0].columns[1].known <= 6


def test_rows_of_numbers_are_points_and_others_are_tables(tmp_path):
    numbers, mixed = table(9, a=lambda i: i, b=lambda i: 2.5 * i), table(9, a=lambda i: i, b=lambda i: "xy"[i % 2])
    assert kind_of(nk.data.open_source(numbers), "these").__name__ == "Points"
    assert kind_of(nk.data.open_source(mixed), "these") is Tables
    assert kind_of(nk.data.open_source(table(9, a=lambda i: i or None, b=lambda i: 3 * i)), "these") is Tables
    late = table(80, a=lambda i: i if i < 70 else None, b=lambda i: i % 7)  # what the first rows do not show is told
    assert kind_of(nk.data.open_source(late), "these").__name__ == "Points"
    _, told = nk.kinds.kind_by_name("points")().fitted(nk.data.open_source(late))
    assert told.startswith("the list, row 71: a is None")
    assert told.endswith("are a table: --kind tables")
    assert Tables.takes(nk.data.open_source(numbers))
    assert not Tables.recognises(nk.data.open_source(numbers))
    assert not Tables.takes(nk.data.open_source(["a", "b"]))


# There and back -------------------------------------------------------------------------------------------------------

words = st.text(st.characters(blacklist_categories=("Cs", "Cc")), min_size=1, max_size=8).map(str.strip)
texts = words.filter(lambda text: bool(text) and text not in ("", "NA", "N/A", "NaN", "nan", "null", "NULL", "?"))


@settings(max_examples=60, deadline=None)
@given(
    names=st.lists(texts, min_size=3, max_size=3, unique=True),
    category=st.lists(st.none() | texts, min_size=6, max_size=6),
    number=st.lists(st.none() | st.integers(-(10**9), 10**9), min_size=6, max_size=6),
    decimal=st.lists(st.none() | st.floats(-1e9, 1e9), min_size=6, max_size=6),
)
def test_any_row_comes_back(names, category, number, decimal):
    rows = [dict(zip(names, cells, strict=True)) for cells in zip(category, number, decimal, strict=True)]
    types = {names[0]: "category", names[1]: "number", names[2]: "number"}
    try:
        kind, _ = fitted(rows, types=types)
    except InputError as error:  # one value everywhere, nothing anywhere
        if "there is nothing to learn" in str(error):
            return
        raise
    values = stored(kind, rows)
    kept = [{name: row[name] for name in kind.names} for row in rows]
    assert kind.drawn(values) == kept
    assert kind.drawn(kind.decode(kind.encode(values))) == kept
    # As a file: names, order and cells.
    page = kind.together(kind.show(values)).content.decode()
    again = list(csv.DictReader(io.StringIO(page)))
    assert list(again[0]) == list(kind.names)
    assert torch.equal(stored(kind, again), values)


def test_what_is_open_and_what_is_missing():
    kind, _ = fitted(PEOPLE)
    row = {**PEOPLE[1], "age": "", "pay": None}
    values = stored(kind, [row])
    z = kind.encode(values)
    assert (z[0, 0].item(), z[0, 1].item()) == (OPEN, kind.columns[1].known)  # age was never missing in training
    assert kind.drawn(values)[0]["age"] is None
    assert kind.holes(z)[0].tolist() == [True, True, *[False] * 4, True, True, False]
    with pytest.raises(InputError, match="the cell of age is empty, which it never was in training"):
        kind.check_whole(z)
    kind.check_whole(kind.encode(stored(kind, [{**PEOPLE[1], "pay": None}])))
    # What is filled in is something: the class "missing" is barred where a cell is hidden, and no other is.
    barred = kind.barred(z, kind.holes(z))
    assert barred.nonzero().tolist() == [[0, 1, kind.columns[1].known]]


def test_numbers_that_have_not_changed_keep_their_last_digit():
    kind, _ = fitted(PEOPLE)
    row = {**PEOPLE[1], "pay": 1300.123456789, "age": 20}
    given_ = stored(kind, [row])
    plain = kind.decode(kind.encode(given_))
    assert kind.drawn(plain)[0]["pay"] != 1300.123456789  # the nearest that the model knows
    assert kind.drawn(kind.kept(plain, given_))[0] == {**kind.drawn(plain)[0], "pay": 1300.123456789}
    changed = plain.clone()
    changed[:, 1] += 1
    assert kind.drawn(kind.kept(changed, given_))[0]["pay"] != 1300.123456789
    # What was hidden from the model does not come back.
    hidden = kind.mask_of(["pay"])[None]
    assert kind.drawn(kind.kept(plain, given_, hidden))[0]["pay"] != 1300.123456789


def test_scores_masks_and_examples_by_name():
    kind, _ = fitted(PEOPLE, orders={"size": ["S", "M", "L"]})
    row = kind.drawn(stored(kind, [PEOPLE[2]]))[0]
    scores = {name: score(row) for name, score in kind.scores.items()}
    assert (scores["age"], scores["-age"], scores["member"], scores["size"]) == (22.0, -22.0, 1.0, 2.0)
    assert "sex" not in scores
    assert kind.scores["pay"]({**row, "pay": None}) == -math.inf
    assert kind.mask("pay, sex", [])[0].tolist() == [False, True, True, *[False] * 4, True, False]
    (named,) = kind.given(["age=50, member=yes"])
    assert named.item == {**dict.fromkeys(kind.names), "age": "50", "member": "yes"}
    (named,) = kind.given(["25, 1300, m, no, 2015-03-14, L"])
    assert named.item["since"] == "2015-03-14"
    assert kind.store(list(named.item.values())).values.tolist() == kind.store(named.item).values.tolist()
    assert kind.differs({**PEOPLE[1], "age": 99}) == "age is 99, and training saw 20 to 50"
    assert kind.differs(PEOPLE[1]) is None


def test_the_page_takes_rows_in_three_forms():
    kind, _ = fitted(PEOPLE)
    page, line = kind.on_page, "25,1300,m,no,2015-03-14,L"
    z = page.read(line.encode(), {})
    assert torch.equal(page.read(f"{','.join(kind.names)}\n{line}\n".encode(), {}), z)
    assert [page.inline(z)[0][i] for i in (0, 2, 3, 5)] == ["25", "m", "no", "L"]
    assert page.texts(z) == [",".join(cells) for cells in page.inline(z)]
    masked = z.clone()
    masked[0, [1, 6]] = kind.classes  # the class of one cell, and the place of another, which says nothing
    assert page.noisy(masked)[0][1] is None
    assert [cell is None for cell in page.noisy(masked)[0]] == [False, True, *[False] * 4]
    assert "<th>age</th><td>25</td>" in page.markup(z, ["a"])[0]
    assert page.read_mask('["pay"]').tolist() == page.read_mask("pay").tolist()
    for text, said in (
        ("a\nb\nc", "the text has 3 lines"),
        ("", "nor 6 cells"),
        ("age=3", "fill it in first"),
        ("age,sex\n3", "1 cells under 2 names"),
        ("agee=3", "Did you mean 'age'"),
    ):
        with pytest.raises(InputError, match=said):
            page.read(text.encode(), {})
    for mask, said in (("[]", "nothing is marked"), ("[1]", "no JSON array"), ('["agee"]', "Did you mean 'age'")):
        with pytest.raises(InputError, match=said):
            page.read_mask(mask)


def test_features_are_finite_where_cells_are_missing():
    kind, _ = fitted(PEOPLE)
    features = kind.flat(stored(kind, PEOPLE))
    assert bool(torch.isfinite(features).all())
    assert 0.0 <= float(features.min()) <= float(features.max()) <= 1.0


def test_rows_as_numbers_and_categories():
    kind, _ = fitted([*PEOPLE[:-1], {**PEOPLE[-1], "sex": None}])
    rows = kind.rows(stored(kind, PEOPLE[:8]))
    assert [variable.name for variable in rows.variables] == list(kind.names)
    assert [variable.categories for variable in rows.variables[2:4]] == [
        ("f", "m", "(empty)"),
        ("no", "yes", "(empty)"),
    ]
    assert rows.table[:, 0].tolist() == [20 + i for i in range(8)]
    assert np.isnan(rows.table[:, 1]).tolist() == [True, *[False] * 6, True]
    assert rows.table[:, 2].tolist() == [1.0, 0.0] * 4
    texts = [variable.text(value) for variable, value in zip(rows.variables, rows.table[1], strict=True)]
    assert [texts[i] for i in (0, 1, 4)] == ["21", "1251.75", "2011-02-11"]
    empty = kind.rows(stored(kind, [{**PEOPLE[0], "sex": None, "age": None}]))
    assert empty.table[0, 2] == 2
    assert np.isnan(empty.table[0, 0])


# Mistakes -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"sex": "x"}, r"sex is 'x', which training never saw; it saw f, m"),
        ({"member": "yess"}, "did you mean 'yes'"),
        ({"age": "old"}, "age is 'old'; it has to be a finite number"),
        ({"pay": "inf"}, "pay is 'inf'; it has to be a finite number"),
        ({"since": "yesterday"}, "since is 'yesterday'; it has to be a date such as 2010-01-10"),
        ({"agee": 3}, "Did you mean 'age'"),
    ],
)
def test_cells_that_the_model_cannot_have(change, said):
    kind, _ = fitted(PEOPLE)
    with pytest.raises(BadExampleError, match=said):
        kind.store({**PEOPLE[1], **change})


def test_rows_that_are_none():
    kind, _ = fitted(PEOPLE)
    with pytest.raises(BadExampleError, match="the column pay is missing"):
        kind.store({name: cell for name, cell in PEOPLE[1].items() if name != "pay"})
    with pytest.raises(BadExampleError, match="it has 2 cells where there are 6 columns"):
        kind.store([1, 2])
    with pytest.raises(BadExampleError, match="a str is no row"):
        kind.store("word")
    for word, said in (
        ("age=5, age=6", "age stands twice"),
        ("agee=5", "Did you mean 'age'"),
        ("1,2", "nor 6 cells with commas between them"),
    ):
        with pytest.raises(InputError, match=said):
            kind.given([word])
    with pytest.raises(InputError, match="Did you mean 'sex'"):
        kind.mask("sxe", [])
    with pytest.raises(InputError, match=r"walks of rows are written as \.csv"):
        kind.check_film(nk.data.opening.Path("walk.gif"))


def written(tmp_path, text, name="t.csv", **how):
    path = tmp_path / name
    path.write_text(text, **how)
    return path


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a,b\n1,x\n2\n", r"t\.csv, row 3: 1 cells where there are 2 columns"),
        ("a,a\n1,x\n", "two columns have the same name"),
        ("a,b\n", "names columns but holds no row"),
        ("", "holds no line of text"),
        ("a,b\n" + "1,x\n" * 9, "there is nothing to learn from this table"),
        ("a,b\n" + ",\n" * 9, "there is nothing to learn from this table"),
        ("a,b\n" + "".join(f"{i}.5,x\n" for i in range(60)) + "n.a.,y\n", r"t\.csv, row 62: a is 'n\.a\.', and 60 of"),
    ],
    ids=["ragged", "duplicate names", "header only", "empty", "one value", "all missing", "mixed"],
)
def test_files_that_are_no_tables(tmp_path, text, said):
    with pytest.raises(InputError, match=said):
        nk.data.load_data(written(tmp_path, text), "tables")


def test_other_bad_files(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes("a,b\nä,1\n".encode("latin-1"))
    with pytest.raises(InputError, match="is no text in UTF-8"):
        nk.data.load_data(path)
    path = tmp_path / "t.parquet"
    path.write_bytes(b"no parquet")
    with pytest.raises(InputError, match="cannot be read as a Parquet file"):
        nk.data.load_data(path)
    with pytest.raises(InputError, match="the DataFrame has no row"):
        nk.data.load_data(pandas.DataFrame({"a": []}))
    twice = pandas.DataFrame([[1, "x"]], columns=["a", "a"])
    with pytest.raises(InputError, match="two columns of the DataFrame have the same name"):
        nk.data.load_data(twice)
    with pytest.raises(InputError, match="row 2: it and the first row do not both have a column"):
        nk.data.load_data([{"a": 1}, {"b": 1}])


def test_columns_of_one_value_and_of_none_are_told(tmp_path):
    rows = table(30, a=lambda i: "ab"[i % 2], land=lambda i: "US", nothing=lambda i: None)
    kind, told = fitted(rows)
    assert "land has one value, so there is nothing to learn of it" in told
    assert "left out: nothing (empty in every row)" in told
    assert kind.drawn(stored(kind, rows[:1])) == [{"a": "a", "land": "US"}]  # it is written all the same


def test_too_many_categories():
    rows = table(2500, x=lambda i: f"w{i % 1100}", y=lambda i: "ab"[i % 2])
    with pytest.raises(
        InputError, match="the column x has 1,100 different values, and a column of categories may have"
    ):
        fitted(rows)
    kind, told = fitted(rows[:2000])  # more than half of them are different
    assert kind.names == ("y",)
    assert "left out: x (1,100 different words in 2,000 rows)" in told


@pytest.mark.parametrize(
    ("settings_", "said"),
    [
        ({"types": {"agee": "number"}}, "Did you mean 'age'"),
        ({"types": {"sex": "number"}}, "sex is 'm', and this column is to be numbers"),
        ({"types": {"sex": "date"}}, "sex is 'm', and this column is to be dates"),
        ({"types": {"size": "yes/no"}}, "the column size is to be yes or no"),
        ({"orders": {"size": ["S", "M"]}}, r"'L' is not in data\.orders\.size"),
        ({"orders": {"size": ["S", "M", "L", "S"]}}, "a value stands twice"),
    ],
)
def test_settings_that_do_not_fit(settings_, said):
    with pytest.raises(InputError, match=said):
        fitted(PEOPLE, **settings_)


def test_a_stream_and_items_that_are_no_rows():
    with pytest.raises(InputError, match="the columns of a stream are not known beforehand"):
        Tables().fitted(None)
    with pytest.raises(InputError, match="are not known yet"):
        _ = Tables().shape
    with pytest.raises(InputError, match="no row of named cells"):
        Tables().fitted(nk.data.open_source(["a", "b"]))


def test_a_few_words_among_numbers_are_taken_for_categories_and_told():
    rows = table(40, children=lambda i: ["0", "1", "2", "3+"][i % 4], y=lambda i: "ab"[i % 2])
    kind, told = fitted(rows)
    assert kind.columns[0].type == "category"
    assert "children is taken for categories because of '3+' (the list, row 4)" in told


# Files as they come ---------------------------------------------------------------------------------------------------


def test_a_million_different_words_are_left_out_or_refused():
    words_ = [f"w{i}" for i in range(10**6)]
    column = inference.found("x", words_)
    assert column == inference.Found(None, "1,000,000 different words in 1,000,000 rows")
    with pytest.raises(InputError, match=r"the column x has 1,000,000 different values, .* Group them; or leave"):
        inference.found("x", words_, "category")


def test_mixed_types_are_refused_with_the_row_or_told():
    cells = [str(i) for i in range(60)]
    with pytest.raises(InputError, match=r"row 31: x is 'n\.a\.', and 60 of the 61 cells of this column are numbers"):
        inference.found("x", [*cells[:30], "n.a.", *cells[30:]])
    dates = [f"2024-01-{i:02d}" for i in range(1, 29)]
    mixed = inference.found("x", [*dates * 2, "spring", "spring"])  # mostly dates: words, and many of them
    assert mixed.column.type == "category"
    assert inference.found("x", [*dates[:10], 5, True]).column.type == "category"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("a,b\nä,1\n".encode("latin-1"), r"at byte 4\)\. Save it as UTF-8, .* iconv -f LATIN1 -t UTF-8 t\.csv"),
        ("a,b\nä,1\n".encode("utf-16"), r"at byte 0\)\. Save it as UTF-8, .* iconv -f UTF-16"),
        (b'a,b\n"x,1\ny,2\nz,3\n', r"row 2: 1 cells where there are 2 columns\. One of them has 3 lines: is a quote"),
        (b'a,b\n"x' + b"y" * 200_000 + b"\n", r"t\.csv is no CSV: field larger than .*; is a quote never closed"),
        (b"a,b\n1,x\n\n2\n", r"t\.csv, row 3: 1 cells where there are 2 columns"),
        (b"a,b,a\n1,x,2\n", "two columns have the same name; give each its own: a, b, a"),
        (b"\n \n", r"t\.csv holds no line of text"),
    ],
    ids=["latin-1", "utf-16", "open quote", "long open quote", "ragged", "duplicate names", "blank"],
)
def test_files_in_other_shapes_get_a_sentence_that_helps(tmp_path, content, said):
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    with pytest.raises(InputError, match=said):
        nk.data.load_data(path, "tables")


def test_cells_of_several_lines_keep_their_line_ends(tmp_path):
    text = 'note,n\n"first\n\nsecond",1\n"say ""x""",2\n\nplain,3\n'
    for ends in ("\n", "\r\n", "\r"):
        source = nk.data.open_source(written(tmp_path, text.replace("\n", ends), newline=""))
        assert [source.item(i)["note"] for i in range(3)] == ["first\n\nsecond", 'say "x"', "plain"]
        assert source.name(2) == "t.csv, row 4"


def test_numbers_with_commas_are_told():
    rows = table(60, price=lambda i: f"{i},50", salary=lambda i: f"{1 + i % 5},500", y=lambda i: "ab"[i % 2])
    kind, told = fitted(rows)
    assert kind.names == ("salary", "y")
    assert "left out: price (60 different words in 60 rows; they look like numbers with commas: write 1234.5" in told
    assert "salary has words for cells; they look like numbers with commas" in told
    assert "commas" not in fitted(PEOPLE)[1]


def test_columns_that_are_found_by_some_of_the_rows_are_told_so(monkeypatch):
    rows = table(60, x=lambda i: "ab"[i % 2] if i < 50 else "late", y=lambda i: i % 7)
    monkeypatch.setattr(reading, "LOOKED_AT", 50)
    kind, told = fitted(rows)
    assert told.startswith("a table of 2 columns, found by the first 50 of 60 rows")
    with pytest.raises(InputError, match=r"row 51: x is 'late', which training never saw; it saw a, b"):
        nk.data.load_data(rows, kind)


def test_memory_grows_with_the_file_and_no_faster(tmp_path):
    """About fifteen bytes for each byte of the file, as docs/kinds/tables.md states."""
    line = "{},teacher,{}.25,Ulm,2020-0{}-11,{},x\n"
    sizes, peaks = [], []
    for n in (2_000, 4_000, 8_000):
        body = "".join(line.format(18 + i % 60, 7 * i, 1 + i % 9, i % 11) for i in range(n))
        path = written(tmp_path, "age,job,pay,town,since,hours,note\n" + body, f"{n}.csv")
        tracemalloc.start()
        nk.data.load_data(path, "tables")
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        sizes.append(path.stat().st_size)
    slopes = [(peaks[i + 1] - peaks[i]) / (sizes[i + 1] - sizes[i]) for i in (0, 1)]
    assert slopes[1] < 1.5 * slopes[0]
    assert max(slopes) < 30

"""The store: what was chosen stays chosen, what was deleted comes back, data is there before the row that names it."""

import sqlite3

import pytest
import torch

from noisekernel.core.errors import InputError, MissingError, StorageError
from noisekernel.studio.store import Store
from noisekernel.studio.store.schema import SCHEMA


@pytest.fixture
def store(tmp_path):
    made = Store(tmp_path)
    yield made
    made.close()


@pytest.fixture
def design(store):
    return store.new_design("one", "digits")["id"]


def batch(n, seed=0):
    return torch.randn(n, 1, 2, 2, generator=torch.Generator().manual_seed(seed))


def origin(store, design, seed=0):
    return store.add_nodes(design, batch(1, seed), [{"origin": "upload"}], [None], kept=True)[0]


def round_of(store, design, parents, n=3, seed=1):
    made = {"threads": 1}
    record = store.new_round(design, "vary", {"beta": 0.1}, seed, parents, n, made)
    nodes = store.add_nodes(
        design, batch(n, seed), [{"beta": 0.1}] * n, [parents[0]] * n, round=record["id"], done=True
    )
    return record["id"], nodes


def test_data_comes_back_bit_by_bit_after_reopening(tmp_path, store, design):
    first = origin(store, design)
    round, nodes = round_of(store, design, [first["id"]])
    store.close()
    again = Store(tmp_path)
    assert torch.equal(again.clean(again.nodes_of_round(round)), batch(3, 1))
    assert torch.equal(again.clean([again.node(first["id"])]), batch(1))
    assert again.round(round)["state"] == "done"
    assert [n["id"] for n in again.nodes_of_round(round)] == [n["id"] for n in nodes]
    assert again.sound()
    again.close()


def test_a_folder_of_an_earlier_version(tmp_path):
    """Which weights its designs were made with is not known."""
    with sqlite3.connect(tmp_path / "studio.sqlite") as db:
        db.executescript(SCHEMA.replace(", weights TEXT", ""))
        db.execute("INSERT INTO designs (id, name, model, created, updated) VALUES ('a', 'old', 'digits', 0, 0)")
    db.close()
    for _ in range(2):
        store = Store(tmp_path)
        assert store.design("a")["weights"] is None
        store.close()


def test_walks_of_an_earlier_version_have_a_pace_now(tmp_path, store, design):
    parent = origin(store, design)["id"]
    round = store.new_round(design, "walk", {"strength": 0.1, "label": None}, 1, [parent], 1, {})
    own = {"segments": [{"strength": 0.1, "steps": 3}, {"strength": 0.2, "steps": 1}]}
    store.add_nodes(design, batch(1), [own], [parent], round=round["id"])
    other = store.new_round(design, "vary", {"strength": 0.3}, 1, [parent], 1, {})
    store.close()
    again = Store(tmp_path)
    assert again.round(round["id"])["settings"] == {"pace": 0.1, "label": None}
    assert again.round(other["id"])["settings"] == {"strength": 0.3}
    (frame,) = again.nodes_of_round(round["id"])
    assert frame["own"] == {"segments": [{"pace": 0.1, "steps": 3}, {"pace": 0.2, "steps": 1}]}
    again.close()


def test_a_full_disk_is_a_storage_error_and_nothing_is_half_written(store, design):
    store._db.execute("PRAGMA max_page_count = 1")  # no more than there are
    with pytest.raises(StorageError, match="full"):
        store.new_design("x" * 1_000_000, "digits")
    store._db.execute("PRAGMA max_page_count = 100000")
    assert [row["id"] for row in store.designs()] == [design]
    assert store.new_design("two", "digits")["name"] == "two"


def test_the_tree_shows_what_was_touched(store, design):
    first = origin(store, design)
    round, nodes = round_of(store, design, [first["id"]], n=5)
    assert [n["id"] for n in store.nodes_of(design)] == [first["id"]]
    assert len(store.nodes_of(design, round=round)) == 6
    for node, change in zip(nodes, ({"kept": True}, {"starred": True}, {"name": "a"}, {"opinion": -1}), strict=False):
        assert store.change_node(node["id"], **change)["kept"]
    assert len(store.nodes_of(design)) == 5
    with pytest.raises(InputError, match="take those away first"):
        store.change_node(nodes[1]["id"], kept=False)
    assert not store.change_node(nodes[0]["id"], kept=False)["kept"]


def test_parents_and_the_present_are_kept(store, design):
    first = origin(store, design)
    _, nodes = round_of(store, design, [first["id"]])
    round_of(store, design, [nodes[0]["id"]], seed=2)
    store.change_design(design, present=nodes[1]["id"])
    assert {n["id"] for n in store.nodes_of(design)} == {first["id"], nodes[0]["id"], nodes[1]["id"]}
    other = store.new_design("two", "digits")["id"]
    with pytest.raises(InputError, match="one of this design"):
        store.change_design(other, present=first["id"])


def test_what_a_round_started_from_stays_kept(store, design):
    first = origin(store, design)
    _, nodes = round_of(store, design, [first["id"]])
    round_of(store, design, [nodes[0]["id"]], seed=2)
    assert store.change_node(nodes[0]["id"], starred=True)["starred"]
    undone = store.change_node(nodes[0]["id"], starred=False, kept=False)
    assert (undone["starred"], undone["kept"]) == (False, True)


def test_what_was_deleted_together_comes_back_together(store, design):
    first = origin(store, design)
    _, (a, b, _) = round_of(store, design, [first["id"]])
    _, (c, *_) = round_of(store, design, [a["id"]], seed=2)
    store.change_node(c["id"], kept=True)
    store.change_design(design, present=c["id"])
    assert c["id"] in store.delete_node(c["id"])
    assert set(store.delete_node(a["id"])) & {a["id"], c["id"]} == {a["id"]}
    assert store.design(design)["present"] is None
    with pytest.raises(MissingError):
        store.node(a["id"])
    store.restore_node(a["id"])
    assert store.node(a["id"])["kept"]
    with pytest.raises(MissingError):
        store.node(c["id"])  # it was deleted before, by itself
    assert [n["id"] for n in store.restore_node(c["id"])] == [c["id"]]
    assert store.node(b["id"])["deleted"] is None


def test_designs_are_hidden_and_restored(store, design):
    store.change_design(design, deleted=1)
    assert store.designs() == []
    with pytest.raises(MissingError):
        store.design(design)
    with pytest.raises(MissingError):
        store.change_design(design, name="ghost")
    store.change_design(design, deleted=0)
    assert [row["id"] for row in store.designs()] == [design]


def test_rounds_of_a_dead_server_are_interrupted(tmp_path, store, design):
    first = origin(store, design)
    record = store.new_round(design, "vary", {}, 0, [first["id"]], 2, {})
    (tmp_path / "objects" / "ab").mkdir()
    half = tmp_path / "objects" / "ab" / ".x.safetensors.1.unfinished"
    half.touch()
    assert store.recover() == 1
    assert store.round(record["id"])["state"] == "interrupted"
    assert not half.exists()


def test_no_row_names_a_file_that_is_not_there(tmp_path, store, design, monkeypatch):
    """The wrong twin writes the row first; a disk that fails in between shows the difference."""

    def full(*_):
        raise OSError("the disk is full")

    monkeypatch.setattr("noisekernel.studio.store.objects.write_tensors", full)
    with pytest.raises(OSError, match="full"):
        origin(store, design)
    assert store.nodes_of(design, everything=True) == []
    assert store.sound()
    with sqlite3.connect(tmp_path / "studio.sqlite") as db:
        db.execute(
            "INSERT INTO nodes (id, design, place, settings, object, row, digest, created)"
            " VALUES ('x', ?, 0, '{}', 'nowhere', 0, '', 0)",
            (design,),
        )
    db.close()
    assert not store.sound()

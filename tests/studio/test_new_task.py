"""A new task is one file and one line of the registry: everything else asks it, in the studio, over HTTP, in replay."""

import json
from typing import Annotated, Literal

import pytest
from pydantic import Field
from studio_client import finish, ok, serving

from noisekernel import tasks
from noisekernel.core.errors import InputError
from noisekernel.studio.design_file import read_design, write_design
from noisekernel.studio.replay import replay, steps_of
from noisekernel.studio.rounds import TASKS, Asked, task_of
from noisekernel.studio.rounds.fields import Count, OneParent, Steps
from noisekernel.studio.rounds.record import damaged
from noisekernel.studio.rounds.task import Doing, Ending, drawing, rows_of
from noisekernel.studio.tree_page import tree_page


class Blur(Asked):
    """What a task's file holds: a request …"""

    task: Literal["blur"]
    parents: OneParent
    amount: Annotated[float, Field(ge=0.0, le=1.0)]
    n: Count = 2
    steps: Steps = 3


class BlurTask(Ending):
    """… and what the studio asks of a task."""

    request = Blur
    told = ("amount",)

    def settled(self, request, served, store, design):
        settings = super().settled(request, served, store, design)
        if settings["amount"] == 1.0:
            raise InputError("amount is 1; nothing would be left")
        return {**settings, "beta": 0.1 + settings["amount"] / 2}

    def checked(self, one):
        settings = dict(one["settings"])
        beta = settings.pop("beta", None)
        if not isinstance(beta, float):
            raise damaged("a blur without its noise level")
        return {**super().checked({**one, "settings": settings}), "beta": beta}

    def beginning(self, model, one, known):
        yield from ()
        settings, z = one["settings"], known.clean_of(one["parents"])[rows_of(one)]
        options = {"beta": settings["beta"], "steps": settings["steps"], "readout": 0}
        return Doing(tasks.equilibration(model, z, **options, **drawing(model, one, known)))


@pytest.fixture(autouse=True)
def _registered(monkeypatch):
    monkeypatch.setitem(TASKS, "blur", BlurTask())


@pytest.fixture
def start(studio, digits):
    """A design with one node to start from."""
    design = studio.store.new_design("one", "digits", digits.weights)["id"]
    (node,) = studio.store.add_nodes(design, digits.example(3), [{"origin": "example"}], [None], kept=True)
    return design, node["id"]


def test_the_studio_runs_it(studio, start):
    design, node = start
    request = Blur(task="blur", parents=[node], amount=0.5, seed=1)
    assert studio.estimate(design, request)["calls"] == 4
    job, record = studio.start_round(design, request, "me", attended=False)
    while not studio.queue.idle:
        studio.queue._once()
    assert (job.status, record["settings"]["beta"]) == ("done", pytest.approx(0.35))
    made = studio.store.nodes_of_round(record["id"])
    assert [each["parent"] for each in made] == [node, node]
    with pytest.raises(InputError, match="nothing would be left"):
        studio.start_round(design, Blur(task="blur", parents=[node], amount=1.0), "me", attended=False)
    page = tree_page(studio.store.design(design), made, {each["id"]: "" for each in made})
    assert "blur, amount 0.5, 3 steps" in page


def test_it_goes_over_http(studio, start):
    design, node = start
    with serving(studio) as api:
        body = {"task": "blur", "parents": [node], "amount": 0.5, "n": 3, "seed": 1}
        made = finish(api, design, body)
        assert [(each["task"], each["settings"]["amount"]) for each in made] == [("blur", 0.5)] * 3
        assert ok(api.post(f"/api/designs/{design}/estimate", json=body))["calls"] == 4
        assert "Blur" in json.dumps(ok(api.get("/openapi.json")))
        for wrong, said in (
            ({"task": "blurr"}, "Did you mean 'blur'?"),
            ({}, "sample, vary, fill, steer, walk, blur"),
            ({**body, "amoun": 1}, "Did you mean 'amount'?"),
            ({**body, "amount": 2}, "amount is 2; give at most 1"),
        ):
            answer = api.post(f"/api/designs/{design}/rounds", json=wrong)
            assert (answer.status_code, said in answer.json()["detail"]) == (422, True), answer.text


def test_what_a_task_made_can_be_looked_at_when_it_is_gone(studio, start, monkeypatch):
    design, node = start
    with serving(studio) as api:
        made = finish(api, design, {"task": "blur", "parents": [node], "amount": 0.5})
        monkeypatch.delitem(TASKS, "blur")
        whole = ok(api.get(f"/api/designs/{design}"))
        assert whole["latest"] == made[0]["round"]
        assert api.get(f"/api/nodes/{made[0]['id']}/show").status_code == 200
        assert api.get(f"/api/designs/{design}/tree.html").status_code == 200


@pytest.mark.same_call
def test_its_rounds_are_kept_in_files_and_replayed(studio, start, digits, monkeypatch):
    design, node = start
    request = Blur(task="blur", parents=[node], amount=0.5, seed=1)
    _, record = studio.start_round(design, request, "me", attended=False)
    while not studio.queue.idle:
        studio.queue._once()
    for each in studio.store.nodes_of_round(record["id"]):
        studio.store.change_node(each["id"], kept=True)
    content = write_design(studio.store, studio.store.design(design))
    file = read_design(content)
    steps = []
    again = list(replay(file, digits.model, lambda: steps.append(1)))
    assert (len(again), all(each.bits for each in again)) == (3, True)
    assert len(steps) == steps_of(file) == 3
    # The wrong twin: what the task holds against a record counts, and so does what it makes of it.
    file.record.rounds[0].settings["beta"] = 0.9
    assert not all(each.same for each in replay(file, digits.model))
    del file.record.rounds[0].settings["beta"]
    with pytest.raises(InputError, match="damaged: a blur without its noise level"):
        list(replay(file, digits.model))
    monkeypatch.delitem(TASKS, "blur")
    with pytest.raises(InputError, match="there is no task called 'blur'"):
        read_design(content)


def test_a_task_that_is_none():
    with pytest.raises(InputError, match="Did you mean 'vary'"):
        task_of("vari")


def test_nothing_else_compares_names_of_tasks():
    """Only the file of a task, and the tables' update of old folders, may say its name."""
    import ast
    from pathlib import Path

    import noisekernel.studio as package

    folder = Path(package.__file__).parent
    names = {name for name in TASKS if name != "blur"}
    own = {folder / "rounds" / f"{name}.py" for name in ("sample", "vary", "fill", "steer", "walk")}
    for path in set(folder.rglob("*.py")) - own:
        for tree in ast.walk(ast.parse(path.read_text())):
            if isinstance(tree, ast.Compare):
                said = {leaf.value for leaf in ast.walk(tree) if isinstance(leaf, ast.Constant)}
                assert not said & names, f"{path}: line {tree.lineno} compares the name of a task"

"""The page with rows of a table: cards and a table of candidates, pinned cells, a row of one's own."""

import csv
import json
import re

import pytest
from playwright.sync_api import expect

from browser.conftest import Server
from browser.hand import Hand
from browser.test_strings_and_points import candidates, film, take, walk


@pytest.fixture(scope="module")
def table_server(table_model, tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("studio"), str(table_model.model), "--data", str(table_model.data))
    yield server
    server.kill()


@pytest.fixture
def people(window, table_server):
    hand = Hand(window.page(), table_server)
    hand.go()
    return hand


def cells(hand: Hand, node: str) -> list[str]:
    """The cells of a node, as the server hands them out."""
    text = hand.page.request.get(f"{hand.server.url}api/nodes/{node}/show").text()
    return list(csv.reader(text.splitlines()))[1]


@pytest.mark.training
def test_pinned_cells_stay_and_changes_are_marked(people):
    expect(people.page.locator("#stage").get_by_text("Rows that never were")).to_be_visible()
    people.start_from_example(2)
    view = people.page.get_by_role("region", name="The present row")
    expect(view.locator(".row-card .value").first).to_have_text("21")
    before = cells(people, people.present)
    people.tool("Paint")
    surface = people.page.get_by_role("application")
    for name in ("age", "town"):
        surface.locator(".of", has_text=name).click()
    expect(people.page.get_by_text("60 % made anew")).to_be_visible()
    people.key("g")
    people.round_ends()
    (round,) = people.stored()["rounds"]
    assert (round["task"], json.loads(round["settings"]["mask"])) == ("fill", ["married", "pay", "since"])
    made = [cells(people, node) for node in candidates(people)]
    assert {(each[0], each[2]) for each in made} == {(before[0], before[2])}

    def marked(selector):
        return people.page.locator(f".cell {selector} .changed").count()

    changed = sum(a != b for each in made for a, b in zip(each, before, strict=True))
    people.until(lambda: marked(".on-cell") == changed)
    people.page.get_by_role("switch", name="Table").click()
    people.until(lambda: marked(".on-line") == changed)
    expect(people.page.locator(".row-head > span")).to_have_text(["age", "married", "town", "pay", "since"])
    tops = people.page.locator(".cell").evaluate_all("all => all.map((one) => one.getBoundingClientRect().top)")
    assert tops == sorted(set(tops))  # below each other
    people.choose(3)
    expect(people.leaves).to_have_count(2)


@pytest.mark.training
def test_another_click_takes_a_pin_back(people):
    people.start_from_example()
    people.tool("Paint")
    surface = people.page.get_by_role("application")
    pin = surface.locator(".of", has_text="age")
    pin.click()
    expect(people.page.get_by_text("80 % made anew")).to_be_visible()
    pin.click()
    expect(people.page.get_by_text("100 % made anew")).to_be_visible()


@pytest.mark.training
def test_a_row_is_typed_or_pasted(people):
    people.page.get_by_role("button", name=re.compile("Your own row")).click()
    dialog = people.page.get_by_role("dialog")
    dialog.get_by_label("age").fill("33")
    expect(dialog.get_by_role("alert")).to_contain_text("the cell of married is empty")
    for name, cell in {"married": "yes", "town": "Ulm, sout", "pay": "4050.5", "since": "2014-03-12"}.items():
        dialog.get_by_label(name).fill(cell)
    expect(dialog.get_by_role("alert")).to_contain_text("did you mean 'Ulm, south'")
    expect(dialog.get_by_role("button", name="Use it")).to_be_disabled()
    dialog.get_by_label("town").fill("Ulm, south")
    expect(dialog.locator("figure .value")).to_have_text(
        ["33", "yes", "Ulm, south", re.compile("^40[05]0.50"), re.compile("201")]
    )
    dialog.get_by_role("button", name="Use it").click()
    expect(people.leaves).to_have_count(1)
    assert cells(people, people.present)[:3] == ["33", "yes", "Ulm, south"]


@pytest.mark.training
def test_a_walk_of_rows_is_taken_away(people):
    people.start_from_example(3)
    view = walk(people)
    name, table = film(people, view, "Table, CSV")
    assert (name, table.splitlines()[0]) == ("walk.csv", "step,chain,age,married,town,pay,since")
    people.key("Escape")
    people.all_jobs_end()
    name, text = take(people, re.compile("^This row"))
    assert (name.endswith(".csv"), text.splitlines()[0]) == (True, "age,married,town,pay,since")
    _, page = take(people, re.compile("^The tree"))
    assert "<th>town</th>" in page

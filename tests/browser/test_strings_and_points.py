"""The page with strings and with points: from an example or from what was typed to what is taken away."""

import json
import re

import pytest
from playwright.sync_api import expect

from browser.conftest import Server
from browser.hand import Hand
from small_models import WORDS


def studio_of(small, tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("studio"), str(small.model), "--data", str(small.data))
    yield server
    server.kill()


@pytest.fixture(scope="module")
def words_server(words_model, tmp_path_factory):
    yield from studio_of(words_model, tmp_path_factory)


@pytest.fixture(scope="module")
def rows_server(rows_model, tmp_path_factory):
    yield from studio_of(rows_model, tmp_path_factory)


@pytest.fixture
def words(window, words_server):
    hand = Hand(window.page(), words_server)
    hand.go()
    return hand


@pytest.fixture
def rows(window, rows_server):
    hand = Hand(window.page(), rows_server)
    hand.go()
    return hand


def shown(hand: Hand, node: str) -> str:
    """What the server shows of a node: its last line."""
    return hand.page.request.get(f"{hand.server.url}api/nodes/{node}/show").text().splitlines()[-1]


def numbers(hand: Hand, node: str) -> list[float]:
    return [float(cell) for cell in shown(hand, node).split(",")]


def candidates(hand: Hand) -> list[str]:
    """The nodes of the round on the stage, in order."""
    round = hand.page.locator(".cells").get_attribute("data-round")
    return [node["id"] for node in hand.api(f"rounds/{round}")["nodes"]]


def take(hand: Hand, item: str) -> tuple[str, str]:
    """Take something away: its name and its content."""
    hand.button("Take away").click()
    with hand.page.expect_download() as taken:
        hand.page.get_by_role("menuitem", name=item).click()
    return taken.value.suggested_filename, taken.value.path().read_text()


def walk(hand: Hand):
    """Let it run."""
    hand.tool("Walk")
    hand.page.locator("#stage").focus()
    hand.key("Space")
    view = hand.page.get_by_role("region", name="Live walk")
    expect(view.get_by_text(re.compile(r"step [1-9]"))).to_be_visible()
    return view


def film(hand: Hand, view, label: str) -> tuple[str, str]:
    """Record some steps of a walk and take them away."""
    # The page says so at once; what the server has not been told yet is not in the film.
    with hand.page.expect_response(re.compile("/record$")):
        hand.button("Record a film R").click()
    expect(hand.button("Stop recording R")).to_be_visible()
    step = view.get_by_text(re.compile(r"step \d"))
    at = int(step.inner_text().split()[-1])
    # The page is behind the walk, the more so the busier the machine: of the next steps it shows, some came before.
    hand.until(lambda: int(step.inner_text().split()[-1]) > at + 24)
    hand.button("Stop recording R").click()
    with hand.page.expect_download() as taken:
        hand.button(label).click()
    return taken.value.suggested_filename, taken.value.path().read_text()


# Strings --------------------------------------------------------------------------------------------------------------


@pytest.mark.training
def test_strings_from_an_example_to_a_choice(words):
    expect(words.page.locator("#stage").get_by_text("Strings that never were")).to_be_visible()
    expect(words.page.get_by_role("button", name=re.compile(r"^Example 4\b"))).to_contain_text(WORDS[3])
    words.start_from_example(4)
    view = words.page.get_by_role("region", name="The present string")
    expect(view.locator(".words")).to_have_text("hannah")
    words.generate()
    made = candidates(words)
    expect(words.page.locator(".cell .words")).to_have_text([shown(words, node) or "empty" for node in made])
    words.choose(2)
    assert words.present == made[1]
    expect(words.leaves.locator(".words")).to_have_text(["hannah", shown(words, made[1]) or "empty"])
    assert words.page.locator("img:visible, canvas:visible").count() == 1  # the studio's own sign


@pytest.mark.training
def test_a_string_is_typed_and_only_one_that_can_be(words):
    words.page.get_by_role("button", name=re.compile("Your own string")).click()
    dialog = words.page.get_by_role("dialog")
    dialog.get_by_label("Your string").fill("Otto!")
    expect(dialog.get_by_role("alert")).to_contain_text("the character 'O' is none of")
    expect(dialog.get_by_role("button", name="Use it")).to_be_disabled()
    dialog.get_by_label("Your string").fill("otto")
    expect(dialog.locator("figure .words")).to_have_text("otto")
    dialog.get_by_role("button", name="Use it").click()
    expect(words.leaves).to_have_count(1)
    assert shown(words, words.present) == "otto"
    expect(words.page.get_by_role("region", name="The present string")).to_contain_text("your string")


@pytest.mark.training
def test_letters_that_are_not_marked_stay(words):
    words.start_from_example(4)
    words.tool("Paint")
    surface = words.page.get_by_role("application")
    letters = surface.locator("> span")
    expect(letters).to_have_text([*"hannah", "…"])
    for at in (1, 2):
        letters.nth(at).click()
    expect(words.page.get_by_text("29 % made anew")).to_be_visible()
    words.key("g")
    words.round_ends()
    (round,) = words.stored()["rounds"]
    assert (round["task"], round["settings"]["mask"]) == ("fill", ".__...")
    texts = [shown(words, node) for node in candidates(words)]
    assert all(len(text) == 6 and text[0] == "h" and text[3:] == "nah" for text in texts), texts


@pytest.mark.training
def test_a_walk_of_strings_is_filmed_and_taken_away(words):
    words.start_from_example(4)
    view = walk(words)
    name, lines = film(words, view, "Film, text")
    assert name == "walk.txt"
    assert len(lines.splitlines()) > 3
    view.get_by_role("switch", name="Noisy state").click()
    expect(view.locator(".words")).to_contain_text("·")
    words.page.locator("#stage").focus()
    words.key("s")
    expect(words.leaves).to_have_count(2)
    words.key("Escape")
    words.all_jobs_end()
    name, text = take(words, re.compile("^This string"))
    assert (name.endswith(".txt"), text.strip()) == (True, shown(words, words.present))
    name, text = take(words, re.compile("^List of strings"))
    assert (name.endswith(".txt"), text.splitlines()[0]) == (True, "hannah")
    _, page = take(words, re.compile("^The tree"))
    assert "<pre>hannah</pre>" in page


# Points ---------------------------------------------------------------------------------------------------------------


@pytest.mark.training
def test_points_from_an_example_to_a_choice(rows):
    expect(rows.page.locator("#stage").get_by_text("Points that never were")).to_be_visible()
    rows.start_from_example()
    view = rows.page.get_by_role("region", name="The present point")
    expect(view.locator("svg").first).to_be_visible()
    rows.generate()
    made = candidates(rows)
    expect(rows.page.locator(".cell .points svg")).to_have_count(4)
    rows.choose(3)
    assert rows.present == made[2]
    expect(rows.leaves).to_have_count(2)
    assert rows.page.locator("img:visible, canvas:visible").count() == 1  # the studio's own sign


@pytest.mark.training
def test_a_point_is_typed_and_a_strange_one_is_told(rows):
    rows.page.get_by_role("button", name=re.compile("Your own point")).click()
    dialog = rows.page.get_by_role("dialog")
    dialog.get_by_label("left").fill("three")
    expect(dialog.get_by_role("alert")).to_contain_text("left is “three”; it needs a number.")
    expect(dialog.get_by_role("button", name="Use it")).to_be_disabled()
    dialog.get_by_label("A row of numbers").fill("3, 106, 0.01")
    expect(dialog.get_by_label("right")).to_have_value("106")
    expect(dialog.get_by_role("button", name="Use it")).to_be_enabled()
    dialog.get_by_role("button", name="Use it").click()
    expect(rows.leaves).to_have_count(1)
    assert numbers(rows, rows.present) == pytest.approx([3, 106, 0.01])


@pytest.mark.training
def test_columns_that_are_not_marked_stay(rows):
    rows.start_from_example()
    before = numbers(rows, rows.present)
    rows.tool("Paint")
    surface = rows.page.get_by_role("application")
    surface.locator(".row-of", has_text="right").click()
    expect(rows.page.get_by_text("33 % made anew")).to_be_visible()
    rows.key("g")
    rows.round_ends()
    (round,) = rows.stored()["rounds"]
    assert (round["task"], json.loads(round["settings"]["mask"])) == ("fill", ["right"])
    for node in candidates(rows):
        after = numbers(rows, node)
        assert (after[0], after[2]) == (before[0], before[2])
        assert after[1] != before[1]


@pytest.mark.training
def test_a_walk_of_points_is_filmed_and_taken_away(rows):
    rows.start_from_example()
    view = walk(rows)
    name, table = film(rows, view, "Table, CSV")
    assert (name, table.splitlines()[0]) == ("walk.csv", "step,chain,left,right,tiny")
    assert len(table.splitlines()) > 3
    rows.key("Escape")
    rows.all_jobs_end()
    name, table = take(rows, re.compile("^This point"))
    assert (name.endswith(".csv"), table.splitlines()[0]) == (True, "left,right,tiny")
    name, plot = take(rows, re.compile("^Scatter plot"))
    assert (name.endswith(".svg"), plot.startswith("<svg")) == (True, True)
    _, page = take(rows, re.compile("^The tree"))
    assert "<th>right</th>" in page

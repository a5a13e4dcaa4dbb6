"""The page with data of another kind: everything is shown by that kind's viewer, and nothing expects pictures."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from browser.hand import Hand

LETTERS = Path(__file__).parent / "letters.js"


def told_of(page: Page, **changes) -> None:
    """The server says this of its model."""

    def models(route: Route) -> None:
        told = [{**model, **changes} for model in route.fetch().json()]
        route.fulfill(body=json.dumps(told), content_type="application/json")

    page.route("**/api/models", models)


def with_letters(page: Page) -> None:
    """The model is said to be of words, by a kind that brings its viewer along."""
    page.route("**/kinds/letters.js", lambda route: route.fulfill(path=LETTERS, content_type="text/javascript"))
    told_of(page, kind="letters", one="word", many="words", viewer_module="/kinds/letters.js")


@pytest.fixture
def words(window, server) -> Hand:
    page = window.page()
    with_letters(page)
    hand = Hand(page, server)
    hand.go()
    return hand


def test_words_from_the_start_to_the_tree(words):
    stage = words.page.locator("#stage")
    expect(stage.get_by_text("Words that never were")).to_be_visible()
    expect(stage.get_by_text("Something of yours")).to_be_hidden()
    expect(words.page.get_by_role("button", name=re.compile(r"^Example 1\b"))).to_have_text("word 0")
    words.start_from_example()
    root = words.present
    view = words.page.get_by_role("region", name="The present word")
    expect(view.locator(".letters.on-large")).to_have_text(root[:4])
    expect(words.page.locator(".badge")).to_have_text("digits 4 letters")
    words.generate()
    made = [node for node in words.stored()["nodes"] if node["round"]]
    candidates = sorted(made, key=lambda node: node["index"])
    expect(words.page.locator(".cell .letters")).to_have_text([node["id"][:4] for node in candidates])
    box = words.page.locator(".face").first.bounding_box()
    assert box["width"] == pytest.approx(4 * box["height"], rel=0.02)
    words.choose(2)
    expect(words.leaves.locator(".letters")).to_have_text([root[:4], words.present[:4]])
    expect(words.page.locator(".middle .letters")).to_have_text(words.present[:4])
    assert words.page.locator("img:visible, canvas:visible").count() == 1  # the studio's own sign


def test_words_are_compared_without_a_difference_and_taken_away_without_a_sheet(words):
    words.start_from_example()
    words.generate()
    words.choose(1)
    words.key("c")
    view = words.page.get_by_role("region", name="Two words side by side")
    expect(view.locator(".letters.on-large")).to_have_count(2)
    expect(view.get_by_role("switch", name="Difference")).to_be_hidden()
    words.button("Take away").click()
    expect(words.page.get_by_role("menuitem", name="This word")).to_be_visible()
    expect(words.page.get_by_role("menuitem", name="Contact sheet")).to_have_count(0)


def test_letters_are_painted_on(words):
    words.start_from_example()
    words.tool("Paint")
    letters = words.page.locator(".surface button")
    letters.nth(1).click()
    expect(words.page.get_by_text("25 % made anew")).to_be_visible()
    expect(letters.nth(1)).to_have_class("marked")
    words.page.get_by_role("radio", name="Lock").click()
    letters.nth(1).click()
    expect(words.page.get_by_text("paint what to make anew;")).to_be_visible()
    letters.nth(0).click()  # the first lock on what is clean: the rest is made anew
    expect(words.page.get_by_text("75 % made anew")).to_be_visible()
    words.key("z")
    words.key("z")
    expect(words.page.get_by_text("25 % made anew")).to_be_visible()
    assert words.page.locator("#tool .panel:visible input[type=range]").count() == 0
    words.wire.answer(409, {"detail": "not in this test"}, "/rounds")
    words.key("g")
    words.says("not in this test")


def test_a_walk_of_words_has_no_film(words):
    words.start_from_example()
    words.tool("Walk")
    words.page.locator("#stage").focus()
    words.key("Space")
    view = words.page.get_by_role("region", name="Live walk")
    expect(view.locator(".letters.on-stage")).to_have_text("way0")
    view.get_by_role("switch", name="Noisy state").click()
    expect(view.locator(".letters.on-stage")).to_have_text("????")
    expect(words.button(re.compile("Record a film"))).to_have_count(0)
    words.key("Escape")
    words.all_jobs_end()


def test_of_a_kind_that_the_page_does_not_know_it_says_so_and_goes_on(window, server):
    page = window.page()
    told_of(page, kind="smells", one="smell", many="smells")
    hand = Hand(page, server)
    hand.go()
    hand.says("This page cannot show data of the kind smells: it knows pictures")
    hand.start_from_example()
    expect(page.get_by_role("tab", name="Paint")).to_be_disabled()
    hand.generate()
    hand.choose(3)
    assert len(hand.stored()["nodes"]) == 5

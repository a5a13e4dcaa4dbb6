"""6. Teach taste."""

import re

from playwright.sync_api import expect


def test_likes_and_dislikes_teach_a_taste_to_walk_towards(hand):
    hand.start_from_example()
    hand.generate()
    hand.tool("Taste")
    go = hand.button(re.compile("to my taste"))
    expect(go).to_be_disabled()
    expect(hand.page.get_by_text(re.compile("Needs 2 more likes and 2 more dislikes"))).to_be_visible()
    for number in (1, 2):
        hand.button(f"Like candidate {number}").click()
    hand.button("Dislike candidate 3").click()
    hand.cells.nth(3).hover()
    hand.key("d")  # the one under the pointer
    expect(hand.button("Dislike candidate 4")).to_have_attribute("aria-pressed", "true")
    expect(go).to_be_enabled()
    sure = hand.page.get_by_role("meter", name="How sure the studio is of your taste")
    expect(sure).to_have_attribute("aria-valuenow", re.compile(r"^\d+$"))

    expect(hand.page.get_by_text(re.compile(r"A round takes about (a|\d+) (second|minute)"))).to_be_visible()

    dial = hand.page.get_by_role("slider", name="Taste")
    dial.focus()
    hand.key("End")
    expect(dial).to_have_attribute("aria-valuetext", "100, insistently")
    hand.page.locator("#stage").focus()
    hand.generate()
    stored = hand.stored()
    assert stored["rounds"][-1]["task"] == "steer"
    assert stored["rounds"][-1]["settings"]["taste"] == 1
    assert sorted(stored["opinions"].values()) == [-1, -1, 1, 1]


def test_an_opinion_is_taken_back(hand):
    hand.start_from_example()
    hand.generate()
    hand.button("Like candidate 1").click()
    expect(hand.page.get_by_role("treeitem", name=re.compile("liked"))).to_be_visible()
    hand.button("Like candidate 1").click()
    expect(hand.button("Like candidate 1")).to_have_attribute("aria-pressed", "false")
    hand.key("z")
    expect(hand.button("Like candidate 1")).to_have_attribute("aria-pressed", "true")
    hand.page.reload()
    expect(hand.button("Like candidate 1")).to_have_attribute("aria-pressed", "true")


def test_an_opinion_can_be_taken_back_before_the_server_has_heard_of_it(hand):
    hand.start_from_example()
    hand.generate()
    hand.wire.hold("PUT .*/opinion ")
    hand.button("Like candidate 1").click()
    expect(hand.button("Like candidate 1")).to_have_attribute("aria-pressed", "true")
    hand.key("z")
    hand.held()
    hand.wire.let_go()
    expect(hand.button("Like candidate 1")).to_have_attribute("aria-pressed", "false")


def test_a_round_towards_taste_says_how_far_it_is_and_for_how_long(hand):
    hand.start_from_example()
    hand.generate()
    hand.tool("Taste")
    for number in (1, 2):
        hand.button(f"Like candidate {number}").click()
    for number in (3, 4):
        hand.button(f"Dislike candidate {number}").click()
    expect(hand.button(re.compile("to my taste"))).to_be_enabled()
    hand.long_round()
    expect(hand.page.get_by_role("heading", name="64 variants towards your taste")).to_be_visible()
    expect(hand.page.get_by_text(re.compile(r"step \d+ of 50\d\d · \d+ s"))).to_be_visible()
    hand.key("Escape")
    expect(hand.page.get_by_text("This round was cancelled.")).to_be_visible()

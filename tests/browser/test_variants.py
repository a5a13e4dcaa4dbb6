"""2. See variants walk. 3. Turn one dial."""

import re

from playwright.sync_api import expect


def test_candidates_are_seen_while_the_chain_walks_and_can_be_cancelled(hand):
    hand.start_from_example()
    hand.long_round()
    bar = hand.page.get_by_role("progressbar")
    first = hand.cells.first
    expect(hand.cells).to_have_count(64)
    expect(bar).to_have_attribute("aria-valuenow", re.compile(r"\d"))
    hand.until(lambda: len({hand.seen(hand.cells.nth(i)) for i in range(4)}) == 4)
    clean = hand.seen(first)
    hand.page.get_by_role("switch", name="Noisy state").first.click()
    hand.until(lambda: hand.seen(first) != clean)
    hand.key("Escape")
    expect(hand.page.get_by_text("This round was cancelled.")).to_be_visible()
    expect(hand.button(re.compile("^Generate"))).to_be_enabled()
    assert hand.api("health")["jobs"]["active"] == 0


def test_a_cancelled_round_runs_again(hand):
    hand.start_from_example()
    hand.set("Steps", "1000")
    hand.set("Walk at beta", "0.5")
    hand.key("g")
    hand.button(re.compile("^Cancel")).first.click()
    hand.button("Run it again").click()
    hand.round_ends()
    (record,) = hand.stored()["rounds"]
    assert record["status"] == "done"


def test_the_dial_turns_by_hand_and_by_key_and_is_what_the_round_records(hand):
    hand.start_from_example()
    dial = hand.page.get_by_role("slider", name="Strength")
    box = dial.bounding_box()
    middle = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    hand.page.mouse.move(middle[0], box["y"] + 8)  # the top of the ring is half way
    hand.page.mouse.down()
    hand.page.mouse.move(middle[0] + box["width"] * 0.42, middle[1], steps=4)  # a third further on
    hand.page.mouse.up()
    expect(dial).to_have_attribute("aria-valuenow", "83")
    dial.focus()
    hand.key("Home", "PageUp", "ArrowUp", "ArrowRight")
    expect(dial).to_have_attribute("aria-valuetext", "12, subtle")
    hand.key("+")
    expect(dial).to_have_attribute("aria-valuenow", "17")
    hand.generate()
    (record,) = hand.stored()["rounds"]
    assert record["settings"]["strength"] == 0.17
    assert record["settings"]["beta"] is None


def test_experts_open_the_numbers_and_a_seed_gives_the_same_again(hand):
    hand.start_from_example()
    for name, value in {"Candidates": "3", "Steps": "7", "Walk at beta": "0.25", "Lag": "0.5", "Seed": "42"}.items():
        hand.set(name, value)
    hand.generate(3)
    hand.generate(3)
    first, second = hand.stored()["rounds"]
    for record in (first, second):
        assert (record["n"], record["seed"]) == (3, 42)
        assert {key: record["settings"][key] for key in ("beta", "lag", "steps")} == {
            "beta": 0.25,
            "lag": 0.5,
            "steps": 7,
        }
    digests = [[node["digest"] for node in hand.api(f"rounds/{one['id']}")["nodes"]] for one in (first, second)]
    assert digests[0] == digests[1]


def test_an_impossible_number_is_marked_and_not_sent(hand):
    hand.start_from_example()
    hand.set("Walk at beta", "7")
    expect(hand.page.get_by_label("Walk at beta", exact=True)).to_have_attribute("aria-invalid", "true")
    hand.generate()
    assert hand.stored()["rounds"][0]["settings"]["beta"] is None


def test_a_number_that_is_not_possible_is_told_what_is_where_it_is_typed(hand):
    hand.start_from_example()
    hand.set("Candidates", "500")
    field = hand.page.locator("#set-count")
    sentence = "500 is not possible: Candidates is a whole number from 1 to 64. Until then: 4."
    expect(hand.page.get_by_text(sentence)).to_be_visible()
    expect(field).to_have_accessible_description(sentence)
    below = hand.page.get_by_text(sentence).bounding_box()["y"] - field.bounding_box()["y"]
    assert 0 < below < 60
    expect(hand.page.locator(".go")).to_have_text(re.compile("^Generate 4"))
    hand.page.get_by_role("slider", name="Strength").press("End")  # another setting leaves it as it was typed
    expect(field).to_have_value("500")
    hand.set("Lag", "2")
    expect(hand.page.get_by_text("2 is not possible: Lag is a number from 0 to 0.999, or left empty.")).to_be_visible()
    hand.set("Candidates", "3")
    expect(hand.page.get_by_text(sentence)).to_have_count(0)
    expect(hand.page.locator(".go")).to_have_text(re.compile("^Generate 3"))

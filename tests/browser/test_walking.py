"""7. Let it run: a live walk."""

import re
from io import BytesIO

from PIL import Image
from playwright.sync_api import expect


def test_play_pause_turn_the_pace_keep_a_frame_record_a_film(hand):
    hand.start_from_example()
    root = hand.present
    hand.key("w")
    hand.page.locator("#stage").focus()
    hand.key("Space")
    view = hand.page.get_by_role("region", name="Live walk")
    shown = view.get_by_text(re.compile(r"step [1-9]"))
    expect(shown).to_be_visible()
    first = hand.seen(view)

    def walk_on():
        """A few steps more, that are seen."""
        at = int(shown.inner_text().split()[-1])
        hand.until(lambda: int(shown.inner_text().split()[-1]) > at + 4)

    hand.button("Record a film R").click()
    expect(hand.button("Stop recording R")).to_be_visible()
    pace = hand.page.get_by_role("slider", name="Pace")
    pace.fill("0.9")
    expect(pace).to_have_attribute("aria-valuetext", "34 % a step")
    hand.until(lambda: hand.seen(view) != first)
    walk_on()  # at the new pace, recorded

    hand.button("Stop recording R").click()
    with hand.page.expect_download() as film:
        hand.button("Film, GIF").click()
    frames = Image.open(BytesIO(film.value.path().read_bytes()))
    assert frames.format == "GIF"
    assert frames.n_frames > 1
    frames.close()

    hand.page.locator("#stage").focus()
    hand.key("Space")
    expect(view.get_by_text(re.compile("paused at"))).to_be_visible()
    hand.key("s")
    hand.says("Kept this frame in the tree.")
    expect(hand.leaves).to_have_count(2)
    hand.key("Space")
    expect(view.get_by_text(re.compile(r"step \d"))).to_be_visible()

    hand.key("Escape")
    expect(hand.button(re.compile("Start the walk"))).to_be_visible()
    assert hand.api("health")["jobs"]["active"] == 0
    frame = next(node for node in hand.stored()["nodes"] if node["parent"] == root)
    assert frame["task"] == "walk"
    assert [segment["pace"] for segment in frame["settings"]["segments"]][-1] == 0.338


def test_a_walk_ends_when_its_design_is_left(hand):
    hand.start_from_example()
    hand.key("w")
    hand.page.locator("#stage").focus()
    hand.key("Space")
    expect(hand.page.get_by_text(re.compile(r"^step [1-9]"))).to_be_visible()
    hand.page.locator(".brand").click()
    expect(hand.page.get_by_role("heading", name="Begin a design")).to_be_visible()
    hand.all_jobs_end()


def test_a_reload_during_a_pause_finds_the_walk_paused(hand):
    hand.start_from_example()
    hand.key("w")
    pace = hand.page.get_by_role("slider", name="Pace")
    pace.fill("0.8")
    hand.page.locator("#stage").focus()
    hand.key("Space")
    expect(hand.page.get_by_text(re.compile(r"^step [1-9]"))).to_be_visible()
    hand.key("Space")
    expect(hand.page.get_by_text(re.compile("paused at"))).to_be_visible()
    hand.page.reload()
    expect(hand.page.get_by_text(re.compile("paused at"))).to_be_visible()
    expect(pace).to_have_value("0.8")
    hand.page.locator("#stage").focus()
    hand.key("Space")
    expect(hand.page.get_by_text(re.compile(r"^step [1-9]"))).to_be_visible()
    hand.key("Escape")
    hand.all_jobs_end()

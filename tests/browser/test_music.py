"""The page with music: rolls that are heard, lanes that are painted on, a melody that is clicked and harmonised."""

import re

import pytest
from playwright.sync_api import expect

from browser.conftest import Server
from browser.hand import Hand
from browser.test_strings_and_points import candidates, take, walk


@pytest.fixture(scope="module")
def music_server(music_model, tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("studio"), str(music_model.model), "--data", str(music_model.data))
    yield server
    server.kill()


@pytest.fixture
def music(window, music_server):
    hand = Hand(window.page(), music_server)
    hand.go()
    return hand


def notes(hand: Hand, node: str) -> list[list[int]]:
    """The notes of a node: voice, pitch, start, length."""
    return hand.page.request.get(f"{hand.server.url}api/nodes/{node}/show?as=json").json()["notes"]


def of_voices(found: list[list[int]], *voices: int) -> list[list[int]]:
    return [note for note in found if note[0] in voices]


@pytest.mark.training
def test_a_voice_is_rewritten_and_the_candidates_are_heard(music):
    expect(music.page.locator("#stage").get_by_text("Pieces that never were")).to_be_visible()
    music.start_from_example(5)
    before = notes(music, music.present)
    music.tool("Paint")
    surface = music.page.get_by_role("application")
    box = surface.bounding_box()
    # The name of the second voice stands at the left of its lane.
    music.page.mouse.click(box["x"] + 6, box["y"] + box["height"] * 0.4)
    expect(music.page.get_by_text(re.compile("^25 % made anew"))).to_be_visible()
    music.key("g")
    music.round_ends()
    (round,) = music.stored()["rounds"]
    assert (round["task"], round["settings"]["mask"].count("1")) == ("fill", 32)
    made = [notes(music, node) for node in candidates(music)]
    assert all(of_voices(each, 0, 2, 3) == of_voices(before, 0, 2, 3) for each in made)
    # A model that knows this small music well may draw the voice as it was.
    assert all(of_voices(each, 1) for each in made)
    music.page.locator(".cell").first.hover()
    music.key("h")
    expect(music.page.locator(".playing").first).to_be_attached()
    music.key("h")
    expect(music.page.locator(".playing")).to_have_count(0)
    music.choose(1)
    expect(music.leaves).to_have_count(2)


@pytest.mark.training
def test_a_melody_is_clicked_and_harmonised(music):
    music.page.get_by_role("button", name=re.compile("Your own music")).click()
    dialog = music.page.get_by_role("dialog")
    plot = dialog.locator("canvas").first
    box = plot.bounding_box()
    for share in (0.2, 0.45, 0.7):
        music.page.mouse.click(box["x"] + box["width"] * share, box["y"] + box["height"] * 0.3)
    use = dialog.get_by_role("button", name="Use it")
    expect(use).to_be_enabled()
    use.click()
    expect(music.leaves).to_have_count(1)
    tune = notes(music, music.present)
    assert {note[0] for note in tune} == {0}
    music.tool("Paint")
    surface = music.page.get_by_role("application")
    box = surface.bounding_box()
    music.page.mouse.click(box["x"] + 6, box["y"] + box["height"] * 0.9)
    music.key("g")
    music.round_ends()
    for node in candidates(music):
        found = music.page.request.get(f"{music.server.url}api/nodes/{node}/show?as=json").json()
        assert found["open"] == []
        # What was entered is kept, to the step: a note that follows another of its pitch may be told as one with it.
        kept = {(n[2] + i, n[1]) for n in of_voices(tune, 0) for i in range(n[3])}
        there = {(n[2] + i, n[1]) for n in of_voices(found["notes"], 0) for i in range(n[3])}
        assert kept <= there


@pytest.mark.training
def test_a_piece_and_a_walk_are_taken_away(music):
    music.start_from_example(7)
    walk(music)
    music.key("Escape")
    music.all_jobs_end()
    with music.page.expect_download() as taken:
        music.key("p")
    assert taken.value.suggested_filename.endswith(".mid")
    assert taken.value.path().read_bytes().startswith(b"MThd")
    name, page = take(music, re.compile("^The tree"))
    assert name.endswith(".html")
    assert "data:image/png" in page

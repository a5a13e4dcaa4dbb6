"""Reload, two tabs, a tab that closes, a server that is killed in mid-job."""

import re

import pytest
from playwright.sync_api import expect

from browser.conftest import Server
from browser.hand import STEP, Hand


def test_a_reload_restores_everything(hand):
    hand.start_from_example()
    hand.generate()
    hand.choose(3)
    hand.key("s")
    hand.button("Like candidate 1").click()
    hand.page.get_by_role("slider", name="Strength").press("End")
    title = hand.page.get_by_label("Name of the design")
    title.fill("A rose")
    title.press("Enter")
    seen = hand.seen(hand.cells.nth(2))
    expect(hand.page).to_have_title(re.compile("A rose"))
    hand.page.reload()
    hand.round_ends()
    expect(hand.cells.nth(2)).to_have_class(re.compile("chosen"))
    expect(hand.page.locator(".leaf.starred")).to_have_count(1)
    expect(hand.button("Like candidate 1")).to_have_attribute("aria-pressed", "true")
    expect(hand.page.get_by_role("slider", name="Strength")).to_have_attribute("aria-valuenow", "100")
    expect(title).to_have_value("A rose")
    hand.until(lambda: hand.seen(hand.cells.nth(2)) == seen)


def test_a_reload_in_the_middle_of_a_round_finds_it_again(hand):
    hand.start_from_example()
    hand.long_round()
    hand.page.reload()
    expect(hand.page.get_by_text(STEP)).to_be_visible()
    hand.key("Escape")
    expect(hand.page.get_by_text("This round was cancelled.")).to_be_visible()


def test_designs_are_listed_and_deleted_with_undo(hand):
    hand.start_from_example()
    title = hand.page.get_by_label("Name of the design")
    title.fill("To be thrown away")
    title.press("Enter")
    hand.page.locator(".brand").click()
    entry = hand.page.locator(".design", has_text="To be thrown away")
    expect(entry).to_be_visible()
    hand.button("Delete the design To be thrown away").click()
    expect(entry).to_have_count(0)
    hand.page.locator(".toast").get_by_role("button", name="Undo").click()
    entry.click()
    expect(hand.leaves).to_have_count(1)
    hand.page.go_back()
    expect(hand.page.get_by_role("heading", name="Begin a design")).to_be_visible()


def test_the_menu_of_designs_lists_them_at_its_first_opening(hand):
    hand.start_from_example()
    title = hand.page.get_by_label("Name of the design")
    title.fill("Opened by its address")
    title.press("Enter")
    hand.settled()
    hand.page.reload()
    expect(hand.leaves).to_have_count(1)
    hand.button("Designs").click()
    entry = hand.page.get_by_role("menuitem", name="Opened by its address digits")
    expect(entry).to_be_visible()
    expect(entry).to_be_focused()  # the latest, so the first
    # What the hand has gone to keeps the focus when the list is read again.
    hand.key("ArrowUp")
    last = hand.page.get_by_role("menuitem", name="Delete this design")
    expect(last).to_be_focused()
    hand.page.evaluate("import('/lib/design.js').then(({ list }) => list())")
    expect(last).to_be_focused()


def test_a_design_left_while_it_is_being_renamed_stays_left_and_is_renamed(hand):
    hand.start_from_example()
    hand.wire.hold("PATCH /api/designs/")
    title = hand.page.get_by_label("Name of the design")
    title.fill("Renamed late")
    title.press("Enter")
    hand.held()
    hand.page.locator(".brand").click()
    begin = hand.page.get_by_role("heading", name="Begin a design")
    expect(begin).to_be_visible()
    hand.wire.let_go()
    expect(hand.page.locator(".design", has_text="Renamed late")).to_be_visible()
    expect(begin).to_be_visible()


def test_what_is_shown_outlasts_a_reload_before_the_server_has_heard_of_it(hand):
    hand.start_from_example()
    hand.generate()
    hand.wire.hold("PATCH /api/")
    hand.choose(2)
    hand.key("s")  # waits for the choice
    expect(hand.page.locator(".leaf.starred")).to_have_count(1)
    hand.held()
    assert not any(node["starred"] for node in hand.api(f"designs/{hand.design}")["nodes"])
    hand.page.reload()
    expect(hand.page.locator(".leaf.starred[aria-selected=true]")).to_have_count(1)
    stored = hand.stored()
    assert [node["id"] for node in stored["nodes"] if node["starred"]] == [stored["present"]]


def test_what_is_done_while_the_server_is_away_is_done_when_it_is_back(hand):
    hand.start_from_example()
    lost = hand.page.get_by_text("The server is away.")
    hand.wire.cut()
    hand.key("s")
    expect(lost).to_be_visible()
    expect(hand.page.locator(".leaf.starred")).to_have_count(1)
    hand.wire.mend()
    expect(lost).to_be_hidden()
    expect(hand.page.locator(".leaf.starred")).to_have_count(1)
    assert [node["starred"] for node in hand.stored()["nodes"]] == [True]


def test_a_design_left_before_it_has_opened_stays_left(hand):
    hand.start_from_example()
    hand.page.locator(".brand").click()
    hand.wire.hold("GET /api/designs/")
    hand.page.locator(".design").first.click()
    hand.held()
    hand.page.locator(".brand").click()
    hand.wire.let_go()
    hand.until(lambda: hand.wire.diary("read GET /api/designs/"))  # by now it would be open
    expect(hand.page.get_by_role("heading", name="Begin a design")).to_be_visible()
    assert hand.design == ""


def test_two_tabs_see_each_others_choices(hand, window):
    hand.start_from_example()
    hand.generate()
    other = Hand(window.page(hand.page.context), hand.server)
    other.go(f"#d={hand.design}")
    expect(other.leaves).to_have_count(1)
    hand.choose(1)
    expect(other.leaves).to_have_count(2)
    other.choose(4)
    expect(hand.leaves).to_have_count(3)
    # Each keeps its own place.
    assert hand.present != other.present


def test_two_browsers_work_at_once(hand, window):
    other = Hand(window.page(), hand.server)
    other.go()
    for one in (hand, other):
        one.start_from_example()
        one.set("Steps", "60")
    hand.key("g")
    other.key("g")
    hand.round_ends()
    other.round_ends()
    assert hand.design != other.design


def test_a_closed_tab_frees_its_job(hand, window):
    hand.start_from_example()
    other = Hand(window.page(), hand.server)
    other.go(f"#d={hand.design}")
    other.long_round()
    other.page.close()
    hand.all_jobs_end()
    assert hand.stored()["rounds"][-1]["status"] == "cancelled"


def test_a_round_goes_on_while_another_design_is_worked_on(hand):
    hand.start_from_example()
    first = hand.design
    hand.long_round()
    (record,) = hand.stored()["rounds"]
    left = []
    for end in ("requestfinished", "requestfailed"):
        hand.page.on(end, lambda request: left.append(request.url))
    hand.page.locator(".brand").click()
    expect(hand.page.get_by_role("heading", name="Begin a design")).to_be_visible()
    hand.start_from_example(2)
    assert hand.design != first
    hand.set("Candidates", "4")
    hand.set("Steps", "10")
    hand.generate()
    # A round that nobody listens to would be cancelled after a while.
    assert not [url for url in left if f"jobs/{record['job']}/events" in url]
    hand.page.go_back()
    expect(hand.page.get_by_role("heading", name="Begin a design")).to_be_visible()
    hand.page.go_back()
    expect(hand.page.get_by_text(STEP)).to_be_visible()
    assert [one["status"] for one in hand.stored()["rounds"]] == ["running"]
    hand.key("Escape")
    expect(hand.page.get_by_text("This round was cancelled.")).to_be_visible()


def test_a_server_that_comes_back_with_another_token_says_so(hand):
    hand.wire.cut()
    expect(hand.page.get_by_text("The server is away.")).to_be_visible()
    hand.wire.answer(401, {"detail": "open the printed address"})
    expect(hand.page.get_by_text("The server is away.")).to_be_hidden()
    hand.says("open the printed address")


@pytest.fixture
def own_server(tmp_path):
    server = Server(tmp_path)
    yield server
    server.kill()


def test_a_server_killed_in_mid_job_is_noticed_and_nothing_chosen_is_lost(own_server, window):
    hand = Hand(window.page(), own_server)
    hand.go()
    hand.start_from_example()
    hand.generate()
    hand.choose(2)
    hand.long_round()
    own_server.kill()
    expect(hand.page.get_by_text("The server is away.")).to_be_visible()
    own_server.start()
    expect(hand.page.get_by_text("The server is away.")).to_be_hidden()
    expect(hand.page.get_by_text("This round was interrupted")).to_be_visible()
    expect(hand.leaves).to_have_count(2)
    hand.button("Run it again").click()
    expect(hand.page.get_by_text(STEP)).to_be_visible()
    hand.key("Escape")
    expect(hand.page.get_by_text("This round was cancelled.")).to_be_visible()

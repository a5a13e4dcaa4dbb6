"""4. Choose; the tree; step back, branch, compare, star, name, delete with undo; more like these."""

import re

from playwright.sync_api import expect

from browser.hand import STEP, Hand


def test_choosing_by_key_and_click_grows_a_tree_with_branches(hand):
    hand.start_from_example()
    root = hand.present
    hand.generate()
    hand.choose(2)
    expect(hand.leaves).to_have_count(2)
    second = hand.present
    hand.generate()
    hand.button("Candidate 3").click()
    expect(hand.leaves).to_have_count(3)
    third = hand.present

    hand.key("ArrowUp")
    expect(hand.page.locator(".leaf[aria-selected=true]")).to_have_attribute("data-node", second)
    expect(hand.page.get_by_role("heading", name="variant 2")).to_be_visible()
    hand.page.locator(f".leaf[data-node='{root}']").click()
    hand.generate()
    hand.choose(1)
    expect(hand.leaves).to_have_count(4)

    stored = hand.stored()
    parents = {node["id"]: node["parent"] for node in stored["nodes"]}
    assert (parents[third], parents[second], parents[hand.present]) == (second, root, root)
    assert stored["present"] == hand.present
    levels = [leaf.get_attribute("aria-level") for leaf in hand.leaves.all()]
    assert sorted(levels) == ["1", "2", "2", "3"]


def test_the_next_round_can_start_by_itself(hand):
    hand.start_from_example()
    hand.page.get_by_role("switch", name="Go on as soon as I choose").click()
    hand.generate()
    first = hand.page.locator(".cells").get_attribute("data-round")
    hand.key("1")
    expect(hand.page.locator(".cells")).not_to_have_attribute("data-round", first)
    hand.round_ends()
    rounds = hand.stored()["rounds"]
    assert rounds[1]["parents"] == [hand.present]


def test_star_name_and_undo(hand):
    hand.start_from_example()
    hand.generate()
    hand.cells.nth(3).hover()
    hand.choose(1)
    hand.key("s")  # the one chosen, not the one that the pointer was left on
    expect(hand.page.locator(".leaf.starred[aria-selected=true]")).to_have_count(1)
    hand.key("F2")
    hand.page.keyboard.type("the good one")
    hand.key("Enter")
    expect(hand.page.get_by_role("treeitem", name="the good one, starred")).to_be_visible()
    hand.page.locator("#stage").focus()
    hand.key("z")
    hand.says("Undone: the name.")
    hand.key("z")
    expect(hand.page.locator(".leaf.starred")).to_have_count(0)
    hand.key("z")
    hand.says("Undone: the choice.")
    expect(hand.leaves).to_have_count(1)


def test_what_is_taken_back_in_haste_is_taken_back_in_order(hand):
    hand.start_from_example()
    hand.generate()
    hand.choose(1)
    hand.key("s")
    expect(hand.page.locator(".leaf.starred")).to_have_count(1)
    hand.wire.hold('PATCH /api/nodes/.*"starred":false')
    hand.key("z", "z")  # the star, then the choice: a starred node may not leave the tree
    expect(hand.leaves).to_have_count(1)
    hand.held()
    hand.wire.let_go()
    hand.says("Undone: the choice.")
    expect(hand.leaves).to_have_count(1)
    # The star was heard of before the choice was sent.
    passed = hand.wire.diary('(starred|kept)":false')
    assert [(line[:4], "starred" in line) for line in passed[:2]] == [("sent", True), ("read", True)]
    assert sum(node["kept"] for node in hand.stored()["nodes"]) == 1


def test_what_comes_from_elsewhere_does_not_take_back_what_is_on_its_way(hand, window):
    hand.start_from_example()
    hand.generate()
    other = Hand(window.page(hand.page.context), hand.server)
    other.go(f"#d={hand.design}")
    hand.wire.hold("PATCH /api/designs/")
    hand.choose(1)
    expect(hand.leaves).to_have_count(2)
    hand.held()
    hand.page.evaluate("new BroadcastChannel('noisekernel-studio').onmessage = () => (window.heard = true)")
    other.choose(2)  # which tells this tab to read the design again
    hand.page.wait_for_function("window.heard")
    assert hand.wire.diary("GET /api/designs/") == []  # not before the change has arrived
    expect(hand.leaves).to_have_count(2)
    hand.wire.let_go()
    expect(hand.leaves).to_have_count(3)


def test_deleting_takes_what_came_of_it_and_undo_brings_it_back(hand):
    hand.start_from_example()
    root = hand.present
    for _ in range(2):
        hand.generate()
        hand.choose(1)
    hand.key("ArrowUp", "Delete")
    hand.says("Deleted it and 1 that came of it.")
    expect(hand.leaves).to_have_count(1)
    assert hand.present == root
    hand.page.locator(".toast").get_by_role("button", name="Undo").click()
    expect(hand.leaves).to_have_count(3)
    assert len([node for node in hand.stored()["nodes"] if node["kept"]]) == 3


def test_a_deletion_and_what_came_before_it_are_taken_back_in_haste(hand):
    hand.start_from_example()
    hand.generate()
    hand.choose(1)
    hand.key("s", "Delete", "z", "z")
    hand.says("Undone: the star.")
    expect(hand.leaves).to_have_count(2)
    expect(hand.page.locator(".leaf.starred")).to_have_count(0)
    nodes = [node for node in hand.stored()["nodes"] if node["kept"]]
    assert [node["starred"] for node in nodes] == [False, False]


def test_a_key_pressed_twice_makes_one_round(hand):
    hand.start_from_example()
    hand.wire.hold("POST .*/rounds ")
    hand.key("g", "g")
    hand.says("A round is on its way")
    hand.held()
    hand.wire.let_go()
    hand.round_ends()
    assert len(hand.stored()["rounds"]) == 1


def test_two_are_compared_side_by_side(hand):
    hand.start_from_example()
    hand.generate()
    hand.button("Pick candidate 1").click()
    hand.button("Pick candidate 3").click()
    hand.button("Compare").click()
    view = hand.page.get_by_role("region", name="Two pictures side by side")
    expect(view.get_by_alt_text("variant 1")).to_be_visible()
    expect(view.get_by_alt_text("variant 3")).to_be_visible()
    view.get_by_role("switch", name="Difference").click()
    expect(view.get_by_role("img", name=re.compile("The difference"))).to_be_visible()
    view.get_by_role("button", name="Go on from this").nth(1).click()
    expect(hand.leaves).to_have_count(2)
    hand.key("Escape")
    expect(hand.page.get_by_text("2 picked")).to_be_visible()
    expect(hand.cells.nth(2)).to_have_class(re.compile("chosen"))


def test_more_like_these_starts_from_all_that_are_picked(hand):
    hand.start_from_example()
    hand.generate()
    hand.button("Pick candidate 2").click()
    hand.button("Pick candidate 4").click()
    expect(hand.page.get_by_text("2 picked")).to_be_visible()
    before = hand.page.locator(".cells").get_attribute("data-round")
    hand.key("m")
    expect(hand.page.locator(".cells")).not_to_have_attribute("data-round", before)
    hand.round_ends()
    first, second = hand.stored()["rounds"]
    nodes = hand.api(f"rounds/{first['id']}")["nodes"]
    assert second["parents"] == [nodes[1]["id"], nodes[3]["id"]]


def test_an_older_round_can_be_looked_at_and_chosen_from_again(hand):
    hand.start_from_example()
    hand.generate()
    hand.choose(1)
    hand.generate()
    hand.key("ArrowUp")
    hand.button(re.compile("4 variants")).click()
    hand.round_ends()
    hand.choose(3)
    expect(hand.leaves).to_have_count(3)


def test_undoing_a_star_takes_the_candidate_out_of_the_tree_again(hand):
    hand.start_from_example()
    hand.generate()
    hand.button("Star candidate 2").click()
    expect(hand.leaves).to_have_count(2)
    hand.page.locator("#stage").focus()
    hand.key("z")
    hand.says("Undone: the star.")
    expect(hand.leaves).to_have_count(1)
    assert sum(node["kept"] for node in hand.stored()["nodes"]) == 1


def test_what_was_taken_back_is_done_again_until_something_new_is_done(hand):
    hand.start_from_example()
    root = hand.present
    hand.generate()
    hand.choose(2)
    chosen = hand.present
    hand.key("s")
    expect(hand.page.locator(".leaf.starred")).to_have_count(1)
    hand.key("Control+z", "z")
    hand.says("Undone: the choice.")
    expect(hand.leaves).to_have_count(1)
    assert hand.present == root

    hand.key("y")
    hand.says("Done again: the choice.")
    expect(hand.leaves).to_have_count(2)
    assert hand.present == chosen
    hand.key("Control+Shift+Z")
    expect(hand.page.locator(".leaf.starred")).to_have_count(1)
    hand.says("Done again: the star.")
    hand.key("y")
    hand.says("There is nothing to redo.")
    stored = hand.stored()
    assert [node["id"] for node in stored["nodes"] if node["starred"]] == [stored["present"]] == [chosen]

    hand.key("z")
    expect(hand.page.locator(".leaf.starred")).to_have_count(0)
    hand.page.locator(".toast").get_by_role("button", name="Redo").click()
    expect(hand.page.locator(".leaf.starred")).to_have_count(1)
    hand.key("z")
    hand.says("Undone: the star.")
    hand.key("l")  # something new
    expect(hand.button("Like candidate 2")).to_have_attribute("aria-pressed", "true")
    hand.key("Control+y")
    hand.says("There is nothing to redo.")
    expect(hand.page.locator(".leaf.starred")).to_have_count(0)


def test_a_deletion_and_a_choice_of_an_older_round_are_done_again(hand):
    hand.start_from_example()
    root = hand.present
    hand.generate()
    hand.choose(3)
    chosen = hand.present
    hand.key("z")
    hand.says("Undone: the choice.")
    hand.generate()  # which is nothing to undo, and takes the first round from the stage
    hand.settled()
    hand.page.evaluate("import('/lib/design.js').then(({ refresh }) => refresh())")
    hand.key("y")
    expect(hand.leaves).to_have_count(2)
    assert hand.present == chosen
    expect(hand.page.get_by_role("treeitem", name="variant 3")).to_be_visible()

    hand.key("Delete")
    hand.says("Deleted.")
    hand.key("z")
    hand.says("Undone: the deletion.")
    expect(hand.leaves).to_have_count(2)
    hand.key("y")
    hand.says("Done again: the deletion.")
    expect(hand.leaves).to_have_count(1)
    assert [node["id"] for node in hand.stored()["nodes"] if node["kept"]] == [root]


def test_every_candidate_is_reached_by_keys(hand):
    hand.start_from_example()
    root = hand.present
    hand.set("Candidates", "12")
    hand.generate(12)
    hand.key("Enter")
    expect(hand.button("Candidate 1")).to_be_focused()
    hand.key(*["ArrowRight"] * 12)  # there are not so many
    last = hand.button("Candidate 12")
    expect(last).to_be_focused()
    assert last.evaluate("one => getComputedStyle(one).outlineWidth") == "3px"
    columns = int(hand.page.locator(".cells").get_attribute("data-columns"))
    hand.key("ArrowUp")
    expect(hand.button(f"Candidate {12 - columns}")).to_be_focused()
    hand.key("ArrowDown", "s")  # of the one with the focus
    expect(hand.button("Star candidate 12")).to_have_attribute("aria-pressed", "true")
    hand.key("Enter")
    expect(hand.cells.nth(11)).to_have_class(re.compile("chosen"))
    hand.key("Escape", "ArrowUp")  # out of the candidates, through the tree
    expect(hand.page.locator(".leaf[aria-selected=true]")).to_have_attribute("data-node", root)


def test_one_goes_on_by_keys_alone_from_round_to_round(hand):
    hand.start_from_example()
    hand.page.get_by_role("switch", name="Go on as soon as I choose").click()
    hand.generate()
    first = hand.page.locator(".cells").get_attribute("data-round")
    hand.key("Enter", "ArrowRight", "Enter")
    expect(hand.page.locator(".cells")).not_to_have_attribute("data-round", first)
    hand.round_ends()
    expect(hand.button("Candidate 2")).to_be_focused()


def test_a_deletion_that_the_server_refuses_leaves_all_as_it_was(hand):
    hand.start_from_example()
    hand.generate()
    hand.choose(2)
    parent = hand.present
    hand.long_round()
    sentence = "a round is being made of this node; cancel it or wait for its end, then delete"
    hand.wire.answer(409, {"detail": sentence}, "DELETE /api/nodes/")
    hand.key("Delete")
    hand.says(sentence)
    expect(hand.leaves).to_have_count(2)
    expect(hand.page.get_by_text(STEP)).to_be_visible()
    expect(hand.page.locator(".leaf[aria-selected=true]")).to_have_attribute("data-node", parent)
    hand.settled()
    assert hand.stored()["present"] == parent
    hand.key("Escape")
    expect(hand.page.get_by_text("This round was cancelled.")).to_be_visible()
    hand.key("z")  # not the deletion, which never was
    hand.says("Undone: the choice.")

"""4. Choose; the tree; step back, branch, compare, star, name, delete with undo; more like these."""

import re

from playwright.sync_api import expect

from browser.hand import Hand


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
    hand.page.wait_for_timeout(300)  # time for the second to overtake the first, if it can
    hand.wire.let_go()
    hand.says("Undone: the choice.")
    expect(hand.leaves).to_have_count(1)
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
    other.choose(2)  # which tells this tab to read the design again
    hand.page.wait_for_timeout(300)
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

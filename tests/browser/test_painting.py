"""5. Paint: what is painted is made anew, everything else stays bit for bit."""

import base64
from io import BytesIO

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import expect


def board(hand):
    hand.start_from_example(3)
    hand.key("b")
    place = hand.page.get_by_role("application", name="Picture to paint on")
    expect(place).to_be_visible()
    return place


def stroke(hand, place, start, end):
    """In pixels of the picture, 8 across."""
    box = place.bounding_box()
    spots = [(box["x"] + box["width"] * x / 8, box["y"] + box["height"] * y / 8) for x, y in (start, end)]
    hand.page.mouse.move(*spots[0])
    hand.page.mouse.down()
    hand.page.mouse.move(*spots[1], steps=8)
    hand.page.mouse.up()


def fill(hand) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The mask that was sent, the picture before, the pictures after."""
    before = np.asarray(hand.picture(hand.present))
    hand.generate()
    (record,) = hand.stored()["rounds"]
    mask = np.asarray(Image.open(BytesIO(base64.b64decode(record["settings"]["mask"]))).convert("L")) > 127
    nodes = hand.api(f"rounds/{record['id']}")["nodes"]
    return mask, before, np.stack([np.asarray(hand.picture(node["id"])) for node in nodes])


def test_redo_makes_anew_what_is_painted_and_nothing_else(hand):
    place = board(hand)
    hand.page.get_by_role("slider", name="Brush size").fill("2")
    stroke(hand, place, (4, 2), (4, 6))
    expect(hand.page.get_by_text("% made anew")).to_be_visible()
    mask, before, after = fill(hand)
    assert 4 <= mask.sum() <= 16
    assert mask[2:6, 3:5].all()
    assert (after[:, ~mask] == before[~mask]).all()
    assert (after[:, mask] != before[mask]).any()


def test_lock_keeps_what_is_painted_and_makes_the_rest_anew(hand):
    place = board(hand)
    hand.page.get_by_role("radio", name="Lock").click()
    hand.page.get_by_role("slider", name="Brush size").fill("2")
    stroke(hand, place, (2, 1), (6, 1))
    mask, before, after = fill(hand)
    assert not mask[0:2, 2:6].any()
    assert mask[3:].all()
    assert (after[:, ~mask] == before[~mask]).all()


def test_undo_invert_clear_feather(hand):
    place = board(hand)
    clear = "paint what to make anew"
    hand.page.get_by_role("slider", name="Brush size").fill("1")
    stroke(hand, place, (0.5, 0.5), (0.5, 0.5))
    expect(hand.page.get_by_text("2 % made anew")).to_be_visible()
    hand.key("z")
    expect(hand.page.get_by_text(clear)).to_be_visible()
    hand.key("i")
    expect(hand.page.get_by_text("100 % made anew")).to_be_visible()
    hand.button("Clear").click()
    expect(hand.page.get_by_text(clear)).to_be_visible()
    hand.key("g")
    hand.says("Paint what to make anew first.")

    # By keys alone: the brush walks and dabs.
    place.focus()
    hand.key("ArrowRight", "Space", "ArrowDown", "Space")
    hand.page.get_by_role("slider", name="Feather").fill("2")
    mask, before, after = fill(hand)
    assert mask.sum() == 2
    assert hand.stored()["rounds"][0]["settings"]["feather"] == 2
    assert (after[:, ~mask] == before[~mask]).all()


@pytest.mark.parametrize("kind", ["touch", "pen"])
def test_a_finger_or_a_pen_paints_too(hand, kind):
    place = board(hand)
    place.evaluate(
        """(board, kind) => {
            const box = board.getBoundingClientRect();
            board.setPointerCapture = () => {}; // there is no real pointer to capture
            for (const [type, x] of [["pointerdown", 0.3], ["pointermove", 0.7], ["pointerup", 0.7]])
                board.dispatchEvent(new PointerEvent(type, {
                    pointerType: kind, pointerId: 7, bubbles: true,
                    clientX: box.left + x * box.width, clientY: box.top + 0.5 * box.height,
                }));
        }""",
        kind,
    )
    expect(hand.page.get_by_text("% made anew")).to_be_visible()


def test_a_stroke_is_undone_and_done_again_by_key_and_by_button(hand):
    place = board(hand)
    hand.page.get_by_role("slider", name="Brush size").fill("1")
    undo, redo = hand.button("Undo the stroke (Z)"), hand.button("Redo the stroke (Y)")
    expect(undo).to_be_disabled()
    for x in (0.5, 4.5):
        stroke(hand, place, (x, 0.5), (x, 0.5))
    two, one, none = (hand.page.get_by_text(words) for words in ("3 % made", "2 % made", "paint what to make anew;"))
    expect(two).to_be_visible()
    undo.click()
    expect(one).to_be_visible()
    hand.key("Control+z")
    expect(none).to_be_visible()
    redo.click()
    expect(one).to_be_visible()
    hand.key("Control+Shift+Z")
    expect(two).to_be_visible()
    expect(redo).to_be_disabled()
    hand.key("z")
    stroke(hand, place, (0.5, 6.5), (0.5, 6.5))  # something new: what was undone is gone
    expect(two).to_be_visible()
    expect(redo).to_be_disabled()

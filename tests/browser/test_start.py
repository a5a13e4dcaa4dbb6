"""1. Start from a new sample, an example, or a picture of one's own."""

import base64
import re
from io import BytesIO

import pytest
from PIL import Image
from playwright.sync_api import expect

PNG = re.compile("^data:image/png")


def picture(size=(120, 80), kind="PNG") -> bytes:
    image = Image.linear_gradient("L").resize(size)
    out = BytesIO()
    image.save(out, kind)
    return out.getvalue()


def fitted(hand) -> None:
    """The dialog shows the picture as the model will see it; take it."""
    dialog = hand.page.get_by_role("dialog", name="Fit the picture")
    expect(dialog.get_by_alt_text("How the model will see it")).to_have_attribute("src", PNG)
    dialog.get_by_role("button", name="Use it").click()
    expect(dialog).to_have_count(0)
    expect(hand.leaves).to_have_count(1)


def test_a_new_sample(hand):
    hand.page.get_by_role("radio", name="7", exact=True).click()
    hand.button("New samples G").click()
    hand.round_ends()
    (record,) = hand.stored()["rounds"]
    assert record["task"] == "sample"
    assert record["settings"]["label"] == "7"


def test_an_example_of_the_data(hand):
    hand.button("More examples").click()
    hand.start_from_example(25)
    (node,) = hand.stored()["nodes"]
    assert node["settings"]["example"] == 24
    assert node["id"] == hand.present


def test_a_file_chosen(hand, tmp_path):
    path = tmp_path / "mine.jpg"
    path.write_bytes(picture(kind="JPEG"))
    with hand.page.expect_file_chooser() as chooser:
        hand.page.locator(".drop").click()
    chooser.value.set_files(path)
    fitted(hand)
    assert hand.picture(hand.present).size == (8, 8)


@pytest.mark.parametrize("way", ["drop", "paste"])
def test_a_picture_dropped_or_pasted(hand, way):
    hand.page.evaluate(
        """([way, content]) => {
            const bytes = Uint8Array.from(atob(content), (letter) => letter.charCodeAt(0));
            const carried = new DataTransfer();
            carried.items.add(new File([bytes], "mine.png", { type: "image/png" }));
            const more = { bubbles: true, cancelable: true };
            const event = way === "drop"
                ? new DragEvent("drop", { ...more, dataTransfer: carried })
                : new ClipboardEvent("paste", { ...more, clipboardData: carried });
            document.querySelector("main").dispatchEvent(event);
        }""",
        [way, base64.b64encode(picture()).decode()],
    )
    fitted(hand)


def test_another_part_of_the_picture_is_another_start(hand, tmp_path):
    path = tmp_path / "mine.png"
    path.write_bytes(picture((300, 100)))
    hand.page.locator("input[type=file]:not([accept*=nkd])").set_input_files(path)
    seen = hand.page.get_by_alt_text("How the model will see it")
    expect(seen).to_have_attribute("src", PNG)
    whole = seen.get_attribute("src")
    hand.page.get_by_role("slider", name="Size of the part").fill("0.3")
    expect(seen).not_to_have_attribute("src", whole)
    hand.button("Use it").click()
    expect(hand.leaves).to_have_count(1)
    crop = hand.stored()["nodes"][0]["settings"]["how"]
    assert crop["side"] == pytest.approx(0.3)


def test_a_picture_unlike_what_the_model_knows_is_told_so_before_it_is_used(hand, tmp_path):
    path = tmp_path / "mine.png"
    path.write_bytes(picture((300, 100)))
    hand.page.locator("input[type=file]:not([accept*=nkd])").set_input_files(path)
    dialog = hand.page.get_by_role("dialog", name="Fit the picture")
    expect(dialog.get_by_role("status")).to_contain_text("unlike all that the model learned from")
    expect(dialog.get_by_role("button", name="Use it")).to_be_enabled()


def test_a_bad_upload_is_refused_in_a_sentence_and_nothing_is_made(hand, tmp_path):
    path = tmp_path / "not-a-picture.png"
    path.write_text("words")
    hand.page.locator("input[type=file]:not([accept*=nkd])").set_input_files(path)
    dialog = hand.page.get_by_role("dialog", name="Fit the picture")
    expect(dialog.get_by_role("alert")).to_contain_text("picture cannot be used")
    expect(dialog.get_by_role("button", name="Use it")).to_be_disabled()
    hand.key("Escape")
    expect(dialog).to_have_count(0)
    assert hand.design == ""


def test_a_picture_unlike_what_the_model_knows_is_told_of_beside_it(hand, tmp_path):
    sentence = "This picture is unlike what the model knows: variants of it may be far from it."
    path = tmp_path / "mine.png"
    path.write_bytes(picture())
    asked = "/api/designs/[0-9a-f]{16}"
    hand.wire.add_to_nodes(asked, unlike=True, said=sentence)
    hand.page.locator("input[type=file]:not([accept*=nkd])").set_input_files(path)
    fitted(hand)
    view = hand.page.get_by_role("region", name="The present picture")
    expect(view.get_by_text(sentence)).to_be_visible()
    expect(hand.button(re.compile("^Generate"))).to_be_enabled()
    hand.wire.add_to_nodes(asked, unlike=False, said=None)
    hand.page.evaluate("import('/lib/design.js').then(({ refresh }) => refresh())")
    expect(view.locator(".banner")).to_be_hidden()


def test_of_a_picture_with_nothing_to_say_of_it_nothing_is_said(hand):
    hand.start_from_example()
    view = hand.page.get_by_role("region", name="The present picture")
    expect(view.get_by_alt_text("an example")).to_be_visible()
    expect(view.locator(".banner")).to_be_hidden()
    expect(view.locator(".banner")).to_have_text("")

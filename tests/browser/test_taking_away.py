"""8. Take it away: PNG, contact sheet, tree, design file; and bring a design back."""

import json
import re
import subprocess
import sys
import zipfile
from io import BytesIO

import pytest
from PIL import Image
from playwright.sync_api import expect


@pytest.fixture
def made(hand):
    hand.start_from_example()
    hand.generate()
    hand.choose(2)
    return hand


def take(hand, item: str) -> bytes:
    hand.button("Take away").click()
    with hand.page.expect_download() as taken:
        hand.page.get_by_role("menuitem", name=item).click()
    return taken.value.path().read_bytes()


def test_a_png_knows_its_settings(made):
    with Image.open(BytesIO(take(made, "This picture, PNG"))) as image:
        assert image.size == (8, 8)
        assert str(made.stored()["rounds"][0]["seed"]) in json.dumps(image.text)
    with Image.open(BytesIO(take(made, "The same, large"))) as image:
        assert image.size == (64, 64)


def test_the_large_twin_has_a_name_of_its_own(made):
    names = []
    for item in ("This picture, PNG", "The same, large"):
        made.button("Take away").click()
        with made.page.expect_download() as taken:
            made.page.get_by_role("menuitem", name=item).click()
        names.append(taken.value.suggested_filename)
    small, large = names
    assert large == small.replace(".png", " 8x.png")


def test_a_contact_sheet_of_what_is_picked(made):
    with Image.open(BytesIO(take(made, "Contact sheet"))) as whole:
        assert whole.width > 8
    made.button("Pick candidate 1").click()
    with made.page.expect_download() as taken:
        made.button("Sheet").click()
    assert taken.value.suggested_filename.endswith(".png")


def test_the_tree_is_a_page_that_needs_nothing_else(made, window, tmp_path):
    path = tmp_path / "tree.html"
    path.write_bytes(take(made, "The tree, as a page"))
    asked = []
    page = window.page()
    page.on("request", lambda request: asked.append(request.url))
    page.goto(path.as_uri())
    assert page.locator("img").count() >= 2
    assert all(url.startswith(("file:", "data:")) for url in asked)


def test_a_design_file_replays_and_comes_back(made, tmp_path):
    path = tmp_path / "mine.nkd"
    path.write_bytes(take(made, "Design file for nk replay"))
    assert zipfile.is_zipfile(path)
    replayed = subprocess.run([sys.executable, "-m", "noisekernel", "replay", path], capture_output=True, text=True)
    assert replayed.returncode == 0, replayed.stdout + replayed.stderr

    before = made.design
    made.page.locator("input[accept*=nkd]").set_input_files(path)
    made.says("Opened mine.nkd.")
    expect(made.leaves).to_have_count(2)
    assert made.design != before


def test_what_is_no_design_file_is_refused_in_a_sentence(made, tmp_path):
    path = tmp_path / "bad.nkd"
    path.write_text("words")
    made.page.locator("input[accept*=nkd]").set_input_files(path)
    made.says(re.compile("design file"))
    expect(made.leaves).to_have_count(2)

"""A kind of someone else's package in the studio: over HTTP, and on the page by the viewer that it brings along."""

import httpx
import pytest
from playwright.sync_api import expect

from browser.conftest import Server
from browser.hand import Hand
from foreign_kind import VIEWER, install, python
from noisekernel.studio.web.security import POLICY

FIT = """
import noisekernel as nk
nk.save(nk.fit("rolls.txt", kind="dice", calibrate=False, progress=False), "rolls.safetensors")
"""


@pytest.fixture(scope="module")
def dice(tmp_path_factory):
    """A studio of rolls, by a package that is installed for it."""
    folder = tmp_path_factory.mktemp("dice")
    site = install(folder)
    done = python(FIT, site, folder)
    assert done.returncode == 0, done.stderr[-3000:]
    home = tmp_path_factory.mktemp("home")
    server = Server(home, str(folder / "rolls.safetensors"), "--data", str(folder / "rolls.txt"), path=site)
    yield server
    server.kill()


@pytest.mark.training
def test_its_models_are_served_and_its_script_is_sent(dice):
    with httpx.Client(base_url=dice.url, timeout=60) as client:
        (model,) = client.get("/api/models").json()
        told = {name: model[name] for name in ("id", "kind", "one", "many", "viewer_module")}
        assert told == {
            "id": "rolls", "kind": "dice", "one": "roll", "many": "rolls", "viewer_module": "/kinds/dice.js",
        }  # fmt: skip
        assert model["view"] == {"length": len("dice 1 1 1"), "feather": False}
        script = client.get(model["viewer_module"])
        assert script.text == VIEWER
        assert script.headers["content-type"].startswith("text/javascript")
        assert script.headers["content-security-policy"] == POLICY
        # That file, and nothing else that lies there.
        for path in (
            "dice_kind.py",
            "dice_viewer.js",
            "../dice_viewer.js",
            "%2e%2e/site/dice_kind.py",
            "dice.js/..",
            "",
        ):
            assert client.get(f"/kinds/{path}").status_code == 404
        shown = [each["shown"] for each in client.get("/api/models/rolls/examples?limit=2").json()]
        assert shown == ["dice 1 2 3", "dice 2 3 3"]

        design = client.post("/api/designs", json={"model": "rolls"}).json()["id"]
        sent = {"files": {"file": ("typed.txt", b"dice 6 5 4\n")}}
        node = client.post(f"/api/designs/{design}/origins", **sent).json()["id"]
        assert client.get(f"/api/nodes/{node}/show").text == "dice 6 5 4\n"
        refused = client.post(f"/api/designs/{design}/origins", files={"file": ("typed.txt", b"dice 7 5 4")})
        assert "is no roll of three dice" in refused.json()["detail"]
        short = {"task": "fill", "parents": [node], "mask": "__"}
        refused = client.post(f"/api/designs/{design}/rounds", json=short)
        assert refused.json()["detail"] == "the mask has shape (2,); this roll has (3,)"


@pytest.mark.training
def test_the_page_shows_them_by_that_script(window, dice):
    hand = Hand(window.page(), dice)
    hand.go()
    stage = hand.page.locator("#stage")
    expect(stage.get_by_text("Rolls that never were")).to_be_visible()
    expect(stage.get_by_text("Something of yours")).to_be_hidden()
    hand.start_from_example(2)
    view = hand.page.get_by_role("region", name="The present roll")
    expect(view.locator(".dice")).to_have_text("⚁⚂⚂")
    assert view.locator(".dice").evaluate("element => getComputedStyle(element).letterSpacing") == "3px"
    hand.tool("Paint")
    hand.page.get_by_role("button", name="die 2").click()
    expect(hand.page.get_by_text("33 % made anew")).to_be_visible()
    hand.key("g")
    hand.round_ends()
    texts = hand.page.locator(".cell .dice").all_inner_texts()
    assert [(text[0], text[2]) for text in texts] == [("⚁", "⚂")] * 4

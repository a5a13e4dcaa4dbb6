"""The page itself: offline, readable, labelled, keyboard-first."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from browser.hand import Hand

PAGE = Path(__file__).parents[2] / "src" / "noisekernel" / "studio" / "page"


def test_nothing_comes_from_another_host(window, server):
    page = window.page()
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    Hand(page, server).go()
    assert asked
    assert all(url.startswith((server.url, "data:", "blob:")) for url in asked)
    for path in PAGE.iterdir():
        assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", path.read_text()), path.name


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (1024, 768), (768, 1024)])
def test_everything_fits_on_a_screen_and_a_tablet(window, server, width, height):
    hand = Hand(window.page(width=width, height=height, has_touch=True), server)
    hand.go()
    hand.start_from_example()
    hand.generate()
    for tool in ("Vary", "Paint", "Taste", "Walk"):
        hand.tool(tool)
        wide = hand.page.evaluate("[document.documentElement.scrollWidth, document.documentElement.scrollHeight]")
        assert wide == [width, height]
        expect(hand.page.locator(".go")).to_be_in_viewport(ratio=1)
    hand.tool("Vary")
    for cell in hand.cells.all():
        expect(cell).to_be_in_viewport(ratio=1)


def test_all_that_can_be_pressed_has_a_name(hand):
    hand.start_from_example()
    hand.generate()
    for tool in ("Vary", "Paint", "Taste", "Walk"):
        hand.tool(tool)
        nameless = hand.page.evaluate(
            """() => [...document.querySelectorAll("button, input, select, [role=slider], [role=switch], img")]
                .filter((one) => one.offsetParent !== null)
                .filter((one) => !one.ariaLabel && !one.textContent.trim() && !one.labels?.length)
                .filter((one) => !one.hasAttribute("alt"))
                .map((one) => one.outerHTML)"""
        )
        assert nameless == []


def test_the_sheet_of_keys_opens_and_closes(hand):
    hand.key("?")
    sheet = hand.page.get_by_role("dialog", name="Keys")
    expect(sheet.get_by_text("choose a candidate")).to_be_visible()
    hand.key("Escape")
    expect(sheet).to_have_count(0)


def test_dark_and_light_follow_the_system_until_told_otherwise(window, server):
    hand = Hand(window.page(color_scheme="light"), server)
    hand.go()
    ground = "getComputedStyle(document.body).backgroundColor"
    assert hand.page.evaluate(ground) == "rgb(244, 244, 242)"
    hand.button("Dark or light").click()
    assert hand.page.evaluate(ground) == "rgb(19, 21, 24)"
    hand.page.reload()
    assert hand.page.evaluate(ground) == "rgb(19, 21, 24)"


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_text_has_the_contrast_of_wcag_aa():
    themes = re.findall(r"\{\s*(--ground.*?)\}", (PAGE / "tokens.css").read_text(), re.DOTALL)
    assert len(themes) == 3  # dark; light by the system's wish; light by the switch
    for theme in themes:
        colour = dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6});", theme))
        for ink, grounds in {"ink": ("ground", "panel", "raised"), "soft": ("ground", "panel", "raised"),
                             "accent": ("ground", "panel"), "on-accent": ("accent",)}.items():  # fmt: skip
            for ground in grounds:
                light, dark = sorted((luminance(colour[ink]), luminance(colour[ground])), reverse=True)
                assert (light + 0.05) / (dark + 0.05) >= 4.5, (ink, ground)


def test_a_tree_of_thousands_has_room_for_each(hand):
    places = hand.page.evaluate(
        """async () => {
            const { layout } = await import("/treelayout.js");
            const nodes = [{ id: "0", parent: null }];
            for (let at = 1; at < 3000; at++) nodes.push({ id: `${at}`, parent: `${Math.floor((at - 1) / 3)}` });
            for (let at = 3000; at < 6000; at++) nodes.push({ id: `${at}`, parent: `${at - 1}` });
            const { places, edges, rows, columns } = layout(nodes);
            return { places: [...places], edges: edges.length, rows, columns };
        }"""
    )
    spots = {key: (place["x"], place["y"]) for key, place in places["places"]}
    assert len(set(spots.values())) == 6000
    assert places["edges"] == 5999
    assert places["rows"] > 3000
    assert all(0 <= x < places["columns"] for x, _ in spots.values())

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
    paths = [path for path in PAGE.rglob("*") if path.is_file()]
    assert len(paths) > 40
    for path in paths:
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
            const { layout } = await import("/lib/treelayout.js");
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


def test_space_is_the_studio_s_after_a_click_and_the_button_s_after_tab(hand):
    hand.start_from_example()
    hand.tool("Walk")
    hand.key("Space")  # plays, and does not press the tab again
    expect(hand.page.get_by_text(re.compile(r"^step [1-9]"))).to_be_visible()
    ground = "getComputedStyle(document.body).backgroundColor"
    look, keys = hand.button("Dark or light"), hand.button("Keys (?)")
    look.click()
    clicked = hand.page.evaluate(ground)
    hand.key("Space")
    paused = hand.page.get_by_text(re.compile("paused at"))
    expect(paused).to_be_visible()
    assert hand.page.evaluate(ground) == clicked
    keys.focus()
    hand.key("Shift+Tab")
    expect(look).to_be_focused()
    hand.key("Space")
    assert hand.page.evaluate(ground) != clicked
    expect(look).to_be_focused()
    expect(paused).to_be_visible()
    hand.key("Escape")
    hand.all_jobs_end()


#: Whether two boxes have a point in common.
MEET = "(a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom"


def test_the_buttons_of_the_brush_stay_in_their_box(hand):
    hand.start_from_example()
    for width, height in ((1280, 800), (1024, 768), (768, 1024), (390, 844)):
        hand.page.set_viewport_size({"width": width, "height": height})
        hand.tool("Paint")
        for group in hand.page.locator("#tool .panel:visible :is(.buttons, .segments)").all():
            box = group.bounding_box()
            boxes = [
                button.bounding_box() for button in group.get_by_role("button").or_(group.get_by_role("radio")).all()
            ]
            assert len(boxes) >= 2
            assert len({round(one["height"]) for one in boxes}) == 1
            assert min(one["x"] for one in boxes) >= box["x"] - 0.5
            assert max(one["x"] + one["width"] for one in boxes) <= box["x"] + box["width"] + 0.5


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (1024, 768), (768, 1024)])
def test_messages_cover_nothing_of_the_round(window, server, width, height):
    hand = Hand(window.page(width=width, height=height), server)
    hand.go()
    hand.start_from_example()
    hand.set("Candidates", "12")
    hand.generate(12)
    hand.choose(1)

    def covered() -> list[str]:
        return hand.page.evaluate(
            f"""() => {{
                const meet = {MEET};
                const box = (one) => one.getBoundingClientRect();
                const shown = (one) => one.checkVisibility();
                const toasts = [...document.querySelectorAll(".toast")].map(box);
                return [...document.querySelectorAll("button, .stage img, .stage canvas, .stage input")]
                    .filter((one) => shown(one) && !one.closest(".toast"))
                    .filter((one) => toasts.some((toast) => meet(toast, box(one))))
                    .map((one) => one.outerHTML.slice(0, 200));
            }}"""
        )

    hand.key("s")
    expect(hand.page.locator(".leaf.starred")).to_have_count(1)
    hand.key("z")
    hand.says("Undone: the star.")
    assert covered() == []
    hand.key("ArrowUp")  # with the rounds that were made of it below the picture
    expect(hand.button(re.compile("12 variants at"))).to_be_visible()
    assert covered() == []
    # What does not fit into the room for messages makes more of it.
    sentence = "This is what a server says that has much to say about what went wrong and what to do about it. " * 3
    hand.page.evaluate(
        "words => import('/lib/toast.js').then(({ toast }) => toast(words, { kind: 'error' }))", sentence
    )
    expect(hand.page.locator(".toast")).to_have_count(2)
    hand.until(lambda: covered() == [])


def test_names_in_the_tree_are_whole_and_nothing_runs_through_them(hand):
    hand.start_from_example()

    def name(words: str) -> None:
        hand.key("F2")
        hand.page.keyboard.type(words)
        hand.key("Enter")
        expect(hand.page.get_by_role("treeitem", name=words)).to_be_visible()

    name("where it all began")
    hand.generate()
    for number in (1, 2, 4):
        hand.choose(number)
        if number != 2:
            name(f"a branch called {number}")
    hand.generate()
    hand.choose(1)
    hand.choose(3)
    for size in range(3):
        found = hand.page.evaluate(
            f"""() => {{
                const meet = {MEET};
                const leaves = [...document.querySelectorAll(".leaf")].map((one) => one.getBoundingClientRect());
                const labels = [...document.querySelectorAll(".leaf.named .label")];
                const boxes = labels.map((one) => one.getBoundingClientRect());
                const crossed = [];
                for (const path of document.querySelectorAll(".edges path")) {{
                    const frame = path.ownerSVGElement.getBoundingClientRect();
                    for (let at = 0; at <= path.getTotalLength(); at += 0.5) {{
                        const {{ x, y }} = path.getPointAtLength(at);
                        const [left, top] = [x + frame.left, y + frame.top];
                        const spot = {{ left, right: left, top, bottom: top }};
                        if (boxes.some((one) => meet(one, spot))) crossed.push([x, y]);
                    }}
                }}
                const onEachOther = boxes.filter((one, at) => boxes.slice(at + 1).some((other) => meet(one, other)));
                const onPictures = boxes.filter((one) => leaves.some((leaf) => meet(one, leaf)));
                const whole = labels.filter((one) => one.scrollWidth <= one.clientWidth).map((one) => one.textContent);
                return {{ crossed, onEachOther, onPictures, whole }};
            }}"""
        )
        assert "where it all began" in found.pop("whole"), size
        assert found == {"crossed": [], "onEachOther": [], "onPictures": []}, size
        hand.button("Size of the thumbnails").click()


#: Two frames have been drawn.
FRAMES = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


def test_a_phone_opens_at_the_top_of_the_page(hand, window):
    hand.start_from_example()
    for _ in range(2):
        hand.generate()
        hand.choose(1)
    hand.settled()
    phone = Hand(window.page(width=390, height=844, has_touch=True), hand.server)
    phone.go(f"#d={hand.design}")
    expect(phone.leaves).to_have_count(3)
    # By the second frame from now the tree has shown where one is.
    phone.page.evaluate(FRAMES)
    assert phone.page.evaluate("scrollY") == 0
    assert phone.page.evaluate("document.documentElement.scrollWidth") == 390
    phone.page.evaluate("scrollTo(0, 500)")
    phone.page.locator(".brand").evaluate("brand => brand.click()")
    expect(phone.page.get_by_role("heading", name="Begin a design")).to_be_visible()
    phone.start_from_example(20)  # down on the page
    phone.page.evaluate(FRAMES)
    assert phone.page.evaluate("scrollY") == 0


def test_a_phone_shows_the_picture_large_in_every_tool(window, server):
    hand = Hand(window.page(width=390, height=844, has_touch=True), server)
    hand.go()
    hand.start_from_example()
    for tool in ("Vary", "Paint", "Walk"):
        hand.tool(tool)
        box = hand.page.locator(".centre > :visible").bounding_box()
        assert 300 < box["width"] <= 390, tool
        assert box["width"] == pytest.approx(box["height"]), tool

"""Take the pictures of docs/studio.md: drive the studio's page as a person would, and photograph it.

nk studio fashion digits --port 8765 --no-browser     # in another terminal, with an empty NK_HOME
python docs/studio_pictures.py http://127.0.0.1:8765/
"""

import argparse
import json
import re
import shutil
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, expect, sync_playwright

HERE = Path(__file__).parent
SEED = 6752921878295108
FLAGS = ["--no-sandbox", "--disable-gpu"]
expect.set_options(timeout=180_000)


def opened(browser: Browser, url: str, width: int, height: int, scheme: str) -> Page:
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
    kept = json.dumps({"seed": SEED})  # so that it is the same the next time
    context.add_init_script(f"localStorage.setItem('nk-settings', '{kept}')")
    page = context.new_page()
    page.set_default_timeout(180_000)
    page.goto(url)
    expect(page.locator("body")).to_have_class(re.compile("ready"))
    return page


def photograph(page: Page, name: str) -> None:
    """In few colours, so that the file is small."""
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(500)  # until what fades has faded
    path = HERE / f"studio-{name}.png"
    page.screenshot(path=path)
    with Image.open(path) as image:
        image.convert("RGB").quantize(192, dither=Image.Dither.NONE).save(path, optimize=True)
    print(f"{path.name}: {path.stat().st_size // 1000} kB")


def ended(page: Page) -> None:
    expect(page.locator(".cell:not(.waiting):visible")).to_have_count(12)


def round_of(page: Page, strength: int) -> None:
    dial = page.get_by_role("slider", name="Strength")
    dial.focus()
    page.keyboard.press("Home")
    for key, times in (("PageUp", strength // 10), ("ArrowUp", strength % 10)):
        for _ in range(times):
            page.keyboard.press(key)
    expect(dial).to_have_attribute("aria-valuenow", str(strength))
    before = page.locator(".cells").get_attribute("data-round")
    page.locator("#stage").focus()  # the dial keeps the arrow keys while it has the focus
    page.keyboard.press("g")
    expect(page.locator(".cells")).not_to_have_attribute("data-round", before or "")
    ended(page)


def choose(page: Page, number: int) -> None:
    page.keyboard.press(str(number))
    expect(page.locator(".cell").nth(number - 1)).to_have_class(re.compile("chosen"))


def name(page: Page, words: str) -> None:
    page.keyboard.press("F2")
    page.keyboard.type(words)
    page.keyboard.press("Enter")
    page.locator("#stage").focus()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("url")
    url = parser.parse_args().url
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        page = opened(browser, url, 1280, 800, "dark")
        page.get_by_role("radio", name="fashion").click()
        page.get_by_role("radio", name="sneaker").click()
        page.keyboard.press("g")
        ended(page)
        title = page.get_by_label("Name of the design")
        title.fill("Shoes for autumn")
        title.press("Enter")
        page.locator("#stage").focus()

        # A tree with two branches.
        choose(page, 3)
        name(page, "first idea")
        round_of(page, 20)
        choose(page, 2)
        round_of(page, 25)
        choose(page, 5)
        page.keyboard.press("s")
        page.keyboard.press("ArrowUp")
        page.keyboard.press("ArrowUp")
        round_of(page, 30)
        choose(page, 8)
        round_of(page, 15)
        choose(page, 1)
        page.keyboard.press("ArrowUp")
        round_of(page, 25)
        for number in (2, 7):
            page.get_by_role("button", name=f"Like candidate {number}", exact=True).click()
        for number in (4, 9):
            page.get_by_role("button", name=f"Dislike candidate {number}", exact=True).click()
        choose(page, 7)
        page.mouse.move(700, 90)
        page.locator("#stage").focus()
        photograph(page, "vary")

        page.keyboard.press("t")
        expect(page.locator(".sure")).to_have_text(re.compile("%"))
        expect(page.locator(".lasts")).to_have_text(re.compile("takes about"))
        photograph(page, "taste")

        page.keyboard.press("b")
        box = page.get_by_role("application").bounding_box()
        page.get_by_role("slider", name="Brush size").fill("6")
        page.get_by_role("slider", name="Feather").fill("1")
        x, y, side = box["x"], box["y"], box["width"]
        page.mouse.move(x + 0.55 * side, y + 0.15 * side)
        page.mouse.down()
        page.mouse.move(x + 0.65 * side, y + 0.5 * side, steps=12)
        page.mouse.up()
        photograph(page, "paint")

        upright = opened(browser, page.url, 768, 1024, "light")
        ended(upright)
        photograph(upright, "tablet")
        browser.close()


if __name__ == "__main__":
    main()

"""What a person does on the page, in the words of the page."""

import re
from collections.abc import Callable
from io import BytesIO
from typing import Any

from PIL import Image
from playwright.sync_api import Locator, Page, expect

from browser.wire import Wire

expect.set_options(timeout=120_000)

#: What a long round says of itself.
STEP = re.compile(r"step [1-9]\d* of 50\d\d")


class Hand:
    def __init__(self, page: Page, server) -> None:
        self.page, self.server = page, server
        self.wire = Wire(page)

    def go(self, path: str = "") -> None:
        self.page.goto(self.server.url + path)
        expect(self.page.locator("body")).to_have_class(re.compile("ready"))

    # Reading ----------------------------------------------------------------------------------------------------------

    @property
    def design(self) -> str:
        return self.page.url.partition("#d=")[2]

    def api(self, path: str) -> Any:
        answer = self.page.request.get(f"{self.server.url}api/{path}")
        assert answer.ok, answer.text()
        return answer.json()

    def stored(self) -> dict[str, Any]:
        self.settled()
        return self.api(f"designs/{self.design}")

    def picture(self, node: str) -> Image.Image:
        content = self.page.request.get(f"{self.server.url}api/nodes/{node}/show").body()
        return Image.open(BytesIO(content))

    @property
    def cells(self) -> Locator:
        return self.page.locator(".cell")

    @property
    def leaves(self) -> Locator:
        return self.page.get_by_role("treeitem")

    @property
    def present(self) -> str:
        return self.page.locator(".leaf[aria-selected=true]").get_attribute("data-node")

    def seen(self, cell: Locator) -> str:
        """What a canvas shows, as a text that can be compared."""
        return cell.locator("canvas").first.evaluate("canvas => canvas.toDataURL()")

    # Doing ------------------------------------------------------------------------------------------------------------

    def button(self, name: str | re.Pattern) -> Locator:
        return self.page.get_by_role("button", name=name, exact=isinstance(name, str))

    def key(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def tool(self, name: str) -> None:
        self.page.get_by_role("tab", name=name).click()

    def set(self, name: str, value: str) -> None:
        """One of the expert's settings."""
        drawer = self.page.locator("details.drawer")
        if drawer.get_attribute("open") is None:
            drawer.locator("summary").click()
        field = drawer.get_by_label(name, exact=True)
        field.fill(value)
        field.press("Enter")

    def start_from_example(self, number: int = 1) -> None:
        self.page.get_by_role("button", name=re.compile(rf"^Example {number}\b")).click()
        expect(self.leaves).to_have_count(1)
        self.settled()

    def round_ends(self, count: int = 4) -> None:
        expect(self.page.locator(".cell:not(.waiting):visible")).to_have_count(count)
        expect(self.button(re.compile("Cancel"))).to_have_count(0)

    def generate(self, count: int = 4) -> None:
        before = self.page.locator(".cells").get_attribute("data-round")
        self.key("g")
        expect(self.page.locator(".cells")).not_to_have_attribute("data-round", before or "none")
        self.round_ends(count)

    def long_round(self) -> None:
        """Begin a round that takes minutes even on a fast machine: one to be cancelled, or to be left."""
        for name, value in {"Candidates": "64", "Steps": "5000", "Walk at beta": "0.5"}.items():
            self.set(name, value)
        self.key("g")
        expect(self.page.get_by_text(STEP)).to_be_visible()

    def choose(self, number: int) -> None:
        self.key(str(number))
        expect(self.cells.nth(number - 1)).to_have_class(re.compile("chosen"))

    def says(self, sentence: str | re.Pattern) -> None:
        expect(self.page.locator(".toast", has_text=sentence).first).to_be_visible()

    def all_jobs_end(self) -> None:
        self.until(lambda: self.api("health")["jobs"] == {"active": 0, "waiting": 0})

    def settled(self) -> None:
        """The server has heard of all that is shown."""
        self.until(lambda: self.page.evaluate("sessionStorage.getItem('nk-changes') ?? '[]'") == "[]")

    def held(self) -> None:
        """The request that was to be held has been made."""
        self.until(self.wire.holds)

    def until(self, true: Callable[[], object]) -> None:
        """Wait for what the page itself does not show."""
        for _ in range(1200):
            if true():
                return
            self.page.wait_for_timeout(100)
        raise AssertionError("it never came")

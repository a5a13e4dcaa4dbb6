"""The wire between page and server, in the test's hand.

Taken hold of in the page itself: a driver that begins to intercept requests of a page in use now and then misses one.
"""

import re
from typing import Any

from playwright.sync_api import Page

WIRE = """() => {
  if (window.wire) return;
  const send = window.fetch.bind(window);
  const wire = (window.wire = { pattern: null, held: [], cut: false, answer: null });
  window.fetch = async (address, options = {}) => {
    if (wire.cut) throw new TypeError("the wire is cut");
    if (wire.answer) return Response.json(wire.answer.said, { status: wire.answer.status });
    const asked = `${options.method ?? "GET"} ${address} ${options.body ?? ""}`;
    if (wire.pattern?.test(asked)) {
      wire.pattern = null;
      await new Promise((go) => wire.held.push(go));
    }
    return send(address, options);
  };
}"""


class Wire:
    def __init__(self, page: Page) -> None:
        self.page = page

    def _set(self, change: str, value: Any = None) -> None:
        self.page.evaluate(WIRE)
        self.page.evaluate(f"value => {{ {change} }}", value)

    def hold(self, asked: str) -> None:
        """Keep back the first request whose `METHOD /path body` matches."""
        re.compile(asked)
        self._set("wire.pattern = new RegExp(value)", asked)

    def holds(self) -> int:
        return self.page.evaluate("wire.held.length")

    def let_go(self) -> None:
        self.page.evaluate("wire.held.shift()()")

    def cut(self) -> None:
        self._set("wire.cut = true; wire.answer = null")

    def mend(self) -> None:
        self._set("wire.cut = false; wire.answer = null")

    def answer(self, status: int, said: dict[str, Any]) -> None:
        """From now on the same answer to everything."""
        self._set("wire.answer = value; wire.cut = false", {"status": status, "said": said})

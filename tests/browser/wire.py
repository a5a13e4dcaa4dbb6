"""The wire between page and server, in the test's hand.

Taken hold of in the page itself: a driver that begins to intercept requests of a page in use now and then misses one.
"""

import re
from typing import Any

from playwright.sync_api import Page

WIRE = """() => {
  if (window.wire) return;
  const send = window.fetch.bind(window);
  const wire = (window.wire = { pattern: null, held: [], cut: false, answer: null, change: null, diary: [] });
  window.fetch = async (address, options = {}) => {
    if (wire.cut) throw new TypeError("the wire is cut");
    const asked = `${options.method ?? "GET"} ${address} ${options.body ?? ""}`;
    if (wire.answer?.pattern.test(asked)) return Response.json(wire.answer.said, { status: wire.answer.status });
    if (wire.pattern?.test(asked)) {
      wire.pattern = null;
      await new Promise((go) => wire.held.push(go));
    }
    wire.diary.push(`sent ${asked}`);
    const answer = await send(address, options);
    const change = wire.change?.pattern.test(asked) ? wire.change.add : (said) => said;
    const read = answer.json.bind(answer);
    answer.json = async () => {
      const said = change(await read());
      wire.diary.push(`read ${asked}`);
      return said;
    };
    return answer;
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

    def answer(self, status: int, said: dict[str, Any], asked: str = "") -> None:
        """From now on the same answer to every request whose `METHOD /path body` matches."""
        re.compile(asked)
        change = "wire.answer = { ...value, pattern: new RegExp(value.asked) }; wire.cut = false"
        self._set(change, {"status": status, "said": said, "asked": asked})

    def add_to_nodes(self, asked: str, **fields: Any) -> None:
        """From now on the nodes in the answers to requests that match have these fields too."""
        re.compile(asked)
        self._set(
            "const add = (said) => ((said.nodes ?? [said]).forEach((node) => Object.assign(node, value.fields)), said);"
            "wire.change = { pattern: new RegExp(value.asked), add }",
            {"asked": asked, "fields": fields},
        )

    def diary(self, asked: str = "") -> list[str]:
        """What passed since the wire was taken hold of: `sent METHOD /path body`, and `read …` when the page has read
        the answer and done with it whatever it does without asking again. Only what matches."""
        return [line for line in self.page.evaluate("wire.diary") if re.search(asked, line)]

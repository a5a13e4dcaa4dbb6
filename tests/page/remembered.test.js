import assert from "node:assert/strict";
import test from "node:test";

import { latest, remembered } from "../../src/noisekernel/studio/page/viewers/remembered.js";
import { keyed } from "../../src/noisekernel/studio/page/viewers/strip.js";

/** Answers of a server that is not there. @param {(address: string) => Response} answer */
function serve(answer) {
  /** @type {string[]} */
  const asked = [];
  globalThis.fetch = /** @type {any} */ (async (/** @type {string} */ address) => {
    asked.push(address);
    return answer(address);
  });
  return asked;
}

test("a node is asked for once", async () => {
  const asked = serve(() => new Response("emma\n"));
  const contentOf = remembered((told) => told.trim());
  assert.deepEqual(await Promise.all([contentOf("a"), contentOf("a"), contentOf("b")]), ["emma", "emma", "emma"]);
  assert.equal(await contentOf("a"), "emma");
  assert.deepEqual(asked, ["/api/nodes/a/show", "/api/nodes/b/show"]);
});

test("a refusal is the server's sentence, and is not remembered", async () => {
  const answers = [new Response('{"detail": "it is gone"}', { status: 404 }), new Response("back")];
  serve(() => /** @type {Response} */ (answers.shift()));
  const contentOf = remembered((told) => told);
  await assert.rejects(contentOf("a"), { message: "it is gone", status: 404 });
  assert.equal(await contentOf("a"), "back");
});

test("a server that is away is told as such", async () => {
  serve(() => {
    throw new TypeError("network");
  });
  await assert.rejects(remembered(String)("a"), { message: "The server does not answer.", status: 0 });
});

test("of what was wished for, the last is shown, once", async () => {
  /** @type {Record<string, (content: string) => void>} */
  const waiting = {};
  /** @type {string[]} */
  const shown = [];
  const load = (/** @type {string} */ id) => new Promise((resolve) => (waiting[id] = resolve));
  const display = latest(load, (content) => shown.push(String(content)));
  const first = display.wish("a");
  const second = display.wish("b");
  waiting.b("of b");
  waiting.a("of a");
  await Promise.all([first, second, display.wish("b")]);
  assert.deepEqual(shown, ["of b"]);
  display.forget();
  const again = display.wish("b");
  waiting.b("of b again");
  await again;
  assert.deepEqual(shown, ["of b", "of b again"]);
});

test("what could not be loaded is wished for again", async () => {
  let tries = 0;
  const load = async () => {
    tries += 1;
    if (tries === 1) throw new Error("away");
    return tries;
  };
  /** @type {number[]} */
  const shown = [];
  const display = latest(load, (content) => shown.push(content));
  await display.wish("a");
  await display.wish("a");
  assert.deepEqual(shown, [2]);
});

/** Two lines: three parts, then two in the middle below. */
const PLACES = [[0, 0], [10, 0], [20, 0], [5, 30], [15, 30]].map(([x, y]) => ({ x, y }));

test("keys lead along a strip, and to the nearest part of the next line", () => {
  const lead = (/** @type {string} */ key) => PLACES.map((_, at) => keyed(key, at, PLACES));
  assert.deepEqual(lead("ArrowRight"), [1, 2, 3, 4, 4]);
  assert.deepEqual(lead("ArrowLeft"), [0, 0, 1, 2, 3]);
  assert.deepEqual(lead("ArrowDown"), [3, 3, 4, 3, 4]);
  assert.deepEqual(lead("ArrowUp"), [0, 1, 2, 0, 1]);
  assert.deepEqual([keyed("Home", 3, PLACES), keyed("End", 0, PLACES)], [0, 4]);
  assert.equal(keyed("a", 0, PLACES), null);
  assert.equal(keyed("ArrowDown", 0, []), null);
});

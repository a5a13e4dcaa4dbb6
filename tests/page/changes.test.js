import assert from "node:assert/strict";
import test, { beforeEach } from "node:test";

import { patch, post, sendAgain, settled } from "../../src/noisekernel/studio/page/lib/changes.js";

/** The wire: requests as they arrive, answered when the test says so. */
class Wire {
  constructor() {
    /** @type {{ asked: string, answer: (status?: number) => void, fail: () => void }[]} */
    this.open = [];
    /** @type {string[]} */
    this.asked = [];
  }

  /** @param {string} address @param {{ method?: string }} [options] */
  fetch(address, { method = "GET" } = {}) {
    if (address === "/api/health") return Promise.resolve(Response.json({}));
    const asked = `${method} ${address}`;
    this.asked.push(asked);
    return new Promise((done, no) => {
      const answer = (status = 200) => done(Response.json({ detail: asked }, { status }));
      this.open.push({ asked, answer, fail: () => no(new TypeError("the wire is cut")) });
    });
  }

  /** The next request, once it is there. */
  async next() {
    for (let at = 0; at < 500 && !this.open.length; at++) await new Promise((wake) => setTimeout(wake, 5));
    const [first] = this.open.splice(0, 1);
    assert.ok(first, "nothing was asked");
    return first;
  }
}

let wire = new Wire();
/** @type {Map<string, string>} */
const kept = new Map();

beforeEach(() => {
  wire = new Wire();
  kept.clear();
  globalThis.fetch = /** @type {any} */ (wire.fetch.bind(wire));
  globalThis.sessionStorage = /** @type {any} */ ({
    getItem: (/** @type {string} */ key) => kept.get(key) ?? null,
    setItem: (/** @type {string} */ key, /** @type {string} */ value) => kept.set(key, value),
  });
});

test("a change is sent when the one before it is answered", async () => {
  const all = Promise.all([post("/a"), patch("/b", {}), post("/c")]);
  (await wire.next()).answer();
  assert.deepEqual(wire.asked, ["POST /api/a"]);
  (await wire.next()).answer();
  (await wire.next()).answer();
  await all;
  assert.deepEqual(wire.asked, ["POST /api/a", "PATCH /api/b", "POST /api/c"]);
});

test("what is refused is told to whoever asked, and keeps nobody else from being heard", async () => {
  const refused = assert.rejects(post("/a"), { status: 409, message: "POST /api/a" });
  const heard = post("/b");
  (await wire.next()).answer(409);
  (await wire.next()).answer();
  await refused;
  assert.deepEqual(await heard, { detail: "POST /api/b" });
});

test("what was read before a change is read again after it", async () => {
  let reads = 0;
  const reading = settled(async () => {
    reads += 1;
    if (reads === 1) post("/a");
    return reads;
  });
  (await wire.next()).answer();
  assert.equal(await reading, 2);
});

test("what sets something is remembered until it is answered", async () => {
  const setting = patch("/a", { name: "x" });
  const request = await wire.next();
  assert.deepEqual(JSON.parse(kept.get("nk-changes") ?? ""), [["PATCH", "/a", { name: "x" }]]);
  request.answer();
  await setting;
  assert.equal(kept.get("nk-changes"), "[]");
});

test("what sets something is sent again when the server is back; what makes something is not", async () => {
  const setting = patch("/a", {});
  (await wire.next()).fail();
  (await wire.next()).answer();
  await setting;
  assert.deepEqual(wire.asked, ["PATCH /api/a", "PATCH /api/a"]);
  const making = assert.rejects(post("/b"), { status: 0 });
  (await wire.next()).fail();
  await making;
  assert.deepEqual(wire.asked.slice(2), ["POST /api/b"]);
});

test("what an earlier page could not send is sent, whatever the server says to it", async () => {
  kept.set("nk-changes", JSON.stringify([["PATCH", "/a", {}], ["PUT", "/b", {}]]));
  const sending = sendAgain();
  (await wire.next()).answer(404);
  (await wire.next()).answer();
  await sending;
  assert.deepEqual(wire.asked, ["PATCH /api/a", "PUT /api/b"]);
  assert.equal(kept.get("nk-changes"), "[]");
});

test("while the server is away, what an earlier page could not send stays remembered", async () => {
  kept.set("nk-changes", JSON.stringify([["PATCH", "/a", {}]]));
  const sending = assert.rejects(sendAgain(), { status: 0 });
  (await wire.next()).fail();
  await sending;
  assert.deepEqual(JSON.parse(kept.get("nk-changes") ?? ""), [["PATCH", "/a", {}]]);
});

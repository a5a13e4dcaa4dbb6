import assert from "node:assert/strict";
import test from "node:test";

import {
  candidates, knownNode, nodeAt, openDesign, openJob, openModel, opinion, present, running, settings, state, update,
  watch,
} from "../../src/noisekernel/studio/page/lib/state.js";

const turn = () => new Promise((done) => setImmediate(done));
/** @param {string} id @param {Partial<import("../../src/noisekernel/studio/page/lib/types.js").DesignNode>} more */
const node = (id, more = {}) => ({
  id, parent: null, round: "r", index: 0, task: "vary", kept: false, starred: false, name: null, created: 0, ...more,
});

/** Count how often a part that watches `keys` is told. @param {any[]} keys */
function counted(keys) {
  const counter = { told: 0, stop: () => {} };
  counter.stop = watch(keys, () => (counter.told += 1));
  return counter;
}

test("a part is told at once, and then of the keys that it watches alone", async () => {
  const counter = counted(["noisy", "tool"]);
  assert.equal(counter.told, 1);
  update({ view: "grid" });
  await turn();
  assert.equal(counter.told, 1);
  update({ noisy: true });
  await turn();
  assert.equal(counter.told, 2);
  counter.stop();
  update({ noisy: false });
  await turn();
  assert.equal(counter.told, 2);
});

test("many changes in one turn are told once, and can be read at once", async () => {
  const counter = counted(["noisy", "tool"]);
  update({ noisy: true });
  update({ noisy: false, tool: "walk" });
  assert.equal(state.tool, "walk");
  assert.equal(counter.told, 1);
  await turn();
  assert.equal(counter.told, 2);
  counter.stop();
});

test("a change that a part makes when it is told is told too", async () => {
  const counter = counted(["taste"]);
  const stop = watch(["tool"], () => state.tool === "taste" && update({ taste: null }));
  update({ tool: "taste" });
  await turn();
  assert.equal(counter.told, 2);
  counter.stop();
  stop();
});

test("a part that fails does not keep the others from being told, and its error is not lost", async () => {
  let broken = false;
  const stop = watch(["frame"], () => {
    if (broken) throw new Error("a part failed");
  });
  const counter = counted(["frame"]);
  /** @type {unknown[]} */
  const errors = [];
  const others = process.listeners("uncaughtException");
  process.removeAllListeners("uncaughtException");
  process.on("uncaughtException", (error) => errors.push(error.message));
  broken = true;
  update({ frame: null });
  await turn();
  await turn();
  process.removeAllListeners("uncaughtException");
  for (const other of others) process.on("uncaughtException", other);
  assert.equal(counter.told, 2);
  assert.deepEqual(errors, ["a part failed"]);
  stop();
  counter.stop();
});

test("one setting changes and the others stay", () => {
  const before = state.settings;
  settings({ count: 5 });
  assert.deepEqual(state.settings, { ...before, count: 5 });
  assert.notEqual(state.settings, before);
});

test("candidates are those of the round, by number", () => {
  const nodes = [node("b", { index: 1 }), node("a"), node("c", { round: "other" })];
  update({ nodes: new Map(nodes.map((one) => [one.id, one])) });
  assert.deepEqual(candidates("r").map(({ id }) => id), ["a", "b"]);
  assert.deepEqual(candidates("nowhere"), []);
});

test("nodes and opinions that are not there are none", () => {
  update({ nodes: new Map([["a", node("a")]]), present: "gone", opinions: new Map([["a", -1]]) });
  assert.equal(present(), null);
  assert.equal(nodeAt(undefined), null);
  assert.equal(nodeAt("a")?.id, "a");
  assert.deepEqual([opinion("a"), opinion("b")], [-1, 0]);
});

test("what must be there and is not is told in a sentence", () => {
  update({ design: null, model: null, job: null });
  assert.throws(openDesign, /Open a design first/);
  assert.throws(openModel, /no model/);
  assert.throws(openJob, /No round/);
  assert.throws(() => knownNode("gone"), { status: 404 });
});

test("a round is on its way while it waits or runs", () => {
  const job = { id: "j", round: "r", task: "vary", n: 1, step: 0, steps: 0, began: null };
  const seen = ["waiting", "running", "done", "cancelled", "failed", "interrupted"].map((status) => {
    update({ job: { ...job, status } });
    return running();
  });
  assert.deepEqual(seen, [true, true, false, false, false, false]);
});

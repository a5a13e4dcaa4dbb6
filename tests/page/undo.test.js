import assert from "node:assert/strict";
import test from "node:test";

import { UndoList } from "../../src/noisekernel/studio/page/lib/undo.js";

/** A list with a diary of what was done to the server. */
function diary() {
  /** @type {string[]} */
  const said = [];
  const list = new UndoList();
  const does = (/** @type {string} */ name) =>
    list.act(name, async () => void said.push(name), async () => void said.push(`not ${name}`));
  return { said, list, does };
}

test("what was done is taken back, newest first, and done again, oldest first", async () => {
  const { said, list, does } = diary();
  await does("a");
  await does("b");
  assert.equal((await list.undo())?.label, "b");
  assert.equal((await list.undo())?.label, "a");
  assert.equal(await list.undo(), null);
  assert.equal((await list.redo())?.label, "a");
  assert.equal((await list.redo())?.label, "b");
  assert.equal(await list.redo(), null);
  assert.deepEqual(said, ["a", "b", "not b", "not a", "a", "b"]);
});

test("something new ends what could be done again", async () => {
  const { said, list, does } = diary();
  await does("a");
  await list.undo();
  await does("b");
  assert.equal(await list.redo(), null);
  assert.deepEqual(said, ["a", "not a", "b"]);
});

test("one that is named is taken back out of order, once", async () => {
  const { said, list, does } = diary();
  const first = await does("a");
  await does("b");
  await list.undo(first);
  assert.equal(await list.undo(first), null);
  assert.deepEqual(said, ["a", "b", "not a"]);
  assert.equal((await list.undo())?.label, "b");
});

test("it can be taken back before the server has answered", async () => {
  const list = new UndoList();
  let answer = () => {};
  const going = list.act("slow", () => new Promise((done) => (answer = () => done(null))), async () => {});
  assert.equal((await list.undo())?.label, "slow");
  answer();
  await going;
  assert.equal(list.undone.length, 1);
});

test("what the server refused is in neither list", async () => {
  const list = new UndoList();
  const refuse = () => Promise.reject(new Error("no"));
  await assert.rejects(list.act("a", refuse, async () => {}), /no/);
  assert.deepEqual([list.done, list.undone], [[], []]);
  await list.act("b", async () => {}, refuse);
  await assert.rejects(list.undo(), /no/);
  assert.deepEqual([list.done, list.undone], [[], []]);
});

test("what was taken back before the server refused it cannot be done again", async () => {
  const list = new UndoList();
  let refuse = () => {};
  const going = list.act("slow", () => new Promise((_, no) => (refuse = () => no(new Error("no")))), async () => {});
  await list.undo();
  refuse();
  await assert.rejects(going, /no/);
  assert.deepEqual([list.done, list.undone], [[], []]);
});

test("what cannot even begin is not remembered", async () => {
  const list = new UndoList();
  const broken = () => {
    throw new Error("at once");
  };
  await assert.rejects(list.act("a", broken, async () => {}), /at once/);
  assert.equal(list.done.length, 0);
});

test("the oldest are forgotten, or all", async () => {
  const list = new UndoList(3);
  for (const label of ["a", "b", "c", "d"]) list.remember(label, () => {}, () => {});
  assert.deepEqual(list.done.map(({ label }) => label), ["b", "c", "d"]);
  await list.undo();
  list.forget();
  assert.deepEqual([list.done, list.undone], [[], []]);
});

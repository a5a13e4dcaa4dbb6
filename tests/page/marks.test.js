import assert from "node:assert/strict";
import test from "node:test";

import { Marks } from "../../src/noisekernel/studio/page/lib/marks.js";

/** @param {Marks} marks */
const cells = (marks) => [...marks.cells].join("");

test("marks begin empty", () => {
  const marks = new Marks(4);
  assert.deepEqual([marks.empty, marks.share, cells(marks)], [true, 0, "0000"]);
});

test("what has no parts has no share of them", () => {
  const marks = new Marks(0);
  assert.deepEqual([marks.empty, marks.share], [true, 0]);
});

test("a stroke is undone and redone as one", () => {
  const marks = new Marks(4);
  marks.begin("anew");
  marks.cells[0] = 1;
  marks.cells[1] = 1;
  assert.equal(marks.share, 0.5);
  assert.equal(marks.undo(), true);
  assert.equal(cells(marks), "0000");
  assert.equal(marks.undo(), false);
  assert.equal(marks.redo(), true);
  assert.equal(cells(marks), "1100");
  assert.equal(marks.redo(), false);
});

test("a new stroke forgets what was undone", () => {
  const marks = new Marks(2);
  marks.begin("anew");
  marks.cells[0] = 1;
  marks.undo();
  marks.begin("anew");
  marks.cells[1] = 1;
  assert.equal(marks.redo(), false);
  assert.equal(cells(marks), "01");
});

test("the first lock on what is clean makes the rest anew; a later one does not", () => {
  const marks = new Marks(3);
  marks.begin("lock");
  marks.cells[1] = 0;
  assert.equal(cells(marks), "101");
  marks.begin("lock");
  assert.equal(cells(marks), "101");
  marks.undo();
  marks.undo();
  assert.equal(cells(marks), "000");
});

test("to clear and to invert can be undone, step by step", () => {
  const marks = new Marks(3);
  marks.begin("anew");
  marks.cells[2] = 1;
  marks.invert();
  assert.equal(cells(marks), "110");
  marks.clear();
  assert.equal(marks.empty, true);
  marks.undo();
  assert.equal(cells(marks), "110");
  marks.undo();
  assert.equal(cells(marks), "001");
  marks.redo();
  marks.redo();
  assert.equal(marks.empty, true);
});

test("a hundred strokes are remembered", () => {
  const marks = new Marks(1);
  for (let at = 0; at < 130; at++) marks.invert();
  let steps = 0;
  while (marks.undo()) steps++;
  assert.equal(steps, 100);
});

import assert from "node:assert/strict";
import test from "node:test";

import { along, arc, point, rounded, shareAt, TURNS, wordFor } from "../../src/noisekernel/studio/page/lib/ring.js";

/** @param {number} a @param {number} b */
const close = (a, b) => assert.ok(Math.abs(a - b) < 1e-9, `${a} is not ${b}`);

test("the ring begins at the lower left, has its half at the top, and ends at the lower right", () => {
  const [x0, y0] = point(0);
  const [x1, y1] = point(1);
  assert.ok(x0 < 100 && y0 > 100);
  close(x0 + x1, 200);
  close(y0, y1);
  close(point(0.5)[0], 100);
  close(point(0.5)[1], 16);
});

test("what is under the hand is the share whose point is there", () => {
  for (let at = 0; at <= 100; at++) {
    const [x, y] = point(at / 100);
    close(shareAt(x - 100, y - 100), at / 100);
  }
});

test("in the gap the nearer end is meant", () => {
  assert.equal(rounded(shareAt(-1, 10)), 0);
  assert.equal(rounded(shareAt(1, 10)), 1);
});

test("a hand that crosses the gap does not jump from one end to the other", () => {
  assert.ok(!along(0.02, shareAt(1, 10)));
  assert.ok(!along(0.98, shareAt(-1, 10)));
  assert.ok(along(0.2, 0.5));
});

test("shares are whole hundredths from 0 to 1", () => {
  assert.deepEqual([-3, 0.004, 0.005, 0.299999, 1.2].map(rounded), [0, 0, 0.01, 0.3, 1]);
  assert.equal(rounded(0.29 + TURNS.ArrowUp), 0.3); // no 0.30000000000000004
});

test("keys turn to both ends from anywhere", () => {
  assert.deepEqual([0, 0.37, 1].map((at) => rounded(at + TURNS.Home)), [0, 0, 0]);
  assert.deepEqual([0, 0.37, 1].map((at) => rounded(at + TURNS.End)), [1, 1, 1]);
  assert.equal(TURNS.a, undefined);
});

test("beyond half a circle the arc takes the long way", () => {
  const long = (/** @type {number} */ share) => arc(share).match(/A84 84 0 (\d) 1/)?.[1];
  assert.deepEqual([0, 0.3, 0.66, 0.67, 1].map(long), ["0", "0", "0", "1", "1"]);
  assert.ok(!arc(0).includes("NaN"));
});

test("every share has a word, the ends too", () => {
  const words = ["low", "middle", "high"];
  assert.deepEqual([-0.1, 0, 0.33, 0.34, 0.67, 1, 1.5].map((share) => wordFor(words, share)),
    ["low", "low", "low", "middle", "high", "high", "high"]);
});

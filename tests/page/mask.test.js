import assert from "node:assert/strict";
import test from "node:test";

import { moved } from "../../src/noisekernel/studio/page/viewers/pictures/board.js";
import { PixelMask } from "../../src/noisekernel/studio/page/viewers/pictures/mask.js";

/** @param {PixelMask} mask */
function rows(mask) {
  return Array.from({ length: mask.height }, (_, y) =>
    Array.from({ length: mask.width }, (__, x) => (mask.at(x, y) ? "#" : ".")).join(""));
}

test("a dab of one is one pixel, wherever in it the hand is", () => {
  for (const [x, y] of [[1, 2], [1.5, 2.5], [1.99, 2.99]]) {
    const mask = new PixelMask(4, 5);
    mask.dab(x, y, 1, 1);
    assert.deepEqual(rows(mask), ["....", "....", ".#..", "....", "...."]);
  }
});

test("dabs are round and symmetrical, of odd and even size", () => {
  const odd = new PixelMask(5, 5);
  odd.dab(2.5, 2.5, 3, 1);
  assert.deepEqual(rows(odd), [".....", ".###.", ".###.", ".###.", "....."]);
  const even = new PixelMask(6, 6);
  even.dab(3, 3, 4, 1);
  assert.deepEqual(rows(even), ["......", "..##..", ".####.", ".####.", "..##..", "......"]);
  const large = new PixelMask(9, 9);
  large.dab(4.5, 4.5, 7, 1);
  const seen = rows(large);
  assert.deepEqual(seen, seen.toReversed());
  assert.deepEqual(seen, seen.map((row) => [...row].toReversed().join("")));
});

test("a dab at the edge or beyond it marks what of it is in the picture", () => {
  const mask = new PixelMask(3, 3);
  mask.dab(0, 0, 2, 1);
  assert.deepEqual(rows(mask), ["#..", "...", "..."]);
  mask.dab(-20, 40, 3, 1);
  assert.deepEqual(rows(mask), ["#..", "...", "..."]);
  mask.dab(1.5, 1.5, 99, 1);
  assert.equal(mask.share, 1);
});

test("a lock takes marks away", () => {
  const mask = new PixelMask(3, 1);
  mask.cells.fill(1);
  mask.dab(1.5, 0.5, 1, 0);
  assert.deepEqual(rows(mask), ["#.#"]);
});

test("strokes have no holes, however fast the hand", () => {
  const mask = new PixelMask(40, 30);
  mask.stroke({ x: 0.5, y: 0.5 }, { x: 39.5, y: 29.5 }, 1, 1);
  for (let x = 0; x < 40; x++) assert.ok(rows(mask).some((row) => row[x] === "#"), `column ${x}`);
  for (const [y, row] of rows(mask).entries()) assert.ok(row.includes("#"), `row ${y}`);
});

test("a stroke on the spot is a dab", () => {
  const [one, other] = [new PixelMask(5, 5), new PixelMask(5, 5)];
  one.stroke({ x: 2, y: 2 }, { x: 2, y: 2 }, 3, 1);
  other.dab(2, 2, 3, 1);
  assert.deepEqual(one.cells, other.cells);
});

test("without a feather, what is marked is made wholly anew", () => {
  const mask = new PixelMask(3, 1);
  mask.cells.set([0, 1, 1]);
  assert.deepEqual([...mask.softened(0)], [0, 1, 1]);
});

test("a feather softens inside the marks, never outside, and not at the picture's end", () => {
  const mask = new PixelMask(6, 1);
  mask.cells.set([0, 0, 1, 1, 1, 1]);
  assert.deepEqual([...mask.softened(1)], [0, 0, 0.5, 1, 1, 1]);
  const soft = [...mask.softened(3)];
  assert.deepEqual(soft, [0, 0, 0.25, 0.5, 0.75, 1]);
  const all = new PixelMask(4, 4);
  all.cells.fill(1);
  assert.ok(all.softened(8).every((one) => one === 1));
});

test("distances to the edge are those of a ruler, across corners too", () => {
  const mask = new PixelMask(3, 3);
  mask.cells.fill(1);
  mask.cells[0] = 0;
  assert.equal(mask.toEdge(1, 1, 2), Math.SQRT2);
  assert.equal(mask.toEdge(2, 2, 1), Infinity);
});

test("one pixel has four edges, two side by side have six", () => {
  const mask = new PixelMask(3, 3);
  assert.deepEqual(mask.edges(), []);
  mask.dab(1.5, 1.5, 1, 1);
  assert.equal(mask.edges().length, 4);
  mask.dab(2.5, 1.5, 1, 1);
  assert.equal(mask.edges().length, 6);
  mask.cells.fill(1);
  assert.equal(mask.edges().length, 12); // the picture's own
});

test("by keys the brush stays on the picture", () => {
  const size = { width: 4, height: 2 };
  assert.deepEqual(moved({ x: 0.5, y: 0.5 }, [-1, 0], size), { x: 0.5, y: 0.5 });
  assert.deepEqual(moved({ x: 2.5, y: 0.5 }, [1, 0], size), { x: 3.5, y: 0.5 });
  assert.deepEqual(moved({ x: 3.5, y: 1.5 }, [1, 1], size), { x: 3.5, y: 1.5 });
});

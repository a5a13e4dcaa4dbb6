import assert from "node:assert/strict";
import test from "node:test";

import {
  isUsual, keyed, largestPart, middle, recrop,
} from "../../src/noisekernel/studio/page/viewers/pictures/crop.js";

const SQUARE = { width: 28, height: 28 };
const wide = largestPart({ width: 400, height: 100 }, SQUARE);

test("the largest part has the model's proportions and touches the picture's sides", () => {
  assert.deepEqual(wide, { w: 0.25, h: 1 });
  assert.deepEqual(largestPart({ width: 100, height: 400 }, SQUARE), { w: 1, h: 0.25 });
  assert.deepEqual(largestPart({ width: 64, height: 32 }, { width: 16, height: 8 }), { w: 1, h: 1 });
});

test("it begins in the middle, which is what the server uses by itself", () => {
  assert.deepEqual(middle(wide), { side: 1, x: 0.375, y: 0 });
  assert.ok(isUsual(middle(wide), wide));
  assert.ok(!isUsual({ ...middle(wide), x: 0.3 }, wide));
  assert.ok(!isUsual({ ...middle(wide), side: 0.9 }, wide));
});

test("the part stays in the picture", () => {
  assert.deepEqual(recrop(middle(wide), { x: -1 }, wide), { side: 1, x: 0, y: 0 });
  assert.deepEqual(recrop(middle(wide), { x: 2, y: 2 }, wide), { side: 1, x: 0.75, y: 0 });
});

test("another size keeps the middle where it was", () => {
  const half = recrop(middle(wide), { side: 0.5 }, wide);
  assert.deepEqual(half, { side: 0.5, x: 0.4375, y: 0.25 });
  assert.deepEqual(recrop(half, { side: 1 }, wide), middle(wide));
});

test("a part that grows at the edge moves inwards", () => {
  const corner = recrop(recrop(middle(wide), { side: 0.2 }, wide), { x: 1, y: 1 }, wide);
  assert.ok(Math.abs(corner.x - 0.95) < 1e-9 && Math.abs(corner.y - 0.8) < 1e-9);
  assert.deepEqual(recrop(corner, { side: 1 }, wide), { side: 1, x: 0.75, y: 0 });
});

test("no part is larger than the largest or smaller than a tenth", () => {
  assert.equal(recrop(middle(wide), { side: 3 }, wide).side, 1);
  assert.equal(recrop(middle(wide), { side: 0 }, wide).side, 0.1);
  assert.equal(recrop(middle(wide), { side: -1 }, wide).side, 0.1);
});

test("keys move and size it, others do nothing", () => {
  const crop = { x: 0.5, y: 0.5, side: 0.5 };
  assert.deepEqual(keyed("ArrowLeft", crop), { x: 0.48 });
  assert.deepEqual(keyed("ArrowDown", crop), { y: 0.52 });
  assert.deepEqual(keyed("+", crop), { side: 0.55 });
  assert.equal(keyed("a", crop), undefined);
});

test("to nudge it there and back is to leave it", () => {
  const there = recrop(middle(wide), keyed("ArrowRight", middle(wide)) ?? {}, wide);
  const back = recrop(there, keyed("ArrowLeft", there) ?? {}, wide);
  assert.ok(!isUsual(there, wide));
  assert.ok(isUsual(back, wide));
});

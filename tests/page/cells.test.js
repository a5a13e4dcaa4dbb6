import assert from "node:assert/strict";
import test from "node:test";

import { fitCells, FOOT, GAP } from "../../src/noisekernel/studio/page/lib/cells.js";

const FREE = { ratio: 1, whole: null, least: 56, most: 320 };
const ROOM = { across: 700, down: 700 };

test("few cells are as large as is of use", () => {
  assert.deepEqual(fitCells(1, ROOM, FREE), { columns: 1, size: 320 });
});

test("all cells fit into the room, with their feet and gaps", () => {
  for (const ratio of [0.5, 1, 4])
    for (let n = 1; n <= 64; n++) {
      const { columns, size } = fitCells(n, ROOM, { ...FREE, ratio });
      const rows = Math.ceil(n / columns);
      if (size <= FREE.least) continue; // the room scrolls
      assert.ok(columns * size + (columns - 1) * GAP <= ROOM.across, `${n} cells across`);
      assert.ok(rows * (size / ratio + FOOT + GAP) - GAP <= ROOM.down + 1, `${n} cells down`);
    }
});

test("wide cells stand in fewer columns than high ones", () => {
  const columns = (/** @type {number} */ ratio) => fitCells(12, ROOM, { ...FREE, ratio }).columns;
  assert.ok(columns(4) < columns(1));
  assert.ok(columns(1) < columns(0.25));
});

test("where pixels are few a cell is a whole multiple of them, if that costs little", () => {
  assert.equal(fitCells(1, ROOM, { ...FREE, whole: 28 }).size, 308);
  assert.equal(fitCells(1, { across: 100, down: 900 }, { ...FREE, whole: 60 }).size, 100); // 60 would cost too much
});

test("where not all can be seen at once, as many columns as fit, and no more than there are cells", () => {
  assert.deepEqual(fitCells(64, { across: 280, down: 100 }, FREE), { columns: 4, size: 56 });
  assert.deepEqual(fitCells(2, { across: 700, down: 20 }, FREE), { columns: 2, size: 56 });
  assert.deepEqual(fitCells(3, { across: 40, down: 40 }, FREE), { columns: 1, size: 56 });
});

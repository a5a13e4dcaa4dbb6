import assert from "node:assert/strict";
import test from "node:test";

import { points } from "../../src/noisekernel/studio/page/viewers/points.js";
import { ratioOf } from "../../src/noisekernel/studio/page/viewers/points/drawing.js";
import { bar } from "../../src/noisekernel/studio/page/viewers/points/profile.js";
import { cellsIn, numberIn, pointsIn } from "../../src/noisekernel/studio/page/viewers/points/reading.js";
import { marked } from "../../src/noisekernel/studio/page/viewers/points/rows.js";
import {
  REACH, share, spoken, standard, ticks, within, worded,
} from "../../src/noisekernel/studio/page/viewers/points/scale.js";

const FACTS = { columns: ["width", "height"], means: [2, -40], scales: [0.5, 20] };
/** @param {number} n */
const model = (n) => /** @type {any} */ ({ id: "m", kind: "points", view: { columns: Array(n).fill("c") } });

test("values are told in standard deviations, and lie on an axis of seven", () => {
  assert.deepEqual(standard([2.5, -80], FACTS), [1, -2]);
  assert.deepEqual([-REACH, 0, REACH].map(share), [0, 0.5, 1]);
  assert.deepEqual([-9, 9].map(share), [0, 1]);
  assert.deepEqual([3.5, -3.6, 0].map(within), [true, false, true]);
});

test("values have the digits that their column needs", () => {
  assert.equal(worded(5.843, 0.83), "5.84");
  assert.equal(worded(-40.26, 20), "−40.3");
  assert.equal(worded(1234.56, 500), "1235");
  assert.equal(worded(-0.0001, 1), "0.00");
  assert.equal(worded(0.000123, 0.00004), "0.000123");
  assert.equal(worded(1.23e-9, 1e-9), "1.23e-9");
  assert.equal(worded(-45e6, 1e6), "−4.5e7");
  assert.equal(worded(NaN, 1), "?");
});

test("an axis is marked at round numbers within it", () => {
  assert.deepEqual(ticks(-3.5, 3.5, 7).values, [-3, -2, -1, 0, 1, 2, 3]);
  assert.deepEqual(ticks(0.05, 0.95, 5).values.map((one) => one.toFixed(1)), ["0.2", "0.4", "0.6", "0.8"]);
  assert.deepEqual(ticks(-110, 30, 4), { values: [-100, -50, 0], step: 50 });
  for (const [low, high] of [[1e-9, 3e-9], [-7e8, 5e8], [99.5, 100.5]]) {
    const { values } = ticks(low, high);
    assert.ok(values.length >= 2 && values.length <= 6);
    assert.ok(values.every((one) => one >= low - 1e-9 * (high - low) && one <= high + 1e-9 * (high - low)));
  }
});

test("a point is said by its columns, the first of them", () => {
  assert.equal(spoken([2.5, -80], FACTS), "width 2.50, height −80.0");
  assert.equal(spoken([2.5, -80], FACTS, 1), "width 2.50, and 1 more");
});

test("a bar leads from the mean to the value, and has a tip where it would lead further", () => {
  assert.equal(bar(1.75, 0), "M350 2H525.0V8H350z");
  assert.equal(bar(-3.5, 2), "M350 22H0.0V28H350z");
  assert.equal(bar(5, 0), "M350 2H686L700 5L686 8H350z");
  assert.equal(bar(-5, 0), "M350 2H14L0 5L14 8H350z");
});

test("numbers are finite and whole numbers of text", () => {
  assert.deepEqual(["1", " -2.5 ", "−3", "1e-3", ".5", "+4."].map(numberIn), [1, -2.5, -3, 0.001, 0.5, 4]);
  for (const none of ["", " ", "abc", "1,5", "NaN", "Infinity", "1e999", "0x10", "1 2"])
    assert.equal(numberIn(none), null, none);
});

test("cells are parted by tabs, semicolons, commas or white space", () => {
  assert.deepEqual(cellsIn('1, 2,"a b"'), ["1", "2", "a b"]);
  assert.deepEqual(cellsIn("1;2"), ["1", "2"]);
  assert.deepEqual(cellsIn("1\t2"), ["1", "2"]);
  assert.deepEqual(cellsIn("  1   2 "), ["1", "2"]);
});

test("points are read in the columns' order, or by the columns' names", () => {
  const { columns } = FACTS;
  assert.deepEqual(pointsIn("1 2\n3 4\n", columns), [[1, 2], [3, 4]]);
  assert.deepEqual(pointsIn("height,kind,width\n-30,x,1\n", columns), [[1, -30]]);
});

test("what is no point is told in a sentence", () => {
  const { columns } = FACTS;
  /** @param {string} typed @param {string} said */
  const refused = (typed, said) => assert.throws(() => pointsIn(typed, columns), { message: said });
  refused(" \n", "There are no numbers in it.");
  refused("1,2,3", "It has 3 numbers; 2 are needed.");
  refused("1,2\n3\n", "Line 2 has 1 number; 2 are needed.");
  refused("width,depth\n1,2\n", "The column height is missing.");
  refused("width,height\n1,tall\n", "Line 2 has “tall” for height; that is no number.");
  refused("1,tall", "1, tall: these are no numbers.");
});

test("the mask names the columns that are made anew", () => {
  assert.equal(marked([0, 1], FACTS.columns), '["height"]');
  assert.equal(marked([1, 1], ["a,b", 'c"d']), '["a,b","c\\"d"]');
});

test("two columns are a square plot, more are a profile that is higher the more there are", () => {
  assert.equal(ratioOf(model(2)), 1);
  const ratios = [3, 8, 20, 50].map((n) => ratioOf(model(n)));
  assert.deepEqual(ratios, [...ratios].sort((a, b) => b - a));
  assert.equal(points.size(model(7)), "7 columns");
});

test("points are taken away as CSV", () => {
  const [file, ...more] = points.files(model(2), { id: "n" });
  assert.deepEqual([file.address, file.suffix, more], ["/api/nodes/n/show", ".csv", []]);
  assert.deepEqual(points.films.map(({ name }) => name), ["film.svg", "film.csv"]);
});

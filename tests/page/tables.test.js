import assert from "node:assert/strict";
import test from "node:test";

import { Marks } from "../../src/noisekernel/studio/page/lib/marks.js";
import { madeOf } from "../../src/noisekernel/studio/page/viewers/strip.js";
import { tables } from "../../src/noisekernel/studio/page/viewers/tables.js";
import { ratioOf } from "../../src/noisekernel/studio/page/viewers/tables/card.js";
import { changesOf, chosen, printed, spoken } from "../../src/noisekernel/studio/page/viewers/tables/changes.js";
import { marked } from "../../src/noisekernel/studio/page/viewers/tables/pins.js";
import { cellsIn, cellsOf, lineOf, rowsIn } from "../../src/noisekernel/studio/page/viewers/tables/reading.js";

const COLUMNS = ["age", "town", "pay"];
/** @param {number} n */
const model = (n) => /** @type {any} */ ({ id: "m", kind: "tables", view: { columns: Array(n).fill("c") } });

test("cells may hold delimiters, quotes and line ends", () => {
  const quoted = [["a", "b, c", 'd "e"', "f\ng"], ["1", "2", "", ""]];
  assert.deepEqual(cellsIn('a,"b, c","d ""e""","f\ng"\r\n1, 2 ,,\n'), quoted);
  assert.deepEqual(cellsIn("a;b,c;d\n1;2;3\n\n"), [["a", "b,c", "d"], ["1", "2", "3"]]);
  assert.deepEqual(cellsIn("a\tb\n"), [["a", "b"]]);
  assert.deepEqual(cellsIn('" a ",x'), [[" a ", "x"]]);
  for (const row of [["a", ""], ['say "x"', "a,b"], [" a", "b\nc"]]) assert.deepEqual(cellsIn(lineOf(row), ","), [row]);
  assert.deepEqual(cellsOf('age,town,pay\n33,"Ulm; south, x",\n'), ["33", "Ulm; south, x", ""]);
  assert.deepEqual(cellsOf('town\n""\n'), [""]);
});

test("rows are read in the columns' order, or by the columns' names", () => {
  assert.deepEqual(rowsIn("33,Ulm,10\n44,,20", COLUMNS), [["33", "Ulm", "10"], ["44", "", "20"]]);
  assert.deepEqual(rowsIn("\uFEFFpay;key;town;age\n10;x;Ulm;33\n", COLUMNS), [["33", "Ulm", "10"]]);
  assert.deepEqual(rowsIn("33,town,10", COLUMNS), [["33", "town", "10"]]); // a cell that is called like a column
});

test("what is no row is told in a sentence", () => {
  /** @param {string} typed @param {string} said */
  const refused = (typed, said) => assert.throws(() => rowsIn(typed, COLUMNS), { message: said });
  refused(" \n", "There are no cells in it.");
  refused("33,Ulm", "It has 2 cells; 3 are needed.");
  refused("33,Ulm,1\n5\n", "Row 2 has 1 cell; 3 are needed.");
  refused("age,town\n1,Ulm\n", "The column pay is missing.");
  refused("age,town,pay\n", "It names columns but holds no row.");
});

test("what changed is marked, and shown before the rest where there is no room", () => {
  const changes = changesOf(["1", "a", ""], ["1", "b", "x"]);
  assert.deepEqual(changes, [false, true, true]);
  assert.deepEqual(changesOf(null, ["1"]), [false]);
  assert.deepEqual(chosen([false, false, true, false, true], 3), [0, 2, 4]);
  assert.deepEqual(chosen([true, true], 3), [0, 1]);
  assert.deepEqual([null, "", "x"].map(printed), ["·", "–", "x"]);
});

test("a row is said by its cells, or by what changed", () => {
  assert.equal(spoken(COLUMNS, null, ["33", "", "10"]), "age 33, town empty, pay 10");
  assert.equal(spoken(COLUMNS, ["33", "Ulm", "10"], ["33", "Bonn", "10"]), "changed: town Bonn");
  assert.equal(spoken(COLUMNS, ["33"], ["33"]), "nothing changed");
  assert.equal(spoken(COLUMNS, null, ["33", "", "10"], 1), "age 33, and 2 more");
});

test("a click pins a cell and makes the others anew; another takes it back", () => {
  const marks = new Marks(3);
  /** @param {number} at */
  const click = (at) => {
    const making = madeOf("lock", marks, at, true);
    marks.begin("lock");
    marks.cells[at] = making;
    return [...marks.cells];
  };
  assert.deepEqual(click(1), [1, 0, 1]);
  assert.deepEqual(click(0), [0, 0, 1]);
  assert.deepEqual(click(1), [0, 1, 1]);
  assert.equal(madeOf("anew", marks, 1, true), 0);
  assert.equal(madeOf("anew", marks, 1, false), 1);
  assert.equal(marked(marks.cells, COLUMNS), '["town","pay"]');
});

test("cards are higher the more columns there are, to an end", () => {
  const ratios = [2, 5, 14, 15, 60].map((n) => ratioOf(model(n)));
  assert.deepEqual(ratios, [...ratios].sort((a, b) => b - a));
  assert.equal(ratios.at(-1), ratios.at(-3));
  assert.equal(tables.size(model(7)), "7 columns");
});

test("rows are taken away as CSV", () => {
  const [file, ...more] = tables.files(model(2), { id: "n" });
  assert.deepEqual([file.address, file.suffix, more], ["/api/nodes/n/show", ".csv", []]);
  assert.deepEqual(tables.films.map(({ name }) => name), ["film.csv"]);
});

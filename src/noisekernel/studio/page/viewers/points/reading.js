// Numbers that somebody typed, pasted or brought in a file, as points. Pure; what is wrong is a sentence.

import { Refusal } from "../../lib/refusal.js";

/** A finite number, also with the minus of print; null: it is none. @param {string} typed */
export function numberIn(typed) {
  const plain = typed.trim().replace("−", "-");
  return /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(plain) && Number.isFinite(Number(plain)) ? Number(plain) : null;
}

/**
 * The cells of a line. Between them are tabs, semicolons or commas; else white space.
 * @param {string} line
 */
export function cellsIn(line) {
  const between = ["\t", ";", ","].find((one) => line.includes(one));
  const cells = between ? line.split(between) : line.trim().split(/\s+/);
  return cells.map((cell) => cell.trim().replace(/^"(.*)"$/, "$1"));
}

/**
 * The points of a table with one per line. A first line that is no numbers names the columns, in any order and with
 * others between them.
 * @param {string} content
 * @param {string[]} columns
 * @returns {number[][]}
 */
export function pointsIn(content, columns) {
  const lines = content.split(/\r?\n/).filter((line) => line.trim()).map(cellsIn);
  if (!lines.length) throw new Refusal("There are no numbers in it.");
  const named = lines[0].some((cell) => numberIn(cell) === null);
  if (named && lines.length === 1) throw new Refusal(`${lines[0].join(", ")}: these are no numbers.`);
  const order = named ? columns.map((name) => lines[0].indexOf(name)) : columns.map((_, at) => at);
  const missing = columns[order.indexOf(-1)];
  if (missing !== undefined) throw new Refusal(`The column ${missing} is missing.`);
  const wide = named ? lines[0].length : columns.length;
  return lines.slice(named ? 1 : 0).map((cells, at) => {
    const where = lines.length > 1 ? `Line ${at + (named ? 2 : 1)}` : "It";
    if (cells.length !== wide) throw new Refusal(`${where} has ${count(cells.length)}; ${wide} are needed.`);
    return order.map((from, to) => valueOf(cells[from], columns[to], where));
  });
}

/** @param {string} cell @param {string} column @param {string} where */
function valueOf(cell, column, where) {
  const number = numberIn(cell);
  if (number === null) throw new Refusal(`${where} has “${cell}” for ${column}; that is no number.`);
  return number;
}

/** @param {number} n */
const count = (n) => (n === 1 ? "1 number" : `${n} numbers`);

// Rows as text: CSV that somebody typed, pasted or brought, and CSV for the server. Pure; what is wrong is a sentence.

/** @import { Model } from "../../lib/types.js" */

import { Refusal } from "../../lib/refusal.js";

/** @typedef {{ columns: string[], choices: (string[] | null)[], hints: string[], empty: boolean[] }} Facts */

/** @param {Model} model @returns {Facts} */
export const factsOf = ({ view: { columns, choices, hints, empty } }) => ({ columns, choices, hints, empty });

const DELIMITERS = [",", ";", "\t", "|"];

/** What stands between the cells of a line: the one of the four that comes up most. @param {string} line */
function delimiterOf(line) {
  const counts = DELIMITERS.map((one) => line.split(one).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))];
}

/**
 * The cells of a CSV text, row by row. Cells in quotes may hold delimiters, quotes (doubled) and line ends.
 * @param {string} content
 * @param {string} [delimiter] by default the one that the first line has most of
 */
export function cellsIn(content, delimiter = delimiterOf(content.split(/\r?\n/, 1)[0])) {
  /** @type {string[][]} */
  const rows = [];
  /** @type {string[]} */
  let row = [];
  let cell = "";
  let quoted = false;
  let closed = false; // this cell was in quotes
  function ended() {
    row.push(closed ? cell : cell.trim());
    cell = "";
    closed = false;
  }
  function over() {
    ended();
    if (row.length > 1 || row[0]) rows.push(row);
    row = [];
  }
  for (let at = 0; at < content.length; at++) {
    const one = content[at];
    if (quoted && one === '"' && content[at + 1] === '"') cell += content[++at];
    else if (quoted) one === '"' ? (quoted = false) : (cell += one);
    else if (one === '"' && !cell.trim()) [cell, quoted, closed] = ["", true, true];
    else if (one === delimiter) ended();
    else if (one === "\n") over();
    else if (one !== "\r" && !(closed && !one.trim())) cell += one;
  }
  over();
  return rows;
}

/**
 * The rows of a table. A first line that names all columns says their order, and may name others between them.
 * @param {string} content
 * @param {string[]} columns
 * @returns {string[][]} cells in the order of the columns
 */
export function rowsIn(content, columns) {
  const rows = cellsIn(content.replace(/^\uFEFF/, ""));
  if (!rows.length) throw new Refusal("There are no cells in it.");
  const named = rows[0].some((cell) => columns.includes(cell)) && (rows.length > 1 || !fits(rows[0], columns));
  const order = named ? columns.map((name) => rows[0].indexOf(name)) : columns.map((_, at) => at);
  const missing = columns[order.indexOf(-1)];
  if (missing !== undefined) throw new Refusal(`The column ${missing} is missing.`);
  const body = named ? rows.slice(1) : rows;
  if (!body.length) throw new Refusal("It names columns but holds no row.");
  const wide = named ? rows[0].length : columns.length;
  return body.map((cells, at) => {
    const where = body.length > 1 ? `Row ${at + 1}` : "It";
    if (cells.length !== wide)
      throw new Refusal(`${where} has ${cells.length === 1 ? "1 cell" : `${cells.length} cells`}; ${wide} are needed.`);
    return order.map((from) => cells[from]);
  });
}

/** Whether it could be a row: as many cells, and not the names. @param {string[]} cells @param {string[]} columns */
const fits = (cells, columns) => cells.length === columns.length && cells.some((cell, at) => cell !== columns[at]);

/** A row as a line of CSV. @param {string[]} cells */
export const lineOf = (cells) =>
  cells.map((cell) => (/[",;|\t\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(",");

/** The cells of a node, as the server tells it: a line of names, and the row. @param {string} told */
export const cellsOf = (told) => cellsIn(told, ",")[1] ?? [""];

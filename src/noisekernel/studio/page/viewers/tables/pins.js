// A row to fill in: a click pins a cell, which stays as it is, and all that is not pinned is made anew; or the other
// way round, with the other brush. Another click takes it back.

/** @import { Model } from "../../lib/types.js" */
/** @import { Painting } from "../types.js" */

import { h, icon } from "../../lib/dom.js";
import { strip } from "../strip.js";
import { printed } from "./changes.js";
import { rowOf } from "./display.js";
import { factsOf } from "./reading.js";

/**
 * What the server is told: the names of the columns that are made anew.
 * @param {ArrayLike<number>} cells
 * @param {string[]} columns
 */
export const marked = (cells, columns) => JSON.stringify(columns.filter((_, at) => cells[at]));

/**
 * @param {Model} model
 * @param {Painting} painting
 */
export function pins(model, painting) {
  const { columns } = factsOf(model);
  return strip(painting, {
    class: "pins",
    what: "a row",
    load: rowOf,
    parts: (cells) => columns.map((name, at) => part(name, cells[at])),
    mask: (cells) => marked(cells, columns),
    toggles: true,
    start: { kind: "lock" },
  });
}

/** @param {string} name @param {string} cell */
function part(name, cell) {
  const element = h("span", { class: "of" }, icon("lock"), h("span", { class: "name", title: name }, name),
    h("span", { class: cell ? "value" : "value nothing" }, printed(cell)));
  return { element, name: `${name}, ${cell || "empty"}` };
}

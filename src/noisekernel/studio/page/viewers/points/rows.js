// A point to paint on: a row for each column.

/** @import { Model } from "../../lib/types.js" */
/** @import { Painting } from "../types.js" */
/** @import { Facts } from "./scale.js" */

import { h } from "../../lib/dom.js";
import { strip } from "../strip.js";
import { pointOf } from "./display.js";
import { bars } from "./profile.js";
import { factsOf, worded } from "./scale.js";

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
export function rows(model, painting) {
  const facts = factsOf(model);
  return strip(painting, {
    class: "points rows",
    what: "a point",
    load: pointOf,
    parts: (values) => values.map((value, at) => row(facts, at, value)),
    mask: (cells) => marked(cells, facts.columns),
  });
}

/** @param {Facts} facts @param {number} at @param {number} value */
function row({ columns, means, scales }, at, value) {
  const [name, said] = [columns[at], worded(value, scales[at])];
  const { element: drawn, draw } = bars({ columns: [name], means: [means[at]], scales: [scales[at]] });
  draw({ values: [value] });
  const element = h("span", { class: "row-of" },
    h("span", { class: "name", title: name }, name), drawn, h("span", { class: "value" }, said));
  return { element, name: `${name}, ${said}` };
}

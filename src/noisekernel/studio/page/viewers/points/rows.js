// A point to paint on: a row for each column.

/** @import { Model } from "../../lib/types.js" */
/** @import { Painting, Surface } from "../types.js" */

import { h, set } from "../../lib/dom.js";
import { latest } from "../remembered.js";
import { strip } from "../strip.js";
import { pointOf } from "./display.js";
import { bars } from "./profile.js";
import { factsOf, worded } from "./scale.js";

/**
 * @param {Model} model
 * @param {Painting} painting
 * @returns {Surface}
 */
export function rows(model, painting) {
  const facts = factsOf(model);
  const { columns, scales } = facts;
  /** @type {number[]} */
  let point = [];
  const list = strip(painting, {
    class: "points rows",
    label: "Point to paint on, a row for each column. Arrow keys move the brush, space paints.",
    name: (at) => `${columns[at]}, ${worded(point[at], scales[at])}`,
  });
  list.element.style.setProperty("--n", String(columns.length));
  const content = latest(pointOf, (values) => {
    point = values;
    const parts = values.map((value, at) => {
      const one = bars({ columns: [columns[at]], means: [facts.means[at]], scales: [scales[at]] });
      one.draw({ values: [value] });
      return h("span", { class: "row-of" }, h("span", { class: "name", title: columns[at] }, columns[at]), one.element,
        h("span", { class: "value" }, worded(value, scales[at])));
    });
    list.element.replaceChildren(...parts);
    list.fill(parts);
    painting.changed();
  });
  /** The node that the marks belong to. @type {string | null} */
  let of = null;
  return {
    element: list.element,
    get marks() {
      return list.marks;
    },
    sliders: [],
    start: {},
    show({ id }, words) {
      set(list.element, "title", words);
      if (of !== id) {
        list.element.replaceChildren();
        list.fill([]);
      }
      of = id;
      content.wish(id);
    },
    draw: list.draw,
    request: async () => ({ mask: JSON.stringify(columns.filter((_, at) => list.marks.cells[at])) }),
  };
}

// A string to paint on, letter by letter. Behind the last letter is a cell for the rest: where it is marked, the string
// may become longer or shorter.

/** @import { Model } from "../../lib/types.js" */
/** @import { Painting, Surface } from "../types.js" */

import { h, set } from "../../lib/dom.js";
import { latest } from "../remembered.js";
import { strip } from "../strip.js";
import { stringOf } from "./display.js";
import { seen } from "./glyphs.js";
import { TYPE } from "./type.js";

/**
 * What the server is told: an underscore for a letter that is made anew, a point for one that is kept, and a star where
 * the rest is made anew. The last mark is that of the rest.
 * @param {ArrayLike<number>} cells
 */
export function pattern(cells) {
  const marks = Array.from(cells);
  const rest = marks.pop();
  return marks.map((one) => (one ? "_" : ".")).join("") + (rest ? "*" : "");
}

/**
 * @param {Model} _
 * @param {Painting} painting
 * @returns {Surface}
 */
export function letters(_, painting) {
  /** @type {string[]} */
  let string = [];
  const row = strip(painting, {
    class: "spelled",
    label: "String to paint on. Arrow keys move the brush, space paints.",
    name: (at) => (at < string.length ? `Letter ${at + 1}, ${seen(string[at])}` : "The rest, whose length may change"),
  });
  row.element.style.fontFamily = TYPE;
  const content = latest(stringOf, (told) => {
    string = [...told];
    const rest = h("span", { class: "rest", title: "The rest: its length may change" }, "…");
    row.element.style.setProperty("--count", String(Math.max(6, Math.min(string.length + 1, 18))));
    const cells = [...string.map((one) => h("span", { class: one === seen(one) ? "" : "blank" }, seen(one))), rest];
    row.element.replaceChildren(...cells);
    row.fill(cells);
    painting.changed();
  });
  /** The node that the marks belong to. @type {string | null} */
  let of = null;
  return {
    element: row.element,
    get marks() {
      return row.marks;
    },
    sliders: [],
    start: {},
    show({ id }, words) {
      set(row.element, "title", words);
      if (of !== id) {
        row.element.replaceChildren();
        row.fill([]);
      }
      of = id;
      content.wish(id);
    },
    draw: row.draw,
    request: async () => ({ mask: pattern(row.marks.cells) }),
  };
}

// A string to paint on, letter by letter. Behind the last letter is a cell for the rest: where it is marked, the string
// may become longer or shorter.

/** @import { Model } from "../../lib/types.js" */
/** @import { Painting } from "../types.js" */

import { h } from "../../lib/dom.js";
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
 */
export function letters(_, painting) {
  const kind = { class: "spelled", what: "a string", load: stringOf, parts: spelled, mask: pattern };
  const surface = strip(painting, kind);
  surface.element.style.fontFamily = TYPE;
  return surface;
}

/** A cell for each letter, and one for the rest. @param {string} string */
function spelled(string) {
  const each = [...string].map((letter, at) => {
    const element = h("span", { class: letter === seen(letter) ? "" : "blank" }, seen(letter));
    return { element, name: `Letter ${at + 1}, ${letter === " " ? "space" : letter}` };
  });
  const rest = h("span", { class: "rest", title: "The rest: its length may change" }, "…");
  return [...each, { element: rest, name: "The rest, whose length may change" }];
}

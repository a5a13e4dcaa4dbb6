// A viewer that a kind of data brings along: every node is a word of four letters, those that its id begins with.
// What is painted on are letters.

/** @import { Surface, Viewer } from "../../src/noisekernel/studio/page/viewers/types.js" */

import { h, text } from "/lib/dom.js";
import { Marks } from "/lib/marks.js";

const LENGTH = 4;
/** @param {string} id */
const word = (id) => id.slice(0, LENGTH);

/** @param {string} place */
function display(place) {
  const element = h("span", { class: `letters on-${place}` });
  return {
    element,
    show: (/** @type {{ id: string }} */ { id }, /** @type {string} */ words) => {
      text(element, word(id));
      if (words) element.setAttribute("aria-label", words);
    },
    frame: (/** @type {string[]} */ content, /** @type {number} */ index, /** @type {boolean} */ noisy) =>
      text(element, noisy ? "?".repeat(LENGTH) : content[index]),
  };
}

/** @type {NonNullable<Viewer["surface"]>} */
function surface(_, { brush, changed }) {
  const element = h("div", { class: "letters surface" });
  let marks = new Marks(LENGTH);
  /** @type {string | null} */
  let of = null;
  /** @type {Surface} */
  const self = {
    element,
    get marks() {
      return marks;
    },
    sliders: [],
    start: {},
    show({ id }) {
      if (of !== id) marks = new Marks(LENGTH);
      of = id;
      element.replaceChildren(...[...word(id)].map((letter, at) => {
        const onclick = () => {
          marks.begin(brush.kind);
          marks.cells[at] = brush.kind === "anew" ? 1 : 0;
          changed();
        };
        return h("button", { type: "button", onclick }, letter);
      }));
    },
    draw: () => [...element.children].forEach((one, at) => one.classList.toggle("marked", marks.cells[at] === 1)),
    request: async () => ({ mask: [...marks.cells].join("") }),
  };
  return self;
}

/** @type {Viewer} */
export const viewer = {
  size: () => `${LENGTH} letters`,
  proportions: () => ({ ratio: 4, whole: null, least: 120, most: 240 }),
  thumbnail: () => display("thumbnail"),
  large: () => display("large"),
  live: (_, place) => display(place),
  read: async ({ n }) => Array.from({ length: n }, (_, at) => `way${at}`),
  example: (_, { index }) => h("span", {}, `word ${index}`),
  difference: null,
  differenceHint: "",
  surface,
  own: null,
  files: (_, { id }) => [{ label: "This word", hint: "text", address: `/api/nodes/${id}/show`, suffix: ".txt" }],
  sheet: null,
  films: [],
};

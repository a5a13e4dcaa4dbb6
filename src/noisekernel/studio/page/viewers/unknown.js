// Data of a kind that this page has no viewer for. Its nodes can be made, named, chosen and taken away as a design;
// what they are, the page cannot show.

/** @import { LiveDisplay, Viewer } from "./types.js" */

import { h, set } from "../lib/dom.js";

/** @returns {LiveDisplay} */
function display() {
  const element = h("span", { class: "soft" }, "?");
  return { element, show: (_, words) => set(element, "aria-label", words || null), frame() {} };
}

/** @param {string} kind @returns {Viewer} */
export function unknown(kind) {
  return {
    size: () => kind,
    proportions: () => ({ ratio: 1, whole: null, least: 56, most: 120 }),
    thumbnail: display,
    large: display,
    live: display,
    read: async () => null,
    example: () => display().element,
    difference: null,
    differenceHint: "",
    surface: null,
    own: null,
    files: () => [],
    sheet: null,
    films: [],
  };
}

// One row on the page: small, as a card, as a line of a table, or on its way.

/** @import { FrameNews, Model } from "../../lib/types.js" */
/** @import { Display, LiveDisplay } from "../types.js" */
/** @import { Place } from "./card.js" */

import { h, set } from "../../lib/dom.js";
import { nodeAt } from "../../lib/state.js";
import { latest, remembered } from "../remembered.js";
import { card } from "./card.js";
import { cellsOf, factsOf } from "./reading.js";

/** The cells of a node. */
export const rowOf = remembered(cellsOf);

/** The cells of a node and those of its parent, if it has one. @param {string} id */
async function withParent(id) {
  const parent = nodeAt(id)?.parent;
  const [cells, before] = await Promise.all([rowOf(id), parent ? rowOf(parent).catch(() => null) : null]);
  return { cells, before };
}

/**
 * @param {Model} model
 * @param {Place} place
 * @returns {LiveDisplay}
 */
function display(model, place) {
  const { element, draw } = card(model, place);
  const outer = h("span", { class: "row-of-table" }, element);
  const content = latest(withParent, ({ cells, before }) => draw(cells, before));
  return {
    element: outer,
    show({ id }, words) {
      set(outer, "role", words ? "figure" : null);
      set(outer, "aria-label", words || null);
      content.wish(id);
    },
    frame({ clean, noisy }, index, withNoise) {
      content.forget();
      draw((withNoise ? noisy : clean)[index]);
    },
  };
}

/** A walk, with marks where it is no longer as it began. @param {Model} model @returns {LiveDisplay} */
function walking(model) {
  const { element, draw } = card(model, "large");
  /** @type {(string | null)[] | null} */
  let began = null;
  let last = -1;
  const content = latest(rowOf, (cells) => draw((began = cells)));
  return {
    element,
    show({ id }, words) {
      set(element, "aria-description", words || null);
      last = -1;
      content.wish(id);
    },
    frame({ clean, noisy, step }, index, withNoise) {
      content.forget();
      if (last < 0 || step < last) began = began ?? clean[index];
      last = step;
      draw((withNoise ? noisy : clean)[index], began);
    },
  };
}

/** @param {Model} model @returns {Display} */
export const thumbnail = (model) => display(model, "thumbnail");
/** @param {Model} model @returns {Display} */
export const large = (model) => display(model, "large");
/** @param {Model} model @param {"cell" | "stage"} place */
export const live = (model, place) => (place === "stage" ? walking(model) : display(model, "cell"));
/** @param {Model} model */
export const lined = (model) => display(model, "line");

/** The names above a table of rows. @param {Model} model */
export function head(model) {
  const { columns } = factsOf(model);
  const names = columns.map((name) => h("span", { title: name }, name));
  return h("div", { class: "row-head", "aria-hidden": "true" }, names);
}

/** @param {FrameNews} news */
export const read = async ({ clean, noisy, step }) => ({ clean, noisy, step });

/** @param {Model} model @param {{ shown: string[] }} example */
export function example(model, { shown }) {
  const { element, draw } = card(model, "cell");
  draw(shown);
  return element;
}

// One point on the page: small, large, or on its way.

/** @import { FrameNews, Model } from "../../lib/types.js" */
/** @import { DifferenceDisplay, Display, LiveDisplay, Shown } from "../types.js" */
/** @import { Place } from "./drawing.js" */

import { set } from "../../lib/dom.js";
import { candidates } from "../../lib/state.js";
import { latest, remembered } from "../remembered.js";
import { drawing } from "./drawing.js";

const TRAIL = 80; // steps of a walk that are still to be seen

/** The numbers of a node: the last line that the server tells of it; the one before names the columns. */
export const pointOf = remembered((told) => (told.trimEnd().split("\n").at(-1) ?? "").split(",").map(Number));

/** The other candidates of its round. @param {Shown} node */
function others({ id, round }) {
  const beside = round ? candidates(round).filter((node) => node.id !== id) : [];
  return Promise.all(beside.map((node) => pointOf(node.id)));
}

/** @param {HTMLElement} element @param {string} words */
function name(element, words) {
  set(element, "role", words ? "figure" : null);
  set(element, "aria-label", words || null);
}

/** @param {Model} model @returns {Display} */
export function thumbnail(model) {
  const { element, draw } = drawing(model, "thumbnail");
  const content = latest(pointOf, (values) => draw({ values }));
  return {
    element,
    show({ id }, words) {
      name(element, words);
      content.wish(id);
    },
  };
}

/**
 * @param {Model} model
 * @param {Place} place
 * @returns {LiveDisplay}
 */
function among(model, place) {
  const { element, draw } = drawing(model, place);
  /** @type {Shown} */
  let node = { id: "" };
  const content = latest(
    async (id) => {
      const asked = node;
      return { values: await pointOf(id), others: await others(asked).catch(() => []) };
    },
    draw,
  );
  return {
    element,
    show(shown, words) {
      node = shown;
      name(element, words);
      content.wish(shown.id);
    },
    frame({ clean, noisy }, index, withNoise) {
      content.forget();
      /** @type {number[][]} */
      const all = withNoise ? noisy : clean;
      draw({ values: all[index], noisy: withNoise, others: all.filter((_, at) => at !== index) });
    },
  };
}

/** A walk, with where it came along. @param {Model} model @returns {LiveDisplay} */
function walking(model) {
  const { element, draw } = drawing(model, "large");
  /** @type {number[][]} */
  let trail = [];
  let last = -1;
  const content = latest(pointOf, (values) => draw({ values }));
  return {
    element,
    show({ id }, words) {
      name(element, words);
      last = -1;
      content.wish(id);
    },
    frame({ clean, noisy, step }, index, withNoise) {
      content.forget();
      if (last < 0 || step < last) trail = []; // another walk
      if (step !== last) trail = [...trail, clean[index]].slice(-TRAIL);
      last = step;
      draw({ values: (withNoise ? noisy : clean)[index], noisy: withNoise, trail });
    },
  };
}

/** @param {Model} model */
export const large = (model) => among(model, "large");
/** @param {Model} model @param {"cell" | "stage"} place */
export const live = (model, place) => (place === "stage" ? walking(model) : among(model, "cell"));

/** @param {FrameNews} news */
export const read = async ({ clean, noisy, step }) => ({ clean, noisy, step });

/** @param {Model} model @param {{ shown: number[] }} example */
export function example(model, { shown }) {
  const { element, draw } = drawing(model, "cell");
  draw({ values: shown });
  return element;
}

/** Both in one drawing. @param {Model} model @returns {DifferenceDisplay} */
export function difference(model) {
  const { element, draw } = drawing(model, "large");
  return {
    element,
    async show(before, after) {
      const [from, values] = await Promise.all([pointOf(before.id), pointOf(after.id)]);
      draw({ values, from });
    },
  };
}

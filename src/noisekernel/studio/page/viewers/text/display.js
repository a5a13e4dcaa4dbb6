// One string on the page: small, large, or on its way.

/** @import { FrameNews, Model } from "../../lib/types.js" */
/** @import { Display, LiveDisplay } from "../types.js" */
/** @import { Glyph } from "./glyphs.js" */
/** @import { Box } from "./setting.js" */

import { h, set } from "../../lib/dom.js";
import { latest, remembered } from "../remembered.js";
import { glyphs } from "./glyphs.js";
import { LEADING, setting } from "./setting.js";
import { advance, TYPE } from "./type.js";

/** The most characters that a string of a model has. @param {Model} model @returns {number} */
export const lengthOf = (model) => model.view.length;

/** Width by height of a candidate's cell: a long string needs several lines. @param {Model} model */
export const ratioOf = (model) => (lengthOf(model) > 24 ? 2.1 : 2.6);

/** The string of a node. */
export const stringOf = remembered((told) => told.replace(/\r?\n$/, ""));

const LARGE = 1.8;
const EMPTY = "empty"; // said of a string without characters

/** @type {Record<"small" | "large", Pick<Box, "least" | "broken">>} */
const SIZES = { small: { least: 0.17, broken: 0.19 }, large: { least: 0.03, broken: 0.075 } };

/**
 * The largest size is that of a short word, so that candidates of about one length look alike.
 * @param {Model} model
 * @param {"small" | "cell" | "large"} place
 * @returns {Box}
 */
function boxOf(model, place) {
  const most = 1.6 / Math.max(5, Math.min(lengthOf(model), 9));
  if (place === "small") return { ratio: 1, most: 0.36, ...SIZES.small };
  return { ratio: place === "cell" ? ratioOf(model) : LARGE, most, ...SIZES.large };
}

/**
 * A box with a string in it.
 * @param {Model} model
 * @param {"small" | "cell" | "large"} place
 */
export function sheet(model, place) {
  const inner = h("span", { class: "set", role: "img" });
  inner.style.fontFamily = TYPE;
  inner.style.lineHeight = String(LEADING);
  const element = h("span", { class: "words" }, inner);
  const box = boxOf(model, place);
  if (place === "large") {
    element.classList.add("large");
    for (const [name, value] of Object.entries({ ratio: LARGE, shape: LARGE, large: "720px" }))
      element.style.setProperty(`--${name}`, String(value));
  }
  /** @param {string} string @param {{ noisy?: boolean }} [options] */
  function put(string, options = {}) {
    const { lines, size } = setting(glyphs(string || EMPTY, options), box, advance);
    inner.style.setProperty("--size", String(100 * size));
    inner.replaceChildren(...lines.map((line) => h("span", { class: "line" }, spans(line))));
    inner.classList.toggle("nothing", string === "");
    set(inner, "aria-label", string || EMPTY);
  }
  return { element, put };
}

/** Characters of one role together. @param {Glyph[]} line */
function spans(line) {
  /** @type {{ role: string, shown: string }[]} */
  const runs = [];
  for (const { shown, role } of line) {
    const last = runs.at(-1);
    if (last && last.role === role) last.shown += shown;
    else runs.push({ role, shown });
  }
  return runs.map(({ role, shown }) => (role ? h("i", { class: role }, shown) : shown));
}

/**
 * @param {Model} model
 * @param {"small" | "cell" | "large"} place
 * @returns {Display & { frame: LiveDisplay["frame"] }}
 */
function display(model, place) {
  const { element, put } = sheet(model, place);
  const content = latest(stringOf, (string) => put(string));
  return {
    element,
    show({ id }, words) {
      set(element, "role", words ? "figure" : null);
      set(element, "aria-label", words || null);
      content.wish(id);
    },
    frame({ clean, noisy }, index, withNoise) {
      content.forget();
      put((withNoise ? noisy : clean)[index], { noisy: withNoise });
    },
  };
}

/** @param {Model} model */
export const thumbnail = (model) => display(model, "small");
/** @param {Model} model */
export const large = (model) => display(model, "large");
/** @param {Model} model @param {"cell" | "stage"} place */
export const live = (model, place) => display(model, place === "cell" ? "cell" : "large");

/** @param {FrameNews} news */
export const read = async ({ clean, noisy }) => ({ clean, noisy });

/** @param {Model} model @param {{ shown: string }} example */
export function example(model, { shown }) {
  const { element, put } = sheet(model, "cell");
  put(shown);
  return element;
}

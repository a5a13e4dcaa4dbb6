// Two strings, one above the other, letter by letter as they belong together.

/** @import { DifferenceDisplay } from "../types.js" */

import { h, set } from "../../lib/dom.js";
import { align, sizeOf, told } from "./align.js";
import { stringOf } from "./display.js";
import { seen } from "./glyphs.js";
import { TYPE } from "./type.js";

const BOX = { ratio: 1.8, column: 0.78, pair: 2.8, most: 0.14, least: 0.045 };

/** @returns {DifferenceDisplay} */
export function difference() {
  const columns = h("span", { class: "aligned", role: "img" });
  columns.style.fontFamily = TYPE;
  const element = h("span", { class: "words large differing" }, columns);
  element.style.setProperty("--ratio", String(BOX.ratio));
  return {
    element,
    async show(before, after) {
      const steps = align(...await both(before.id, after.id));
      set(columns, "aria-label", told(steps));
      columns.style.setProperty("--size", String(100 * sizeOf(steps.length, BOX)));
      columns.replaceChildren(...steps.map(({ kind, ...pair }) => {
        const letter = (/** @type {string | null} */ one) =>
          h("span", {}, one === null ? "" : kind === "same" && one === " " ? " " : seen(one));
        return h("span", { class: kind }, letter(pair.before), letter(pair.after));
      }));
    },
  };
}

/** @param {string} before @param {string} after @returns {Promise<[string, string]>} */
async function both(before, after) {
  return Promise.all([stringOf(before), stringOf(after)]);
}

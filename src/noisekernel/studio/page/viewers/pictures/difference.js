// What differs between two pictures: grey where they agree, brighter or darker where the second is.

/** @import { Model } from "../../lib/types.js" */
/** @import { DifferenceDisplay } from "../types.js" */

import { h } from "../../lib/dom.js";
import { address } from "./display.js";
import { enlarge } from "./scale.js";
import { loaded } from "./sprites.js";

/** @param {Model} model @returns {DifferenceDisplay} */
export function difference(model) {
  const label = "The difference of the two, grey where they agree";
  const canvas = h("canvas", { class: "large", role: "img", "aria-label": label });
  enlarge(canvas, model);
  return {
    element: canvas,
    async show(before, after) {
      const [a, b] = await Promise.all([before, after].map(({ id }) => pixels(address(id))));
      canvas.width = a.width;
      canvas.height = a.height;
      const out = new ImageData(differences(a.data, b.data), a.width, a.height);
      canvas.getContext("2d")?.putImageData(out, 0, 0);
    },
  };
}

/**
 * Of bytes red, green, blue, opacity, and so on.
 * @param {ArrayLike<number>} before
 * @param {ArrayLike<number>} after
 */
export function differences(before, after) {
  const out = new Uint8ClampedArray(before.length);
  for (let at = 0; at < out.length; at++) out[at] = at % 4 === 3 ? 255 : 128 + (after[at] - before[at]) / 2;
  return out;
}

/** @param {string} place */
async function pixels(place) {
  const image = await loaded(place);
  const canvas = new OffscreenCanvas(image.naturalWidth, image.naturalHeight);
  const context = /** @type {OffscreenCanvasRenderingContext2D} */ (canvas.getContext("2d"));
  context.drawImage(image, 0, 0);
  return context.getImageData(0, 0, canvas.width, canvas.height);
}

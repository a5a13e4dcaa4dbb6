// One picture on the page: small, large, or on its way.

/** @import { Model } from "../../lib/types.js" */
/** @import { Display, LiveDisplay } from "../types.js" */

import { h, set } from "../../lib/dom.js";
import { enlarge, few } from "./scale.js";
import { cellAt } from "./sprites.js";

/** @param {string} id @param {number} [scale] */
export const address = (id, scale) => `/api/nodes/${id}/show${scale ? `?scale=${scale}` : ""}`;

/** @param {HTMLImageElement} image @returns {Display} */
function still(image) {
  return {
    element: image,
    show({ id }, words) {
      set(image, "src", address(id));
      set(image, "alt", words);
    },
  };
}

/** @param {Model} model */
export const thumbnail = (model) =>
  still(h("img", { alt: "", loading: "lazy", draggable: "false", class: few(model) ? "pixels" : "" }));

/** @param {Model} model */
export function large(model) {
  const image = h("img", { class: "large" });
  enlarge(image, model);
  return still(image);
}

/**
 * Drawn, not loaded, so that a picture on its way is followed step by step without a flicker.
 * @param {Model} model
 * @param {"cell" | "stage"} place
 * @returns {LiveDisplay}
 */
export function live(model, place) {
  const canvas = h("canvas", { width: 1, height: 1, class: few(model) ? "pixels" : "" });
  if (place === "stage") {
    canvas.classList.add("large");
    set(canvas, "role", "img");
    enlarge(canvas, model);
  }
  /** The node that is shown, or on its way to be. @type {string | null} */
  let wanted = null;

  /**
   * @param {CanvasImageSource} image
   * @param {{ left: number, top: number, width: number, height: number }} part
   */
  function draw(image, { left, top, width, height }) {
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    const context = canvas.getContext("2d");
    context?.clearRect(0, 0, width, height);
    context?.drawImage(image, left, top, width, height, 0, 0, width, height);
  }

  return {
    element: canvas,
    show({ id }, words) {
      if (words) set(canvas, "aria-label", words);
      if (wanted === id) return;
      wanted = id;
      const image = new Image();
      image.onload = () => {
        const { naturalWidth: width, naturalHeight: height } = image;
        if (wanted === id) draw(image, { left: 0, top: 0, width, height });
      };
      image.src = address(id);
    },
    frame({ clean, noisy }, index, withNoise) {
      const sprite = withNoise ? noisy : clean;
      draw(sprite.image, { ...cellAt(sprite, index), width: sprite.width, height: sprite.height });
      wanted = null;
    },
  };
}

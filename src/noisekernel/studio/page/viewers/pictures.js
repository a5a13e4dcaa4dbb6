// Pictures: shown by the browser, painted on pixel by pixel, brought as files.

/** @import { Model } from "../lib/types.js" */
/** @import { Viewer } from "./types.js" */

import { h } from "../lib/dom.js";
import { board } from "./pictures/board.js";
import { difference } from "./pictures/difference.js";
import { address, large, live, thumbnail } from "./pictures/display.js";
import { fitting } from "./pictures/fitting.js";
import { few, sizeOf } from "./pictures/scale.js";
import { readSprites } from "./pictures/sprites.js";

const MOST_SIDE = 4096; // pixels, to which the server enlarges

/** How often larger a picture can be had: at most eight times. @param {Model} model */
export function largestScale(model) {
  const { width, height } = sizeOf(model);
  return Math.min(8, Math.floor(MOST_SIDE / Math.max(width, height)));
}

/** @type {Viewer} */
export const pictures = {
  styles: "viewers/pictures.css",

  size(model) {
    const { width, height } = sizeOf(model);
    return `${width}×${height}`;
  },

  proportions(model) {
    const { width, height } = sizeOf(model);
    return { ratio: width / height, whole: few(model) ? width : null, least: 56, most: 320 };
  },

  thumbnail,
  large,
  live,
  read: readSprites,

  example: (model, { shown }) => h("img", { src: shown, alt: "", class: few(model) ? "pixels" : "" }),

  difference,
  differenceHint: "grey where they agree",
  surface: board,

  own: {
    label: "Your own picture",
    hint: "Drop it here, paste it, or choose a file",
    accept: "image/*",
    pasted: (given) => [...given.files].find((file) => file.type.startsWith("image/")) ?? null,
    ask: async (model, file) => (file ? fitting(model, file) : null),
  },

  files(model, { id }) {
    const times = largestScale(model);
    const plain = { label: "This picture, PNG", hint: "its settings inside", address: address(id), suffix: ".png" };
    if (times < 2) return [plain];
    const enlarged = { address: address(id, times), suffix: ` ${times}x.png` };
    return [plain, { label: "The same, large", hint: `${times} times`, ...enlarged }];
  },

  sheet: { label: "Contact sheet" },
  films: [{ label: "Film, GIF", name: "film.gif" }, { label: "MP4", name: "film.mp4" }],
};

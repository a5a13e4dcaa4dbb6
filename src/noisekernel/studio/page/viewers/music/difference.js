// Two pieces in one roll: what they share is grey, what only the second has is in its voice's colour, and what only the
// first had is an outline.

/** @import { Model } from "../../lib/types.js" */
/** @import { DifferenceDisplay } from "../types.js" */
/** @import { Scene } from "./roll.js" */

import { h, set } from "../../lib/dom.js";
import { sheet } from "./canvas.js";
import { overlaid, toldOf } from "./changes.js";
import { pieceAt } from "./content.js";
import { factsOf } from "./piece.js";
import { paintRoll } from "./roll.js";

/** @param {Model} model @returns {DifferenceDisplay} */
export function difference(model) {
  const facts = factsOf(model);
  /** @type {Pick<Scene, "piece" | "looks"> | null} */
  let both = null;
  const { element: canvas, draw } = sheet((context, size, colours) => {
    if (both) paintRoll(context, size, colours, { facts, place: "large", ...both });
  });
  set(canvas, "role", "img");
  const element = h("span", { class: "music on-large large" }, h("span", { class: "plot" }, canvas));
  element.style.setProperty("--ratio", "1.75");
  return {
    element,
    async show(one, other) {
      const [before, after] = await Promise.all([pieceAt(one.id), pieceAt(other.id)]);
      both = overlaid(before, after);
      set(canvas, "aria-label", toldOf(before, after, facts));
      draw();
    },
  };
}

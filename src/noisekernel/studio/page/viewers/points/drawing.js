// How points are drawn: two columns in a plot, any other number as a profile.

/** @import { Model } from "../../lib/types.js" */

import { h, set } from "../../lib/dom.js";
import { plot } from "./plot.js";
import { profile } from "./profile.js";
import { factsOf, spoken } from "./scale.js";

/** @typedef {"thumbnail" | "cell" | "large"} Place */

/**
 * What is to be seen. `others`: the candidates beside it; `trail`: where a walk came along; `from`: what it is compared
 * with.
 * @typedef {{ values: number[], noisy?: boolean, others?: number[][], trail?: number[][],
 *   from?: number[] | null }} Scene
 */

/** @typedef {{ element: Element, draw: (scene: Scene) => void }} Drawing */

/** Width by height. @param {Model} model */
export function ratioOf(model) {
  const { columns } = factsOf(model);
  if (columns.length === 2) return 1;
  if (columns.length < 6) return 1.8;
  return columns.length > 24 ? 0.8 : columns.length > 10 ? 1 : 1.4;
}

/** @param {Model} model @param {Place} place */
export function drawing(model, place) {
  const facts = factsOf(model);
  const drawn = (facts.columns.length === 2 ? plot : profile)(facts, place);
  const element = h("span", { class: `points on-${place}` }, drawn.element);
  if (place === "large") {
    element.classList.add("large");
    for (const name of ["ratio", "shape"]) element.style.setProperty(`--${name}`, String(ratioOf(model)));
    element.style.setProperty("--large", "600px");
  }
  return {
    element,
    facts,
    /** @param {Scene} scene */
    draw(scene) {
      drawn.draw(scene);
      set(drawn.element, "aria-label", spoken(scene.values, facts));
    },
  };
}

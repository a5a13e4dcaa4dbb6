// The voices of a model as a row of chips: each in its colour, to be muted, or heard alone.

/** @import { Model } from "../../lib/types.js" */

import { h, set } from "../../lib/dom.js";
import { heardOf, mixOf, onMix, turn } from "./mix.js";
import { factsOf } from "./piece.js";

/** What a voice is called where there is little room. @param {string} name */
export const initial = (name) => ([...name][0] ?? "").toUpperCase();

/** A dot in the colour of a voice. @param {number} voice */
export function dot(voice) {
  const element = h("i", { class: "dot", "aria-hidden": "true" });
  element.style.setProperty("--voice", `var(--voice-${(voice % 8) + 1})`);
  return element;
}

/**
 * @param {Model} model
 * @param {() => void} changed is run after every change
 */
export function chips(model, changed) {
  const { id } = model;
  const each = factsOf(model).voices.map((name, voice) => {
    const mute = h("button", { type: "button", class: "mute", onclick: () => turn(id, "muted", voice) },
      dot(voice), h("span", { class: "whole" }, name), h("span", { class: "short" }, initial(name)));
    const alone = h("button", { type: "button", class: "alone", onclick: () => turn(id, "alone", voice) }, "solo");
    for (const [button, words] of /** @type {const} */ ([[mute, "Mute"], [alone, "Hear alone:"]])) {
      set(button, "aria-label", `${words} ${name}`);
      set(button, "title", `${words} ${name}`);
    }
    return { mute, alone, element: h("span", { class: "chip" }, mute, alone) };
  });
  function draw() {
    const { muted, alone } = mixOf(id);
    const heard = heardOf(model);
    each.forEach((one, voice) => {
      set(one.mute, "aria-pressed", String(muted.has(voice)));
      set(one.alone, "aria-pressed", String(alone.has(voice)));
      one.element.classList.toggle("silent", !heard[voice]);
    });
  }
  onMix(() => {
    draw();
    changed();
  });
  draw();
  return h("span", { class: "chips-of-voices", role: "group", "aria-label": "Voices" }, each.map((one) => one.element));
}

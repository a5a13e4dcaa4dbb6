// Which voices of a model are heard: turned off and on by hand, for all of its pieces on the page alike.

/** @import { Model } from "../../lib/types.js" */
/** @import { Mix } from "./schedule.js" */

import { audible } from "./schedule.js";

/** By model. @type {Map<string, Mix>} */
const mixes = new Map();
/** @type {Set<() => void>} */
const watchers = new Set();

/** @param {string} id of a model @returns {Mix} */
export function mixOf(id) {
  const mix = mixes.get(id) ?? { muted: new Set(), alone: new Set() };
  mixes.set(id, mix);
  return mix;
}

/** Whether each voice of a model is heard. @param {Pick<Model, "id" | "view">} model */
export const heardOf = ({ id, view }) => audible(view.voices.length, mixOf(id));

/**
 * Turn a voice off or on, or hear it alone or with the others again.
 * @param {string} id of a model
 * @param {keyof Mix} what
 * @param {number} voice
 */
export function turn(id, what, voice) {
  const some = mixOf(id)[what];
  if (!some.delete(voice)) some.add(voice);
  for (const run of watchers) run();
}

/** Run after every change. @param {() => void} run */
export const onMix = (run) => watchers.add(run);

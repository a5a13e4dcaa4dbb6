// What the big button does: the next round, made of the present node, the tool in hand and the dials.

import { Refusal } from "../lib/refusal.js";
import { state } from "../lib/state.js";
import { words } from "../viewers/index.js";
import { begin } from "./jobs.js";

/**
 * Settings that were left to the studio are left out of the request.
 * @template {Record<string, any>} T
 * @param {T} pairs
 */
function given(pairs) {
  const told = Object.entries(pairs).filter(([, value]) => value !== null && value !== undefined && value !== "");
  return /** @type {T} */ (Object.fromEntries(told));
}

/** Draw noise anew by the dial, or walk at a constant level of it, which alone has a lag and a readout. */
function noise() {
  const { beta, strength, lag, readout } = state.settings;
  return beta === null ? { strength } : { beta, lag, readout };
}

/** @param {number} n @param {string | null} label */
export function sample(n, label) {
  return begin(given({ task: "sample", n, label, seed: state.settings.seed }));
}

export function vary(parents = [needPresent()]) {
  const { count, steps, seed, label } = state.settings;
  return begin(given({ task: "vary", parents, n: Math.max(count, parents.length), ...noise(), steps, label, seed }));
}

export function steer(parents = [needPresent()]) {
  return begin(steering(parents));
}

/** A round towards taste as it would be asked for now. @param {string[]} parents */
export function steering(parents) {
  const { count, steps, taste, seed } = state.settings;
  return given({ task: "steer", parents, n: Math.max(count, parents.length), ...noise(), steps, taste, seed });
}

/** @param {Record<string, unknown>} marked what is made anew, as the viewer's surface says it */
export function fill(marked) {
  const { count, seed } = state.settings;
  return begin(given({ task: "fill", parents: [needPresent()], ...marked, n: count, seed }));
}

/** @param {number} pace */
export function walk(pace) {
  return begin(given({ task: "walk", parents: [needPresent()], pace, seed: state.settings.seed }));
}

function needPresent() {
  if (!state.present || !state.nodes.has(state.present))
    throw new Refusal(`Choose a ${words().one} to start from first.`);
  return state.present;
}

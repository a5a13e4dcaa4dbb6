// What the big button does: the next round, made of the present node, the tool in hand and the dials.

import { Refusal } from "./api.js";
import { begin } from "./jobs.js";
import { present, state } from "./state.js";

/** Settings that were left to the studio are left out of the request. */
function given(pairs) {
  return Object.fromEntries(Object.entries(pairs).filter(([, value]) => value !== null && value !== undefined && value !== ""));
}

/** Draw noise anew by the dial, or walk at a constant level of it, which alone has a lag and a readout. */
function noise() {
  const { beta, strength, lag, readout } = state.settings;
  return beta === null ? { strength } : { beta, lag, readout };
}

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

/** A round towards taste as it would be asked for now. */
export function steering(parents) {
  const { count, steps, taste, seed } = state.settings;
  return given({ task: "steer", parents, n: Math.max(count, parents.length), ...noise(), steps, taste, seed });
}

export function inpaint(mask, feather) {
  const { count, seed } = state.settings;
  return begin(given({ task: "inpaint", parents: [needPresent()], mask, feather, n: count, seed }));
}

export function walk(pace) {
  return begin(given({ task: "walk", parents: [needPresent()], pace, seed: state.settings.seed }));
}

function needPresent() {
  if (!present()) throw new Refusal("Choose a picture to start from first.", 400);
  return state.present;
}

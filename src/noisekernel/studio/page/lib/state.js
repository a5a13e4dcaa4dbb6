// The one place where the page keeps what changes. Parts subscribe; nobody else holds mutable state that others read.

/** @import { Design, DesignNode, Job, Model, Settings, State } from "./types.js" */

import { Refusal } from "./refusal.js";

/** @type {State} */
export const state = {
  online: true,
  models: [],
  model: null,
  designs: [],
  design: null,
  nodes: new Map(),
  rounds: new Map(),
  opinions: new Map(),
  present: null,
  view: "start",
  tool: "vary",
  shown: null,
  compared: [],
  picked: new Set(),
  job: null,
  frame: null,
  noisy: false,
  taste: null,
  settings: {
    strength: 0.3, taste: 0.5, count: 12, steps: null, beta: null, lag: null, seed: null, readout: null, label: null,
    onwards: false,
  },
};

/** @type {Set<{ keys: (keyof State)[], run: () => unknown }>} */
const listeners = new Set();

/** @type {Set<string>} */
let changed = new Set();

/**
 * Change some of the state. Subscribers run once, after the present turn of the event loop's work.
 * @param {Partial<State>} patch
 */
export function update(patch) {
  Object.assign(state, patch);
  if (changed.size === 0) queueMicrotask(publish);
  for (const key of Object.keys(patch)) changed.add(key);
}

/** @param {Partial<Settings>} patch */
export function settings(patch) {
  update({ settings: { ...state.settings, ...patch } });
}

function publish() {
  const keys = changed;
  changed = new Set();
  for (const { keys: watched, run } of listeners) if (watched.some((key) => keys.has(key))) apart(run);
}

/** A part that fails does not keep the others from being told. @param {() => unknown} run */
function apart(run) {
  try {
    run();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

/**
 * Run now, and again whenever one of `keys` changed, until the function that is returned is called.
 * @param {(keyof State)[]} keys
 * @param {() => unknown} run
 */
export function watch(keys, run) {
  const listener = { keys, run };
  listeners.add(listener);
  run();
  return () => listeners.delete(listener);
}

/** @param {string | null | undefined} id @returns {DesignNode | null} */
export const nodeAt = (id) => (id ? (state.nodes.get(id) ?? null) : null);
export const present = () => nodeAt(state.present);
/** @param {string} id */
export const opinion = (id) => state.opinions.get(id) ?? 0;
export const running = () => state.job !== null && ["waiting", "running"].includes(state.job.status);
/** Candidates of a round, in order. @param {string} round */
export const candidates = (round) =>
  [...state.nodes.values()].filter((node) => node.round === round).sort((a, b) => a.index - b.index);

/** What must be there for what was asked: itself, or a sentence. @returns {Design} */
export function openDesign() {
  if (!state.design) throw new Refusal("Open a design first.");
  return state.design;
}

/** @returns {Model} */
export function openModel() {
  if (!state.model) throw new Refusal("The server has no model: start it with one.");
  return state.model;
}

/** @returns {Job} */
export function openJob() {
  if (!state.job) throw new Refusal("No round is on its way.");
  return state.job;
}

/** @param {string} id @returns {DesignNode} */
export function knownNode(id) {
  const node = state.nodes.get(id);
  if (!node) throw new Refusal("This is no longer there.", 404);
  return node;
}

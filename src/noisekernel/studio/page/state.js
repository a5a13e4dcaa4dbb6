// The one place where the page keeps what changes. Parts subscribe; nobody else holds mutable state that others read.

const listeners = new Set();

export const state = {
  online: true,
  models: [],
  model: null, // of the open design, or the one chosen on the start page
  designs: [],
  design: null, // {id, name, model}
  nodes: new Map(), // id -> node, deleted ones left out
  rounds: new Map(), // id -> round
  opinions: new Map(), // node id -> 1 | -1
  present: null, // node id: what the next round starts from
  view: "start", // start | grid | node | compare | paint | walk
  tool: "vary", // vary | paint | taste | walk
  shown: null, // round id on the stage
  compared: [], // two node ids
  picked: new Set(), // node ids
  job: null, // {id, round, task, status, step, steps, position, began}
  frame: null, // the last one of the round on the stage: {round, step, clean, noisy}
  noisy: false,
  taste: null,
  settings: {
    strength: 0.3, taste: 0.5, count: 12, steps: null, beta: null, lag: null, seed: null, readout: null, label: null, onwards: false,
  },
};

let changed = new Set();

/** Change some of the state. Subscribers run once, after the present turn of the event loop's work. */
export function update(patch) {
  Object.assign(state, patch);
  if (changed.size === 0) queueMicrotask(publish);
  for (const key of Object.keys(patch)) changed.add(key);
}

export function settings(patch) {
  update({ settings: { ...state.settings, ...patch } });
}

function publish() {
  const keys = changed;
  changed = new Set();
  for (const [watched, run] of listeners) if (watched.some((key) => keys.has(key))) run();
}

/** Run now, and again whenever one of `keys` changed. */
export function watch(keys, run) {
  listeners.add([keys, run]);
  run();
}

export const present = () => state.nodes.get(state.present) ?? null;
export const opinion = (id) => state.opinions.get(id) ?? 0;
export const running = () => state.job !== null && ["waiting", "running"].includes(state.job.status);
/** Candidates of a round, in order. */
export const candidates = (round) =>
  [...state.nodes.values()].filter((node) => node.round === round).sort((a, b) => a.index - b.index);

// The open design: reading it, and changes to it as a whole. The server's copy is the truth; the store mirrors it.

/** @import { Design, DesignAnswer, DesignNode, State, Summary } from "./types.js" */

import { get } from "./api.js";
import { patch, post, remove, settled } from "./changes.js";
import { forget, remember } from "./doing.js";
import { openDesign, openModel, state, update } from "./state.js";
import { toast, told } from "./toast.js";

// Tabs of one browser tell one another; another browser's changes come when the page is looked at again.
const others = new BroadcastChannel("noisekernel-studio");
others.onmessage = (/** @type {MessageEvent<string>} */ { data }) => state.design?.id === data && told(refresh)();
/** @param {string} design */
export const announce = (design) => others.postMessage(design);

export const inHash = () => location.hash.match(/^#d=([\w-]+)$/)?.[1] ?? null;

/** @typedef {Pick<State, "model" | "nodes" | "rounds" | "opinions"> & { design: Design }} Mirror */

/** @template {{ id: string }} T @param {T[]} all @returns {Map<string, T>} */
const byId = (all) => new Map(all.map((one) => [one.id, one]));

/** @param {DesignAnswer} answer @returns {Mirror} */
function mirror(answer) {
  const { nodes, rounds, opinions, ...design } = answer;
  return {
    design,
    model: state.models.find((model) => model.id === design.model) ?? null,
    nodes: byId(nodes.filter((node) => !node.deleted)),
    rounds: byId(rounds),
    opinions: new Map(Object.entries(opinions)),
  };
}

/**
 * A design comes with its kept nodes and the candidates of its latest round; those of another round are asked for.
 * @template {Pick<Mirror, "design" | "rounds" | "nodes">} T
 * @param {T} fresh
 * @param {string | null} round
 * @returns {Promise<T>}
 */
async function withCandidates(fresh, round) {
  if (!round || round === fresh.design.latest || fresh.rounds.get(round)?.status !== "done") return fresh;
  const { nodes } = await get(`/rounds/${round}`);
  for (const node of nodes) fresh.nodes.set(node.id, node);
  return fresh;
}

/** Put a round of the past on the stage. @param {string} id */
export async function showRound(id) {
  const design = openDesign();
  /** @type {Map<string, DesignNode>} */
  const none = new Map();
  const { nodes } = await settled(() => withCandidates({ design, rounds: state.rounds, nodes: none }, id));
  if (state.design?.id === design.id) update({ nodes: new Map([...state.nodes, ...nodes]), shown: id, view: "grid" });
}

// Whoever asks for another place before the answer is there goes there, not here.
let visits = 0;

/** Open a design: its present node and its latest round come back to where they were. @param {string} id */
export async function open(id) {
  const mine = ++visits;
  const fresh = mirror(await settled(() => get(`/designs/${id}`)));
  if (mine !== visits) return;
  const at = presentOf(fresh);
  if (inHash() !== id) history.pushState(null, "", `#d=${id}`);
  const same = state.design?.id === id;
  if (!same) (forget(), scrollTo(0, 0)); // a phone's page scrolls: another design begins at its top
  // The newest round, even one that did not end: it can be run again.
  const round = [...fresh.rounds.values()].filter((one) => one.task !== "walk").at(-1);
  /** @type {Partial<State>} */
  const place = {
    present: at, view: round ? "grid" : at ? "node" : "start", tool: "vary", shown: round?.id ?? null,
    picked: new Set(), compared: [],
  };
  update({ ...fresh, ...place, ...(same ? {} : { frame: null, job: null }) });
  document.title = `${fresh.design.name} · noisekernel studio`;
}

/** The present node, if it is still there. @param {Mirror} fresh */
function presentOf({ design: { present }, nodes }) {
  return present && nodes.has(present) ? present : null;
}

/** @type {Promise<unknown>} */
let reading = Promise.resolve();

/** Read it again, without moving the person. One after another: an older answer never comes last. */
export function refresh() {
  reading = reading.catch(() => {}).then(readAgain);
  return reading;
}

/** @returns {Promise<void>} */
async function readAgain() {
  const id = state.design?.id;
  if (!id) return;
  const { shown } = state;
  const fresh = await settled(async () => withCandidates(mirror(await get(`/designs/${id}`)), state.shown));
  if (state.design?.id !== id) return;
  if (state.shown !== shown) return readAgain();
  /** @type {Partial<State>} */
  const kept = { picked: new Set([...state.picked].filter((one) => fresh.nodes.has(one))) };
  if (!state.present || !fresh.nodes.has(state.present)) {
    kept.present = presentOf(fresh);
    if (!kept.present && state.view === "node") kept.view = state.shown ? "grid" : "start";
  }
  update({ ...fresh, ...kept });
}

const PAGE = 100;

let lists = 0;

export async function list() {
  const mine = ++lists;
  const designs = await settled(async () => {
    /** @type {Summary[]} */
    const all = [];
    for (let more = PAGE; more === PAGE; ) {
      const found = await get(`/designs?offset=${all.length}&limit=${PAGE}`);
      all.push(...found);
      more = found.length;
    }
    return all;
  });
  if (mine === lists) update({ designs });
}

export async function create(name = "Untitled") {
  const made = await post("/designs", { name, model: openModel().id });
  await open(made.id);
  return made;
}

export function leave() {
  visits += 1;
  forget();
  if (inHash()) history.pushState(null, "", location.pathname);
  document.title = "noisekernel studio";
  update({
    design: null, nodes: new Map(), rounds: new Map(), opinions: new Map(), present: null,
    view: "start", tool: "vary", shown: null, picked: new Set(), job: null, frame: null,
  });
  return list();
}

/** @param {string} name */
export async function rename(name) {
  const { id, name: before } = openDesign();
  if (!name.trim() || name === before) return;
  await patch(`/designs/${id}`, { name });
  if (state.design?.id !== id) return; // left meanwhile
  update({ design: { ...state.design, name } });
  document.title = `${name} · noisekernel studio`;
  announce(id);
}

/** @param {string} id */
export async function removeDesign(id) {
  const name = state.designs.find((one) => one.id === id)?.name ?? state.design?.name;
  const away = async () => {
    await remove(`/designs/${id}`);
    if (state.design?.id === id) await leave();
    else await list();
  };
  const restore = async () => {
    await post(`/designs/${id}/restore`);
    await list();
  };
  await away();
  remember(`deleting the design ${name}`, restore, away);
  // Whatever is open by then.
  toast(`Deleted the design ${name}.`, { action: { label: "Undo", run: told(restore) } });
}

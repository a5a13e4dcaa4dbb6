// Every change to a node of the open design: shown at once, then sent, and told to be wrong if the server says so.

/** @import { DesignNode, ViewName } from "./types.js" */

import { get } from "./api.js";
import { patch, post, put, remove, settled } from "./changes.js";
import { announce, refresh } from "./design.js";
import { act, undo } from "./doing.js";
import { statusOf } from "./refusal.js";
import { knownNode, nodeAt, opinion, openDesign, state, update } from "./state.js";
import { toast } from "./toast.js";

/** @typedef {Partial<Pick<DesignNode, "kept" | "starred" | "name">>} NodeChange */

/**
 * A candidate of a round that is no longer on the stage comes back as it was known.
 * @param {DesignNode} node
 * @param {NodeChange} changes
 */
function changeLocally(node, changes) {
  const nodes = new Map(state.nodes);
  nodes.set(node.id, { ...node, ...nodes.get(node.id), ...changes });
  update({ nodes });
}

/**
 * What was shown before the server was asked: where it says no, all is as it says.
 * @param {Promise<unknown>} sending
 */
async function confirmed(sending) {
  const design = openDesign().id;
  try {
    await sending;
  } catch (error) {
    await refresh();
    throw error;
  }
  announce(design);
}

/** @param {DesignNode} node @param {NodeChange} changes */
function change(node, changes) {
  changeLocally(node, changes);
  return confirmed(patch(`/nodes/${node.id}`, changes));
}

/**
 * Take a node out of the tree again unless it was in it when it was as given; one that a round was made of stays.
 * @param {DesignNode} before
 */
async function unkeep({ id, kept }) {
  const node = nodeAt(id);
  if (kept || !node?.kept) return;
  try {
    await change(node, { kept: false });
  } catch (error) {
    const status = statusOf(error) ?? 0;
    if (status < 400 || status >= 500) throw error;
  }
}

/**
 * Stand at a node. Nothing is lost by going anywhere: the tree keeps all.
 * @param {string | null} id
 * @param {{ view?: ViewName | null }} [options]
 */
export async function goTo(id, { view = null } = {}) {
  const { present } = state;
  const design = openDesign();
  update({ present: id, ...(view ? { view } : {}) });
  try {
    await patch(`/designs/${design.id}`, { present: id });
  } catch (error) {
    if (state.design?.id === design.id && state.present === id) update({ present });
    throw error;
  }
}

/** Make a candidate the parent of the next round. @param {string} id */
export async function choose(id) {
  const node = knownNode(id);
  const before = state.present;
  if (before === id && node.kept) return;
  const keep = () => {
    changeLocally(node, { kept: true });
    return confirmed(goTo(id)); // which keeps it
  };
  await act("the choice", keep, () => Promise.all([unkeep(node), goTo(nodeAt(before)?.id ?? null)]));
}

/** @param {string} id */
export async function star(id) {
  const node = knownNode(id);
  const { starred } = node;
  const turn = () => change(node, starred ? { starred: false } : { starred: true, kept: true });
  const back = () => Promise.all([change(node, { starred }), unkeep(node)]);
  await act(starred ? "taking the star away" : "the star", turn, back);
}

/** @param {string} id @param {string} name */
export async function nameNode(id, name) {
  const node = knownNode(id);
  const before = node.name ?? "";
  if (name === before) return;
  const set = () => change(node, { name, ...(name ? { kept: true } : {}) });
  await act("the name", set, () => Promise.all([change(node, { name: before }), unkeep(node)]));
}

/** @param {string} id @param {1 | -1} value */
export async function setOpinion(id, value) {
  const before = opinion(id);
  const node = knownNode(id);
  /** @param {number} wanted */
  const apply = async (wanted) => {
    const opinions = new Map(state.opinions);
    if (wanted) opinions.set(id, wanted);
    else opinions.delete(id);
    update({ opinions });
    if (wanted) changeLocally(node, { kept: true });
    await confirmed(put(`/nodes/${id}/opinion`, { value: wanted }));
    await readTaste();
  };
  const wanted = before === value ? 0 : value;
  await act("the opinion", () => apply(wanted), () => Promise.all([apply(before), unkeep(node)]));
}

export async function readTaste() {
  const id = state.design?.id;
  if (!id) return;
  const taste = await settled(() => get(`/designs/${id}/taste`));
  if (state.design?.id === id) update({ taste });
}

/** @param {string} id */
function withDescendants(id) {
  const all = new Set([id]);
  for (let size = 0; size !== all.size; ) {
    size = all.size;
    for (const node of state.nodes.values()) if (node.parent && all.has(node.parent)) all.add(node.id);
  }
  return all;
}

/** Delete a node with all that came of it; softly, so that it can be taken back. @param {string} id */
export async function removeNode(id) {
  /** @type {DesignNode[]} */
  let gone = [];
  const doing = async () => {
    const { present, view: before } = state;
    const design = openDesign();
    const { parent } = knownNode(id);
    gone = [...withDescendants(id)].map(knownNode);
    const nodes = new Map(state.nodes);
    for (const one of gone) nodes.delete(one.id);
    update({ nodes, picked: new Set([...state.picked].filter((one) => nodes.has(one))) });
    const sending = [remove(`/nodes/${id}`)];
    const next = parent && nodes.has(parent) ? parent : null;
    /** @type {ViewName | null} */
    const view = next ? "node" : state.view === "node" ? (state.shown ? "grid" : "start") : null;
    if (!present || !nodes.has(present)) sending.push(goTo(next, { view }));
    try {
      await confirmed(Promise.all(sending));
    } catch (error) {
      // Refused, as while a round is made of it: back to where one stood.
      if (state.design?.id === design.id && nodeAt(present)) await goTo(present, { view: before });
      throw error;
    }
  };
  const entry = await act("the deletion", doing, () => {
    const nodes = new Map(state.nodes);
    for (const one of gone) nodes.set(one.id, one);
    update({ nodes });
    return confirmed(Promise.all([post(`/nodes/${id}/restore`), goTo(id, { view: "node" })]));
  });
  const kept = gone.filter((one) => one.kept).length;
  const words = kept > 1 ? `Deleted it and ${kept - 1} that came of it.` : "Deleted.";
  toast(words, { action: { label: "Undo", run: () => undo(entry) } });
}

/** @param {string} id */
export function pick(id) {
  const picked = new Set(state.picked);
  if (!picked.delete(id)) picked.add(id);
  update({ picked });
}

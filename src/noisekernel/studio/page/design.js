// The open design: reading it, and every change to it. The server's copy is the truth; the store mirrors it.

import { get } from "./api.js";
import { patch, post, put, remove, settled } from "./changes.js";
import { state, update } from "./state.js";
import { toast, told } from "./toast.js";
import { act, forget, remember, undo } from "./undo.js";

// Tabs of one browser tell one another; another browser's changes come when the page is looked at again.
const others = new BroadcastChannel("noisekernel-studio");
others.onmessage = ({ data }) => state.design?.id === data && told(refresh)();
export const announce = (design) => others.postMessage(design);

export const inHash = () => location.hash.match(/^#d=([\w-]+)$/)?.[1] ?? null;

function mirror(answer) {
  const { nodes, rounds, opinions, present, latest, ...design } = answer;
  const byId = (list) => new Map(list.map((one) => [one.id, one]));
  return {
    design: { ...design, latest, present },
    model: state.models.find((model) => model.id === design.model) ?? null,
    nodes: byId(nodes.filter((node) => !node.deleted)),
    rounds: byId(rounds),
    opinions: new Map(Object.entries(opinions)),
  };
}

/** A design comes with its kept nodes and the candidates of its latest round; those of another round are asked for. */
async function withCandidates(fresh, round) {
  if (!round || round === fresh.design.latest || fresh.rounds.get(round)?.status !== "done") return fresh;
  const { nodes } = await get(`/rounds/${round}`);
  for (const node of nodes) fresh.nodes.set(node.id, node);
  return fresh;
}

/** Put a round of the past on the stage. */
export async function showRound(id) {
  const design = state.design.id;
  const { nodes } = await settled(() => withCandidates({ design: state.design, rounds: state.rounds, nodes: new Map() }, id));
  if (state.design?.id === design) update({ nodes: new Map([...state.nodes, ...nodes]), shown: id, view: "grid" });
}

// Whoever asks for another place before the answer is there goes there, not here.
let visits = 0;

/** Open a design: its present node and its latest round come back to where they were. */
export async function open(id) {
  const mine = ++visits;
  const fresh = mirror(await settled(() => get(`/designs/${id}`)));
  if (mine !== visits) return;
  const at = fresh.nodes.has(fresh.design.present) ? fresh.design.present : null;
  if (inHash() !== id) history.pushState(null, "", `#d=${id}`);
  const same = state.design?.id === id;
  if (!same) (forget(), scrollTo(0, 0)); // a phone's page scrolls: another design begins at its top
  // The newest round, even one that did not end: it can be run again.
  const round = [...fresh.rounds.values()].filter((one) => one.task !== "walk").at(-1);
  const view = round ? "grid" : at ? "node" : "start";
  const place = { present: at, view, tool: "vary", shown: round?.id ?? null, picked: new Set(), compared: [] };
  update({ ...fresh, ...place, ...(same ? {} : { frame: null, job: null }) });
  document.title = `${fresh.design.name} · noisekernel studio`;
}

let reading = Promise.resolve();

/** Read it again, without moving the person. One after another: an older answer never comes last. */
export function refresh() {
  reading = reading.catch(() => {}).then(readAgain);
  return reading;
}

async function readAgain() {
  const id = state.design?.id;
  if (!id) return;
  const { shown } = state;
  const fresh = await settled(async () => withCandidates(mirror(await get(`/designs/${id}`)), state.shown));
  if (state.design?.id !== id) return;
  if (state.shown !== shown) return readAgain();
  const kept = { picked: new Set([...state.picked].filter((one) => fresh.nodes.has(one))) };
  if (!fresh.nodes.has(state.present)) kept.present = fresh.nodes.has(fresh.design.present) ? fresh.design.present : null;
  if (!kept.present && state.view === "node" && "present" in kept) kept.view = state.shown ? "grid" : "start";
  update({ ...fresh, ...kept });
}

const PAGE = 100;

let lists = 0;

export async function list() {
  const mine = ++lists;
  const designs = await settled(async () => {
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
  const made = await post("/designs", { name, model: state.model.id });
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

export async function rename(name) {
  const { id, name: before } = state.design;
  if (!name.trim() || name === before) return;
  await patch(`/designs/${id}`, { name });
  if (state.design?.id !== id) return; // left meanwhile
  update({ design: { ...state.design, name } });
  document.title = `${name} · noisekernel studio`;
  announce(id);
}

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
  toast(`Deleted the design ${name}.`, { action: { label: "Undo", run: told(restore) } }); // whatever is open by then
}

// Nodes

/** A candidate of a round that is no longer on the stage comes back as it was known. */
function changeLocally(node, changes) {
  const nodes = new Map(state.nodes);
  nodes.set(node.id, { ...node, ...nodes.get(node.id), ...changes });
  update({ nodes });
}

/** What was shown before the server was asked: where it says no, all is as it says. */
async function confirmed(sending) {
  const design = state.design.id;
  try {
    await sending;
  } catch (error) {
    await refresh();
    throw error;
  }
  announce(design);
}

function change(node, changes) {
  changeLocally(node, changes);
  return confirmed(patch(`/nodes/${node.id}`, changes));
}

/** Take a node out of the tree again unless it was in it when it was as given; one that a round was made of stays. */
async function unkeep({ id, kept }) {
  if (kept || !state.nodes.get(id)?.kept) return;
  try {
    await change(state.nodes.get(id), { kept: false });
  } catch (error) {
    if (!(error.status >= 400 && error.status < 500)) throw error;
  }
}

/** Stand at a node. Nothing is lost by going anywhere: the tree keeps all. */
export async function goTo(id, { view = null } = {}) {
  const { design, present } = state;
  update({ present: id, ...(view ? { view } : {}) });
  try {
    await patch(`/designs/${design.id}`, { present: id });
  } catch (error) {
    if (state.design?.id === design.id && state.present === id) update({ present });
    throw error;
  }
}

/** Make a candidate the parent of the next round. */
export async function choose(id) {
  const node = state.nodes.get(id);
  const before = state.present;
  if (before === id && node.kept) return;
  const keep = () => {
    changeLocally(node, { kept: true });
    return confirmed(goTo(id)); // which keeps it
  };
  await act("the choice", keep, () => Promise.all([unkeep(node), goTo(state.nodes.has(before) ? before : null)]));
}

export async function star(id) {
  const node = state.nodes.get(id);
  const { starred } = node;
  const turn = () => change(node, starred ? { starred: false } : { starred: true, kept: true });
  const back = () => Promise.all([change(node, { starred }), unkeep(node)]);
  await act(starred ? "taking the star away" : "the star", turn, back);
}

export async function nameNode(id, name) {
  const node = state.nodes.get(id);
  const before = node.name ?? "";
  if (name === before) return;
  const set = () => change(node, { name, ...(name ? { kept: true } : {}) });
  await act("the name", set, () => Promise.all([change(node, { name: before }), unkeep(node)]));
}

export async function setOpinion(id, value) {
  const before = state.opinions.get(id) ?? 0;
  const node = state.nodes.get(id);
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

function withDescendants(id) {
  const all = new Set([id]);
  for (let size = 0; size !== all.size; ) {
    size = all.size;
    for (const node of state.nodes.values()) if (all.has(node.parent)) all.add(node.id);
  }
  return all;
}

/** Delete a node with all that came of it; softly, so that it can be taken back. */
export async function removeNode(id) {
  let gone = [];
  const doing = async () => {
    const { design, present, view: before } = state;
    const { parent } = state.nodes.get(id);
    gone = [...withDescendants(id)].map((one) => state.nodes.get(one));
    const nodes = new Map(state.nodes);
    for (const one of gone) nodes.delete(one.id);
    update({ nodes, picked: new Set([...state.picked].filter((one) => nodes.has(one))) });
    const sending = [remove(`/nodes/${id}`)];
    const next = nodes.has(parent) ? parent : null;
    const view = next ? "node" : state.view === "node" ? (state.shown ? "grid" : "start") : null;
    if (!nodes.has(present)) sending.push(goTo(next, { view }));
    try {
      await confirmed(Promise.all(sending));
    } catch (error) {
      // Refused, as while a round is made of it: back to where one stood.
      if (state.design?.id === design.id && state.nodes.has(present)) await goTo(present, { view: before });
      throw error;
    }
  };
  const entry = await act("the deletion", doing, () => {
    update({ nodes: new Map([...state.nodes, ...gone.map((one) => [one.id, one])]) });
    return confirmed(Promise.all([post(`/nodes/${id}/restore`), goTo(id, { view: "node" })]));
  });
  const kept = gone.filter((one) => one.kept).length;
  const words = kept > 1 ? `Deleted it and ${kept - 1} that came of it.` : "Deleted.";
  toast(words, { action: { label: "Undo", run: () => undo(entry) } });
}

export function pick(id) {
  const picked = new Set(state.picked);
  if (!picked.delete(id)) picked.add(id);
  update({ picked });
}

const KINDS = {
  upload: "your picture",
  example: "an example",
  sample: "new sample",
  vary: "variant",
  inpaint: "painted anew",
  steer: "towards taste",
  walk: "frame of a walk",
};

/** What a person would call it. */
export function title(node) {
  if (!node) return "nothing yet";
  if (node.name) return node.name;
  const kind = KINDS[node.task] ?? node.task;
  return node.round && node.task !== "walk" ? `${kind} ${node.index + 1}` : kind;
}

// The page: its parts put together, its keys, and how it comes back after a reload.

import { get, keepWatch, onReturn } from "./lib/api.js";
import { sendAgain } from "./lib/changes.js";
import { inHash, leave, list, open, refresh } from "./lib/design.js";
import { redo, undo } from "./lib/doing.js";
import { find } from "./lib/dom.js";
import { keys } from "./lib/keys.js";
import { pick, removeNode, setOpinion, star } from "./lib/nodes.js";
import { sentenceOf } from "./lib/refusal.js";
import { running, settings, state, update, watch } from "./lib/state.js";
import { restore } from "./lib/theme.js";
import { makeRoom, toast, told } from "./lib/toast.js";
import { closeCompare, compareView, compareWith } from "./tools/compare.js";
import { vary } from "./tools/generate.js";
import { cancel } from "./tools/jobs.js";
import { painter } from "./tools/paint.js";
import { saveNode } from "./tools/takeaway.js";
import { walker, walking } from "./tools/walk.js";
import { bring, dress, unshown, viewer } from "./viewers/index.js";
import { controls, useTool } from "./views/controls.js";
import { grid } from "./views/grid.js";
import { head } from "./views/head.js";
import { sheet } from "./views/keysheet.js";
import { nodeView } from "./views/node.js";
import { selection } from "./views/selection.js";
import { stage } from "./views/stage.js";
import { startView } from "./views/start.js";
import { tree } from "./views/tree.js";

restore();
dress();
makeRoom();
/** @param {string} id */
const place = (id) => find(document, `#${id}`);
const paint = painter();
const walk = walker();
const cells = grid();
const start = startView();
const views = {
  start: start.element,
  grid: cells.element,
  node: nodeView(),
  compare: compareView(),
  paint: paint.element,
  walk: walk.element,
};
stage(place("stage"), views, selection());
const hand = controls(place("controls"), paint, walk);
const history = tree(place("history"));
head(place("head"));

/** @param {() => unknown} run */
const inGrid = (run) => state.view === "grid" && run();
/** The candidate under the hand, or the present node. */
const meant = () => (state.view === "grid" && cells.meant()?.id) || state.present;
/** @param {(id: string) => unknown} run */
const about = (run) => told(async () => {
  const id = meant();
  if (id) await run(id);
});
const back = () => (state.view === "paint" ? paint.undo() : undo());
const again = () => (state.view === "paint" ? paint.redo() : redo());
/** @param {KeyboardEvent} event */
const arrow = (event) => (state.view === "grid" && cells.move(event.key)) || history.move(event.key);

keys({
  ...Object.fromEntries(Array.from({ length: 9 }, (_, at) => [String(at + 1), () => inGrid(() => cells.choose(at))])),
  Enter: () => inGrid(cells.enter),
  g: () => (state.view === "start" ? start.go() : hand.go()),
  m: told(async () => state.picked.size && vary([...state.picked])),
  s: () => (walking() ? walk.save() : about(star)()),
  l: about((id) => setOpinion(id, 1)),
  d: about((id) => setOpinion(id, -1)),
  x: about(pick),
  c: compareWith,
  z: back,
  "Ctrl+z": back,
  y: again,
  "Ctrl+y": again,
  "Ctrl+Shift+z": again,
  b: () => useTool("paint"),
  q: () => useTool("vary"),
  t: () => useTool("taste"),
  w: () => useTool("walk"),
  v: () => update({ noisy: !state.noisy }),
  i: () => state.view === "paint" && paint.invert(),
  "[": () => paint.turn("size", -1),
  "]": () => paint.turn("size", 1),
  r: () => walk.record(),
  h: told(async () => state.model && viewer().listen?.(state.model, meant())),
  " ": () => (state.tool === "walk" ? walk.toggle() : undefined),
  n: () => state.design && update({ view: "start" }),
  p: () => saveNode(),
  "+": () => hand.turn(0.05),
  "=": () => hand.turn(0.05),
  "-": () => hand.turn(-0.05),
  "?": sheet,
  Delete: told(async () => state.present && removeNode(state.present)),
  F2: () => find(document, ".inspector .name").focus(),
  Escape: escape,
  ArrowUp: arrow,
  ArrowDown: arrow,
  ArrowLeft: arrow,
  ArrowRight: arrow,
});

/** One thing at a time: what runs, what lies on top, what is picked, where one is. */
function escape() {
  if (running()) cancel();
  else if (state.view === "compare") closeCompare();
  else if (state.view === "grid" && cells.leave()) return;
  else if (state.picked.size) update({ picked: new Set() });
  else if (state.view === "paint" || state.tool === "walk") useTool("vary");
  else if (state.view === "start" && state.design && (state.shown || state.present))
    update({ view: state.shown ? "grid" : "node" });
}

/** What the address says is what is open. */
async function visit() {
  const id = inHash();
  if (!id) return leave();
  try {
    await open(id);
  } catch (error) {
    toast(sentenceOf(error), { kind: "error" });
    await leave();
  }
}

const boot = told(async () => {
  await sendAgain();
  const models = await get("/models");
  await bring(models);
  update({ models, model: models[0] ?? null });
  await visit();
  document.body.classList.add("ready");
});

watch(["model"], () => {
  const why = unshown(state.model);
  if (why) toast(why, { kind: "error" });
});

// The dials stay as they were left, in this browser.
const KEPT = "nk-settings";
try {
  settings(JSON.parse(localStorage.getItem(KEPT) ?? "{}"));
} catch {
  localStorage.removeItem(KEPT);
}
watch(["settings"], () => localStorage.setItem(KEPT, JSON.stringify({ ...state.settings, seed: null, label: null })));

addEventListener("popstate", told(async () => (inHash() ?? undefined) !== state.design?.id && visit()));
document.addEventListener("visibilitychange", () => document.hidden || told(state.design ? refresh : list)());
onReturn(() => (document.body.classList.contains("ready") ? state.design || told(list)() : boot()));
keepWatch();
boot();

// The page: its parts put together, its keys, and how it comes back after a reload.

import { get, keepWatch, onReturn } from "./api.js";
import { sendAgain } from "./changes.js";
import { closeCompare, compareView } from "./compare.js";
import { controls, useTool } from "./controls.js";
import { inHash, leave, list, open, pick, refresh, removeNode, setOpinion, star } from "./design.js";
import { vary } from "./generate.js";
import { grid } from "./grid.js";
import { head } from "./head.js";
import { compareWith, savePicture } from "./inspector.js";
import { cancel } from "./jobs.js";
import { keys, sheet } from "./keys.js";
import { nodeView } from "./nodeview.js";
import { painter } from "./paint.js";
import { selection } from "./selection.js";
import { stage } from "./stage.js";
import { startView } from "./start.js";
import { running, settings, state, update, watch } from "./state.js";
import { restore } from "./theme.js";
import { toast, told } from "./toast.js";
import { tree } from "./tree.js";
import { redo, undo } from "./undo.js";
import { walker, walking } from "./walk.js";

restore();
const place = (id) => document.getElementById(id);
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

const inGrid = (run) => state.view === "grid" && run();
/** The candidate under the hand, or the present node. */
const meant = () => (state.view === "grid" && cells.meant()?.id) || state.present;
const about = (run) => told(async () => meant() && run(meant()));
const back = () => (state.view === "paint" ? paint.undo() : undo());
const again = () => (state.view === "paint" ? paint.redo() : redo());
const arrow = (event) => (state.view === "grid" && cells.move(event.key)) || history.move(event.key);

keys({
  ...Object.fromEntries(Array.from({ length: 9 }, (_, at) => [String(at + 1), () => inGrid(() => cells.choose(at))])),
  Enter: () => inGrid(cells.enter),
  g: () => (state.view === "start" ? start.go() : hand.go()),
  m: told(() => state.picked.size && vary([...state.picked])),
  s: () => (walking() ? walk.save() : about(star)()),
  l: about((id) => setOpinion(id, 1)),
  d: about((id) => setOpinion(id, -1)),
  x: about(async (id) => pick(id)),
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
  "[": () => paint.set({ size: Math.max(1, paint.brush.size - 1) }),
  "]": () => paint.set({ size: paint.brush.size + 1 }),
  r: () => walk.record(),
  " ": () => (state.tool === "walk" ? walk.toggle() : undefined),
  n: () => state.design && update({ view: "start" }),
  p: () => savePicture(),
  "+": () => hand.turn(0.05),
  "=": () => hand.turn(0.05),
  "-": () => hand.turn(-0.05),
  "?": sheet,
  Delete: told(() => state.present && removeNode(state.present)),
  F2: () => document.querySelector(".inspector .name")?.focus(),
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
    toast(error.message, { kind: "error" });
    await leave();
  }
}

const boot = told(async () => {
  await sendAgain();
  const models = await get("/models");
  update({ models, model: models[0] ?? null });
  await visit();
  document.body.classList.add("ready");
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

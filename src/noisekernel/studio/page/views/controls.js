// The left hand: which tool, one dial, what the tool needs, and the button that sets the chain going.

/** @import { Painter } from "../tools/paint.js" */
/** @import { Walker } from "../tools/walk.js" */
/** @import { ToolName, ViewName } from "../lib/types.js" */

import { dial } from "../lib/dial.js";
import { find, h, icon, set, switchButton, text } from "../lib/dom.js";
import { wordFor } from "../lib/ring.js";
import { present, running, settings, state, update, watch } from "../lib/state.js";
import { told } from "../lib/toast.js";
import { steer, vary } from "../tools/generate.js";
import { cancel } from "../tools/jobs.js";
import { title } from "../tools/naming.js";
import { paintControls } from "../tools/paint.js";
import { tasteControls } from "../tools/taste.js";
import { walkControls } from "../tools/walkcontrols.js";
import { slot, viewer } from "../viewers/index.js";
import { drawer } from "./expert.js";

/** @type {[tool: ToolName, label: string, icon: string][]} */
const TOOLS = [
  ["vary", "Vary", "vary"], ["paint", "Paint", "brush"], ["taste", "Taste", "heart"], ["walk", "Walk", "walk"],
];
const BOLDNESS = ["subtle", "gentle", "clear", "strong", "bold"];

/** @param {ToolName} tool */
export function useTool(tool) {
  if (tool === "paint" && !viewer().surface) return;
  /** @type {ViewName} */
  const before = ["paint", "walk", "start"].includes(state.view) ? (state.shown ? "grid" : "node") : state.view;
  const view = tool === "paint" || tool === "walk" ? tool : before;
  update({ tool, view: present() ? view : state.view });
}

/**
 * @param {HTMLElement} place
 * @param {Painter} painter
 * @param {Walker} walker
 */
export function controls(place, painter, walker) {
  const strength = dial({
    label: "Strength",
    words: (share) => wordFor(BOLDNESS, share),
    onchange: (share) => settings({ strength: share, beta: null }),
  });
  const from = slot((its, model) => its.thumbnail(model));
  strength.middle.append(from.element);
  const tabs = TOOLS.map(([tool, label, name]) => h("button", {
    type: "button", role: "tab", id: `tab-${tool}`, "data-tool": tool, "aria-controls": "tool",
    onclick: () => useTool(tool),
  }, icon(name), label));
  const taste = tasteControls();
  const panels = {
    vary: varyControls(), paint: paintControls(painter), taste: taste.panel, walk: walkControls(walker),
  };
  const [words, key] = [h("span", {}), h("kbd", {}, "G")];
  const go = h("button", { type: "button", class: "primary go", onclick: press }, words, key);
  const unmeasured = h("p", { class: "soft small panel-note" },
    "Not measured for this model yet: equal turns may not feel equal.");
  const dials = h("div", { class: "dials" }, strength.element, taste.dial);

  function showNote() {
    const measured = state.model?.strength.measured ?? true;
    unmeasured.hidden = measured || !["vary", "taste"].includes(state.tool);
  }

  place.append(
    h("div", { class: "tabs", role: "tablist", "aria-label": "Tool" }, tabs),
    h("div", { class: "scroll", role: "tabpanel", id: "tool" }, dials, unmeasured, Object.values(panels), drawer()),
    h("div", { class: "bottom" }, go),
  );

  const start = told(async () => {
    const parents = state.picked.size ? [...state.picked] : undefined;
    if (state.tool === "paint") await painter.generate();
    else if (state.tool === "taste") await steer(parents);
    else if (state.tool === "walk") await walker.play();
    else await vary(parents);
  });

  function press() {
    return running() ? cancel() : start();
  }

  watch(["tool", "design"], () => {
    for (const tab of tabs) {
      const on = tab.dataset.tool === state.tool;
      set(tab, "aria-selected", String(on));
      set(tab, "tabindex", on ? "0" : "-1");
    }
    for (const [tool, panel] of Object.entries(panels)) panel.hidden = tool !== state.tool;
    set(find(place, "#tool"), "aria-labelledby", `tab-${state.tool}`);
    dials.hidden = state.tool === "paint" || state.tool === "walk";
    taste.dial.hidden = state.tool !== "taste";
    dials.classList.toggle("two", state.tool === "taste");
    showNote();
  });
  watch(["settings"], () => {
    strength.show(state.settings.strength);
    strength.element.classList.toggle("overruled", state.settings.beta !== null);
  });
  watch(["present", "nodes", "model"], () => {
    const node = present();
    const shown = from.made;
    if (shown) shown.element.hidden = !node;
    if (node) shown?.show(node, `Starts from ${title(node)}`);
    for (const tab of tabs) if (tab.dataset.tool === "paint") tab.disabled = !viewer().surface;
    showNote();
  });
  watch(["job", "tool", "picked", "present", "settings", "taste", "online", "view"], () => {
    const active = running();
    const asked = state.job?.task === "walk" ? "End the walk" : "Cancel";
    text(words, active ? asked : wish());
    text(key, active ? "Esc" : "G");
    go.classList.toggle("primary", !active);
    const ready = present() && state.view !== "start" && state.online && (state.tool !== "taste" || state.taste?.ready);
    go.disabled = !active && !ready;
  });

  function wish() {
    if (state.tool === "walk") return "Start the walk";
    const { count } = state.settings;
    if (state.tool === "paint") return `Fill in, ${count} ways`;
    const n = Math.max(count, state.picked.size);
    if (state.tool === "taste") return `${n} to my taste`;
    return state.picked.size ? `${n} more like these` : `Generate ${n}`;
  }

  find(place, ".tabs").addEventListener("keydown", (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    event.stopPropagation();
    const open = tabs.filter((tab) => !tab.disabled);
    const at = open.findIndex((tab) => tab.dataset.tool === state.tool);
    const next = open[(at + by + open.length) % open.length];
    useTool(/** @type {ToolName} */ (next.dataset.tool));
    next.focus();
  });

  return { go: start, turn: strength.turnBy };
}

function varyControls() {
  const onwards = switchButton("Go on as soon as I choose", () => settings({ onwards: !state.settings.onwards }),
    { class: "switch line" });
  watch(["settings"], () => set(onwards, "aria-checked", String(state.settings.onwards)));
  return h("div", { class: "panel" }, onwards);
}

// The left hand: which tool, one dial, what the tool needs, and the button that sets the chain going.

import { picture } from "./api.js";
import { boldness, dial } from "./dial.js";
import { title } from "./design.js";
import { h, icon, set, text } from "./dom.js";
import { drawer } from "./expert.js";
import { steer, vary } from "./generate.js";
import { cancel } from "./jobs.js";
import { paintControls } from "./paint.js";
import { present, running, settings, state, update, watch } from "./state.js";
import { tasteControls } from "./taste.js";
import { told } from "./toast.js";
import { walkControls } from "./walk.js";

const TOOLS = [["vary", "Vary", "vary"], ["paint", "Paint", "brush"], ["taste", "Taste", "heart"], ["walk", "Walk", "walk"]];

export function useTool(tool) {
  const before = ["paint", "walk", "start"].includes(state.view) ? (state.shown ? "grid" : "node") : state.view;
  const view = { paint: "paint", walk: "walk" }[tool] ?? before;
  update({ tool, view: present() ? view : state.view });
}

export function controls(place, painter, walker) {
  const strength = dial({ label: "Strength", words: boldness, onchange: (share) => settings({ strength: share, beta: null }) });
  const from = h("img", { alt: "" });
  strength.middle.append(from);
  const tabs = TOOLS.map(([tool, label, name]) => h("button", {
    type: "button", role: "tab", id: `tab-${tool}`, "data-tool": tool, "aria-controls": "tool", onclick: () => useTool(tool),
  }, icon(name), label));
  const taste = tasteControls();
  const panels = { vary: varyControls(), paint: paintControls(painter), taste: taste.panel, walk: walkControls(walker) };
  const go = h("button", { type: "button", class: "primary go", onclick: press }, h("span", {}), h("kbd", {}, "G"));
  const unmeasured = h("p", { class: "soft small panel-note" }, "Not measured for this model yet: equal turns may not feel equal.");

  const dials = h("div", { class: "dials" }, strength.element, taste.dial);
  const showNote = () => (unmeasured.hidden = !["vary", "taste"].includes(state.tool) || !state.model || state.model.strength.measured);

  place.append(
    h("div", { class: "tabs", role: "tablist", "aria-label": "Tool" }, tabs),
    h("div", { class: "scroll", role: "tabpanel", id: "tool" }, dials, unmeasured, Object.values(panels), drawer()),
    h("div", { class: "bottom" }, go),
  );

  const start = told(async () => {
    if (state.tool === "paint") await painter.generate();
    else if (state.tool === "taste") await steer(state.picked.size ? [...state.picked] : undefined);
    else if (state.tool === "walk") await walker.play();
    else await vary(state.picked.size ? [...state.picked] : undefined);
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
    set(place.querySelector("#tool"), "aria-labelledby", `tab-${state.tool}`);
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
    from.hidden = !node;
    if (node) {
      set(from, "src", picture(node.id));
      set(from, "alt", `Starts from ${title(node)}`);
    }
    from.classList.toggle("pixels", (state.model?.shape.at(-1) ?? 0) <= 64);
    showNote();
  });
  watch(["job", "tool", "picked", "present", "settings", "taste", "online", "view"], () => {
    const active = running();
    text(go.firstChild, active ? (state.job.task === "walk" ? "End the walk" : "Cancel") : label());
    text(go.lastChild, active ? "Esc" : "G");
    go.classList.toggle("primary", !active);
    go.disabled = !active && (!present() || state.view === "start" || !state.online || (state.tool === "taste" && !state.taste?.ready));
  });

  function label() {
    if (state.tool === "walk") return "Start the walk";
    const { count } = state.settings;
    if (state.tool === "paint") return `Fill in, ${count} ways`;
    const n = Math.max(count, state.picked.size);
    if (state.tool === "taste") return `${n} to my taste`;
    return state.picked.size ? `${n} more like these` : `Generate ${n}`;
  }

  place.querySelector(".tabs").addEventListener("keydown", (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    event.stopPropagation();
    const at = (TOOLS.findIndex(([tool]) => tool === state.tool) + by + TOOLS.length) % TOOLS.length;
    useTool(TOOLS[at][0]);
    tabs[at].focus();
  });

  return { go: start, turn: strength.turnBy };
}

function varyControls() {
  const onwards = h("button", {
    type: "button", role: "switch", class: "switch line", onclick: () => settings({ onwards: !state.settings.onwards }),
  }, "Go on as soon as I choose");
  watch(["settings"], () => set(onwards, "aria-checked", String(state.settings.onwards)));
  return h("div", { class: "panel" }, onwards);
}

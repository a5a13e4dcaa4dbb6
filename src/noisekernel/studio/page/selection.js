// What can be done with several pictures: a bar that rises when something is picked.

import { h, icon, iconButton, text } from "./dom.js";
import { vary } from "./generate.js";
import { compareWith } from "./inspector.js";
import { state, update, watch } from "./state.js";
import { sheetOf } from "./takeaway.js";
import { told } from "./toast.js";

export function selection() {
  const count = h("span", {});
  const compare = h("button", { type: "button", onclick: compareWith }, icon("compare"), "Compare");
  const element = h("div", { class: "selection", role: "toolbar", "aria-label": "Picked pictures" },
    count,
    h("button", { type: "button", onclick: told(() => vary([...state.picked])) }, "More like these", h("kbd", {}, "M")),
    compare,
    h("button", { type: "button", onclick: () => sheetOf([...state.picked]) }, icon("save"), "Sheet"),
    iconButton("close", "Pick none", () => update({ picked: new Set() })));
  watch(["picked", "view"], () => {
    element.hidden = state.picked.size === 0 || !["grid", "node"].includes(state.view);
    text(count, `${state.picked.size} picked`);
    compare.disabled = state.picked.size !== 2;
  });
  return element;
}

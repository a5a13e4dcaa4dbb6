// What can be done with several nodes: a bar that rises when something is picked.

import { h, icon, iconButton, set, text } from "../lib/dom.js";
import { state, update, watch } from "../lib/state.js";
import { told } from "../lib/toast.js";
import { compareWith } from "../tools/compare.js";
import { vary } from "../tools/generate.js";
import { sheetOf } from "../tools/takeaway.js";
import { viewer, words } from "../viewers/index.js";

export function selection() {
  const count = h("span", {});
  const compare = h("button", { type: "button", onclick: compareWith }, icon("compare"), "Compare");
  const sheet = h("button", { type: "button", onclick: told(() => sheetOf([...state.picked])) }, icon("save"), "Sheet");
  const more = told(() => vary([...state.picked]));
  const element = h("div", { class: "selection", role: "toolbar" },
    count,
    h("button", { type: "button", onclick: more }, "More like these", h("kbd", {}, "M")),
    compare,
    sheet,
    iconButton("close", "Pick none", () => update({ picked: new Set() })));
  watch(["model"], () => {
    set(element, "aria-label", `Picked ${words().many}`);
    sheet.hidden = !viewer().sheet;
  });
  watch(["picked", "view"], () => {
    element.hidden = state.picked.size === 0 || !["grid", "node"].includes(state.view);
    text(count, `${state.picked.size} picked`);
    compare.disabled = state.picked.size !== 2;
  });
  return element;
}

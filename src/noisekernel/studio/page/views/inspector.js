// What there is to know and do about the present node, under the tree.

import { h, iconButton, set, text } from "../lib/dom.js";
import { nameNode, removeNode, star } from "../lib/nodes.js";
import { present, state, watch } from "../lib/state.js";
import { told } from "../lib/toast.js";
import { compareWith } from "../tools/compare.js";
import { capital, describe, title } from "../tools/naming.js";
import { saveNode } from "../tools/takeaway.js";
import { words } from "../viewers/index.js";

export function inspector() {
  /** @param {(id: string) => unknown} run */
  const ofPresent = (run) => told(async () => state.present && run(state.present));
  const name = h("input", { type: "text", class: "name", maxlength: "200" });
  name.addEventListener("change", ofPresent((id) => nameNode(id, name.value.trim())));
  name.addEventListener("keydown", (event) => event.key === "Enter" && name.blur());
  const starred = iconButton("star", "Star (S)", ofPresent(star));
  const facts = h("p", { class: "soft small facts" });
  const place = h("div", { class: "inspector" }, name, facts,
    h("div", { class: "row" },
      starred,
      iconButton("compare", "Compare with another (C)", compareWith),
      iconButton("save", "Save as a file (P)", () => saveNode()),
      h("span", { class: "grow" }),
      iconButton("trash", "Delete (Delete)", ofPresent(removeNode))));
  watch(["model"], () => set(name, "aria-label", `Name of this ${words().one}`));
  watch(["nodes", "present", "rounds"], () => {
    const node = present();
    place.hidden = !node;
    if (!node) return;
    set(starred, "aria-pressed", String(Boolean(node.starred)));
    if (document.activeElement !== name) name.value = node.name ?? "";
    name.placeholder = `${capital(title({ ...node, name: null }))}: name it`;
    text(facts, describe(node));
    set(facts, "title", node.round ? `seed ${node.seed}` : null);
  });
  return place;
}

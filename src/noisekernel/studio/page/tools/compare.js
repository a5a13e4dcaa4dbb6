// Two nodes side by side, and what differs between them.

/** @import { DesignNode } from "../lib/types.js" */

import { h, iconButton, set, switchButton, text } from "../lib/dom.js";
import { choose } from "../lib/nodes.js";
import { Refusal } from "../lib/refusal.js";
import { nodeAt, present, state, update, watch } from "../lib/state.js";
import { told } from "../lib/toast.js";
import { slot, viewer, words } from "../viewers/index.js";
import { describe, title } from "./naming.js";

export function compareView() {
  const sides = [side(), side()];
  const difference = slot((its, model) => its.difference?.(model) ?? null);
  const hint = h("span", { class: "soft small" });
  const third = h("figure", { class: "side" }, difference.element,
    h("figcaption", {}, h("strong", {}, "Difference"), hint));
  third.hidden = true;
  /** @type {HTMLButtonElement} */
  const differ = switchButton("Difference", () => {
    third.hidden = !third.hidden;
    set(differ, "aria-checked", String(!third.hidden));
    told(show)();
  });
  const element = h("section", { class: "view" },
    h("div", { class: "bar" },
      h("div", { class: "titles" }, h("h2", {}, "Side by side")),
      h("span", { class: "grow" }), differ, iconButton("close", "Close (Esc)", closeCompare)),
    h("div", { class: "room pair" }, sides.map((one) => one.element), third));

  async function show() {
    if (state.view !== "compare") return;
    const [a, b] = state.compared.map(nodeAt);
    if (!a || !b) return closeCompare();
    sides[0].show(a);
    sides[1].show(b);
    if (third.hidden) return;
    text(hint, viewer().differenceHint);
    await difference.made?.show(a, b);
  }
  watch(["view", "compared", "nodes", "present", "model"], told(show));
  watch(["model"], () => {
    set(element, "aria-label", `Two ${words().many} side by side`);
    differ.hidden = !viewer().difference;
    if (differ.hidden) third.hidden = true;
  });
  return element;
}

export function closeCompare() {
  update({ view: state.shown ? "grid" : "node", compared: [] });
}

/** With one more picked: with that one. Otherwise with its parent. */
export const compareWith = told(async () => {
  const picked = [...state.picked];
  const node = present();
  const pair = picked.length >= 2 ? picked.slice(0, 2) : [picked[0] ?? node?.parent, node?.id];
  const ids = pair.flatMap((id) => (id && state.nodes.has(id) ? [id] : []));
  if (new Set(ids).size !== 2)
    throw new Refusal(
      `Pick two ${words().many} to compare: Ctrl-click in the tree, or the tick under a candidate.`,
    );
  update({ compared: ids, view: "compare" });
});

function side() {
  const display = slot((its, model) => its.large(model));
  const name = h("strong", {});
  const facts = h("span", { class: "soft small" });
  /** @type {DesignNode | null} */
  let node = null;
  const take = h("button", { type: "button", onclick: told(async () => node && choose(node.id)) }, "Go on from this");
  const element = h("figure", { class: "side" }, display.element, h("figcaption", {}, name, facts, take));
  /** @param {DesignNode} newNode */
  function show(newNode) {
    node = newNode;
    display.made?.show(node, title(node));
    text(name, title(node));
    text(facts, describe(node));
    const here = node.id === state.present;
    take.disabled = here;
    text(take, here ? "Present" : "Go on from this");
  }
  return { element, show };
}

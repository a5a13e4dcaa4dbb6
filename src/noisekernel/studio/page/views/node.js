// One node, large, and the rounds that were made from it.

/** @import { Round } from "../lib/types.js" */

import { showRound } from "../lib/design.js";
import { h, set, text } from "../lib/dom.js";
import { present, state, watch } from "../lib/state.js";
import { told } from "../lib/toast.js";
import { describe, title } from "../tools/naming.js";
import { slot, words } from "../viewers/index.js";

export function nodeView() {
  const display = slot((its, model) => its.large(model));
  const heading = h("h2", {});
  const facts = h("span", { class: "soft small" });
  const said = h("p", { class: "banner", role: "status" });
  const rounds = h("div", { class: "rounds" });
  const element = h("section", { class: "view" },
    h("div", { class: "bar" }, h("div", { class: "titles" }, heading, facts)),
    said, h("div", { class: "room centre" }, display.element), rounds);

  watch(["model"], () => set(element, "aria-label", `The present ${words().one}`));
  watch(["view", "present", "nodes", "rounds", "model"], () => {
    const node = present();
    if (state.view !== "node" || !node) return;
    display.made?.show(node, title(node));
    text(heading, title(node));
    text(facts, describe(node));
    text(said, node.said ?? ""); // of an example of one's own that is unlike what the model knows
    const made = [...state.rounds.values()].filter((round) => isOf(round, node.id)).reverse();
    const own = node.round ? state.rounds.get(node.round) : undefined;
    /** @param {Round} round @param {string} label */
    const link = (round, label) => h("button", { type: "button", onclick: told(() => showRound(round.id)) }, label);
    rounds.replaceChildren(
      ...(own && own.task !== "walk" ? [link(own, "The round it came from")] : []),
      ...made.slice(0, 6).map((round, at) => link(round, `${at ? "Earlier: " : ""}${round.n} ${what(round)} of it`)),
    );
    rounds.hidden = rounds.childElementCount === 0;
  });
  return element;
}

/** @param {Round} round @param {string} id */
const isOf = ({ task, parents }, id) => task !== "walk" && Boolean(parents?.includes(id));

/** @type {Record<string, string>} */
const WORDS = { vary: "variants", fill: "fillings", steer: "towards taste" };

/** @param {Round} round */
function what({ task, settings }) {
  const made = WORDS[task] ?? task;
  return typeof settings?.strength === "number" ? `${made} at ${Math.round(100 * settings.strength)}` : made;
}

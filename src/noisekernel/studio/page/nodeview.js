// One picture, large, and the rounds that were made from it.

import { picture } from "./api.js";
import { showRound, title } from "./design.js";
import { h, set, text } from "./dom.js";
import { describe } from "./inspector.js";
import { enlarge } from "./large.js";
import { present, state, watch } from "./state.js";
import { told } from "./toast.js";

export function nodeView() {
  const image = h("img", { class: "large" });
  const heading = h("h2", {});
  const facts = h("span", { class: "soft small" });
  const said = h("p", { class: "banner", role: "status" });
  const rounds = h("div", { class: "rounds" });
  const element = h("section", { class: "view", "aria-label": "The present picture" },
    h("div", { class: "bar" }, h("div", { class: "titles" }, heading, facts)),
    said, h("div", { class: "room centre" }, image), rounds);

  watch(["view", "present", "nodes", "rounds", "model"], () => {
    const node = present();
    if (state.view !== "node" || !node) return;
    set(image, "src", picture(node.id));
    set(image, "alt", title(node));
    enlarge(image);
    text(heading, title(node));
    text(facts, describe(node));
    text(said, node.said ?? ""); // of a picture of one's own that is unlike what the model knows
    const of = (round) => round.task !== "walk" && round.parents?.includes(node.id);
    const made = [...state.rounds.values()].filter(of).reverse();
    const own = state.rounds.get(node.round);
    const link = (round, words) => h("button", { type: "button", onclick: told(() => showRound(round.id)) }, words);
    rounds.replaceChildren(
      ...(own && own.task !== "walk" ? [link(own, "The round it came from")] : []),
      ...made.slice(0, 6).map((round, at) => link(round, `${at ? "Earlier: " : ""}${round.n} ${kind(round)} of it`)),
    );
    rounds.hidden = rounds.childElementCount === 0;
  });
  return element;
}

function kind({ task, settings }) {
  const words = { vary: "variants", inpaint: "fillings", steer: "towards taste" }[task] ?? task;
  return typeof settings?.strength === "number" ? `${words} at ${Math.round(100 * settings.strength)}` : words;
}

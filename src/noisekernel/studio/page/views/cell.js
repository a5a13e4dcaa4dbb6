// One candidate of a round: its face, and what can be done with it.

/** @import { DesignNode, Frame } from "../lib/types.js" */

import { h, iconButton, set, severally } from "../lib/dom.js";
import { choose, pick, setOpinion, star } from "../lib/nodes.js";
import { openModel, opinion, state } from "../lib/state.js";
import { told } from "../lib/toast.js";
import { vary } from "../tools/generate.js";
import { viewer } from "../viewers/index.js";

/** @typedef {ReturnType<typeof cell>} Cell */

/** @param {number} index @param {boolean} [lined] whether it is a line of a table */
export function cell(index, lined = false) {
  const { live, table } = viewer();
  const display = lined && table ? table.live(openModel()) : live(openModel(), "cell");
  /** @type {DesignNode | null} */
  let node = null;
  const chooseIt = told(async () => {
    if (!node) return;
    await choose(node.id);
    if (state.settings.onwards) await vary();
  });
  const face = h("button", { type: "button", class: "face", onclick: onClick }, display.element);

  /** @param {MouseEvent} event */
  function onClick(event) {
    if (severally(event)) return node && pick(node.id);
    return chooseIt();
  }

  /** @param {string} name @param {string} label @param {(id: string) => unknown} run */
  const act = (name, label, run) =>
    iconButton(name, `${label} candidate ${index + 1}`, told(async () => node && run(node.id)));
  const liked = act("like", "Like", (id) => setOpinion(id, 1));
  const disliked = act("dislike", "Dislike", (id) => setOpinion(id, -1));
  const starred = act("star", "Star", star);
  const picked = act("pick", "Pick", pick);
  picked.classList.add("tick");
  const number = h("span", { class: "number", "aria-hidden": "true" }, String(index + 1));
  const element = h("li", { class: "cell" }, face,
    h("div", { class: "foot" }, number, h("div", { class: "acts" }, liked, disliked, starred, picked)));

  /**
   * The candidate, once it is there; until then, and with its noise, as the frame has it.
   * @param {DesignNode | null} newNode
   * @param {Frame | null} frame
   */
  function show(newNode, frame) {
    node = newNode;
    const chosen = Boolean(node && node.id === state.present);
    element.classList.toggle("chosen", chosen);
    element.classList.toggle("waiting", !node);
    set(face, "aria-pressed", String(chosen));
    const said = [`Candidate ${index + 1}`, node?.name, chosen && "chosen", !node && "on its way"];
    set(face, "aria-label", said.filter(Boolean).join(", "));
    set(face, "aria-disabled", node ? null : "true");
    const judged = node ? opinion(node.id) : 0;
    press(liked, judged === 1);
    press(disliked, judged === -1);
    press(starred, Boolean(node?.starred));
    press(picked, Boolean(node && state.picked.has(node.id)));
    if (frame && (!node || state.noisy)) display.frame(frame.content, index, state.noisy);
    else if (node) display.show(node, "");
  }

  /** @param {HTMLButtonElement} button @param {boolean} on */
  function press(button, on) {
    set(button, "aria-pressed", String(on));
    button.disabled = !node;
  }

  return { element, show, choose: chooseIt, focus: () => face.focus(), node: () => node };
}

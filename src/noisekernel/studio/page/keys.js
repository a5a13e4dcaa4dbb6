// The keyboard: every action of the studio under one key, and the sheet that tells which.

import { h } from "./dom.js";

export const KEYS = [
  ["Choose and go on", [["1 – 9", "choose a candidate"], ["G", "generate the next round"], ["M", "more like the picked ones"], ["Esc", "cancel, close"], ["+ −", "turn the strength dial"]]],
  ["Judge", [["S", "star; in a walk, keep the frame"], ["L", "like"], ["D", "dislike"], ["X", "pick"], ["C", "compare two"]]],
  ["Go through the history", [["↑ ↓", "to the parent, to a child"], ["← →", "among its neighbours"], ["Z", "undo"], ["Delete", "delete, with undo"], ["F2", "name"], ["N", "start from another picture"]]],
  ["Tools", [["Q", "vary"], ["B", "paint"], ["T", "taste"], ["W", "walk"], ["[ ]", "brush size"], ["I", "invert what is painted"]]],
  ["While it walks", [["Space", "play, pause"], ["R", "record a film"], ["V", "show the noisy state"], ["P", "save as PNG"], ["?", "this sheet"]]],
];

/** actions: key -> function; letters without Shift. Keys typed into fields are the field's own. */
export function keys(actions) {
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    // A key that is held turns dials and steps through the tree; it does nothing else twice.
    if (event.repeat && !(event.key.startsWith("Arrow") || "+=-[]".includes(event.key))) return;
    const { target } = event;
    if (document.querySelector("dialog[open]") || target.closest("input:not([type=range]), select, textarea, [role=menu]")) return;
    // Space and Enter on a button are the button's; a range keeps its arrows.
    if ((event.key === " " || event.key === "Enter") && target.closest("button, summary, a")) return;
    if (event.key.startsWith("Arrow") && target.closest("input, [role=slider], [role=tablist]")) return;
    const run = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!run) return;
    event.preventDefault();
    run(event);
  });
}

export function sheet() {
  document.querySelector("dialog.keys")?.remove();
  const close = () => (dialog.close(), dialog.remove());
  const dialog = h("dialog", { class: "keys", "aria-label": "Keys" },
    h("div", { class: "row between" }, h("h2", {}, "Keys"), h("button", { type: "button", class: "quiet", "aria-label": "Close", onclick: close }, "✕")),
    h("div", { class: "groups" }, KEYS.map(([name, lines]) => h("section", {}, h("h3", {}, name), h("dl", {}, lines.map(([key, words]) => h("div", {}, h("dt", {}, key.split(" ").map((one) => (one === "–" ? "–" : h("kbd", {}, one)))), h("dd", {}, words))))))));
  dialog.addEventListener("click", (event) => event.target === dialog && close());
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("keydown", (event) => event.key === "?" && close());
  document.body.append(dialog);
  dialog.showModal();
}

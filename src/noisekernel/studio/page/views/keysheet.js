// The sheet that tells which key does what.

import { h } from "../lib/dom.js";
import { viewer } from "../viewers/index.js";

/** @type {[name: string, lines: [keys: string, words: string][]][]} */
const KEYS = [
  ["Choose and go on", [
    ["1 – 9", "choose a candidate"],
    ["Enter", "among the candidates: arrows, Enter"],
    ["G", "generate the next round"],
    ["M", "more like the picked ones"],
    ["Esc", "cancel, close"],
    ["+ −", "turn the strength dial"],
  ]],
  ["Judge", [
    ["S", "star; in a walk, keep the frame"],
    ["L", "like"],
    ["D", "dislike"],
    ["X", "pick"],
    ["C", "compare two"],
  ]],
  ["Go through the history", [
    ["↑ ↓", "to the parent, to a child"],
    ["← →", "among its neighbours"],
    ["Z", "undo, as Ctrl+Z"],
    ["Y", "redo, as Ctrl+Y and Ctrl+Shift+Z"],
    ["Delete", "delete, with undo"],
    ["F2", "name"],
    ["N", "start from another one"],
  ]],
  ["Tools", [
    ["Q", "vary"],
    ["B", "paint"],
    ["T", "taste"],
    ["W", "walk"],
    ["[ ]", "brush size"],
    ["I", "invert what is painted"],
  ]],
  ["While it walks", [
    ["Space", "play, pause"],
    ["R", "record a film"],
    ["V", "show the noisy state"],
    ["P", "save as a file"],
    ["?", "this sheet"],
  ]],
];

/** Where there is something to hear. @type {[keys: string, words: string]} */
const HEAR = ["H", "hear it, or stop"];

export function sheet() {
  document.querySelector("dialog.keys")?.remove();
  const close = () => (dialog.close(), dialog.remove());
  /** @param {string} key */
  const caps = (key) => key.split(" ").map((one) => (one === "–" ? "–" : h("kbd", {}, one)));
  /** @param {[keys: string, words: string]} line */
  const line = ([key, words]) => h("div", {}, h("dt", {}, caps(key)), h("dd", {}, words));
  /** @type {HTMLDialogElement} */
  const dialog = h("dialog", { class: "keys", "aria-label": "Keys" },
    h("div", { class: "row between" },
      h("h2", {}, "Keys"),
      h("button", { type: "button", class: "quiet", "aria-label": "Close", onclick: close }, "✕")),
    h("div", { class: "groups" },
      KEYS.map(([name, lines]) => {
        const all = name === "Judge" && viewer().listen ? [...lines, HEAR] : lines;
        return h("section", {}, h("h3", {}, name), h("dl", {}, all.map(line)));
      })));
  dialog.addEventListener("click", (event) => event.target === dialog && close());
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("keydown", (event) => event.key === "?" && close());
  document.body.append(dialog);
  dialog.showModal();
}

// The keyboard: every action of the studio under one key, and the sheet that tells which.

import { h } from "./dom.js";

export const KEYS = [
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
    ["N", "start from another picture"],
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
    ["P", "save as PNG"],
    ["?", "this sheet"],
  ]],
];

/** What a pressed key is called in `actions`: letters without Shift; with Ctrl (on a Mac, Command) "Ctrl+z", "Ctrl+Shift+z". */
function nameOf({ key, ctrlKey, metaKey, shiftKey }) {
  const name = key.length === 1 ? key.toLowerCase() : key;
  return ctrlKey || metaKey ? `Ctrl+${shiftKey ? "Shift+" : ""}${name}` : name;
}

/** actions: name of a key -> function. Keys typed into fields are the field's own. */
export function keys(actions) {
  addEventListener("keydown", (event) => {
    if (event.altKey || event.defaultPrevented) return;
    // A key that is held turns dials and steps through the tree; it does nothing else twice.
    if (event.repeat && !(event.key.startsWith("Arrow") || "+=-[]".includes(event.key))) return;
    const { target } = event;
    if (document.querySelector("dialog[open]")) return;
    if (target.closest("input:not([type=range]), select, textarea, [role=menu]")) return;
    // Space and Enter on a button are the button's; a range keeps its arrows.
    if ((event.key === " " || event.key === "Enter") && target.closest("button, summary, a")) return;
    if (event.key.startsWith("Arrow") && target.closest("input, [role=slider], [role=tablist]")) return;
    const run = actions[nameOf(event)];
    if (!run) return;
    event.preventDefault();
    run(event);
  });

  // What the pointer pressed does not keep the focus, or the next Space would press it again. Who came to a button by
  // Tab stays there: such a click counts no presses of the pointer.
  addEventListener("click", (event) => {
    const held = document.activeElement;
    if (!event.detail || !event.composedPath().includes(held)) return;
    if (held.matches("button, summary") && !held.closest("dialog")) held.blur();
  });
}

export function sheet() {
  document.querySelector("dialog.keys")?.remove();
  const close = () => (dialog.close(), dialog.remove());
  const caps = (key) => key.split(" ").map((one) => (one === "–" ? "–" : h("kbd", {}, one)));
  const line = ([key, words]) => h("div", {}, h("dt", {}, caps(key)), h("dd", {}, words));
  const dialog = h("dialog", { class: "keys", "aria-label": "Keys" },
    h("div", { class: "row between" },
      h("h2", {}, "Keys"),
      h("button", { type: "button", class: "quiet", "aria-label": "Close", onclick: close }, "✕")),
    h("div", { class: "groups" },
      KEYS.map(([name, lines]) => h("section", {}, h("h3", {}, name), h("dl", {}, lines.map(line))))));
  dialog.addEventListener("click", (event) => event.target === dialog && close());
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("keydown", (event) => event.key === "?" && close());
  document.body.append(dialog);
  dialog.showModal();
}

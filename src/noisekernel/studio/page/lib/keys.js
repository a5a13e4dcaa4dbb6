// The keyboard: every action of the studio under one key. The sheet of them is views/keysheet.js.

import { targetOf } from "./dom.js";

/**
 * What a pressed key is called in `actions`: letters without Shift; with Ctrl (on a Mac, Command) "Ctrl+z",
 * "Ctrl+Shift+z".
 * @param {Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "shiftKey">} event
 */
export function nameOf({ key, ctrlKey, metaKey, shiftKey }) {
  const name = key.length === 1 ? key.toLowerCase() : key;
  return ctrlKey || metaKey ? `Ctrl+${shiftKey ? "Shift+" : ""}${name}` : name;
}

/**
 * Listen to the keys. Those typed into fields are the field's own.
 * @param {Record<string, (event: KeyboardEvent) => unknown>} actions by the name of a key
 */
export function keys(actions) {
  addEventListener("keydown", (event) => {
    if (event.altKey || event.defaultPrevented) return;
    // A key that is held turns dials and steps through the tree; it does nothing else twice.
    if (event.repeat && !(event.key.startsWith("Arrow") || "+=-[]".includes(event.key))) return;
    const target = targetOf(event);
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
    if (!(held instanceof HTMLElement) || !event.detail || !event.composedPath().includes(held)) return;
    if (held.matches("button, summary") && !held.closest("dialog")) held.blur();
  });
}

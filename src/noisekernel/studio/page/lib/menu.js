// A menu under a button: arrow keys move, Escape closes, a click elsewhere closes.

import { h, icon, targetOf } from "./dom.js";

/** @typedef {{ label: string, hint?: string, run: () => unknown, disabled?: boolean }} Item */

/**
 * `items` are made anew at each opening, and by `refresh` while it is open.
 * @param {string} label
 * @param {() => Item[]} items
 * @param {{ name?: string | null, align?: "left" | "right" }} [options] `name`: of an icon
 */
export function menu(label, items, { name = null, align = "right" } = {}) {
  const list = h("div", { class: `menu ${align}`, role: "menu", "aria-label": label, hidden: true });
  const button = h("button", {
    type: "button", class: "quiet wide", "aria-haspopup": "menu", "aria-expanded": "false",
    onclick: () => (list.hidden ? open() : close()),
  }, name ? icon(name) : null, h("span", {}, label), icon("down"));
  const element = h("div", { class: "menu-place" }, button, list);

  let moved = false; // whether the hand has left the first item

  /** @param {Item} item */
  const entry = ({ label: words, hint, disabled = false, run }) =>
    h("button", { type: "button", role: "menuitem", disabled, onclick: () => (close(), run()) },
      h("span", {}, words), hint && h("span", { class: "soft small" }, hint));
  const enabled = () => /** @type {HTMLElement[]} */ ([...list.querySelectorAll("button:not(:disabled)")]);

  function open() {
    list.replaceChildren(...items().map(entry));
    list.hidden = false;
    moved = false;
    button.setAttribute("aria-expanded", "true");
    enabled()[0]?.focus();
    addEventListener("pointerdown", outside);
  }
  /** What there is to choose from has changed: the focus stays where the hand has put it. */
  function refresh() {
    if (list.hidden) return;
    const held = moved ? document.activeElement?.textContent : null;
    list.replaceChildren(...items().map(entry));
    (enabled().find((one) => one.textContent === held) ?? enabled()[0])?.focus();
  }
  function close() {
    list.hidden = true;
    button.setAttribute("aria-expanded", "false");
    removeEventListener("pointerdown", outside);
  }
  /** @param {Event} event */
  const outside = (event) => element.contains(targetOf(event)) || close();

  element.addEventListener("keydown", (event) => {
    if (list.hidden) return;
    const all = enabled();
    const at = all.findIndex((one) => one === document.activeElement);
    if (event.key === "Escape") (close(), button.focus());
    else if (event.key === "ArrowDown") all[(at + 1) % all.length]?.focus();
    else if (event.key === "ArrowUp") all.at(at - 1)?.focus();
    else return;
    moved = true;
    event.preventDefault();
    event.stopPropagation();
  });
  return { element, button, refresh };
}

// A menu under a button: arrow keys move, Escape closes, a click elsewhere closes.

import { h, icon } from "./dom.js";

/** items(): list of {label, hint?, run, disabled?} or {element}, made anew at each opening. */
export function menu(label, items, { name = null, align = "right" } = {}) {
  const list = h("div", { class: `menu ${align}`, role: "menu", "aria-label": label, hidden: true });
  const button = h("button", { type: "button", class: "quiet wide", "aria-haspopup": "menu", "aria-expanded": "false", onclick: () => (list.hidden ? open() : close()) }, name ? icon(name) : null, h("span", {}, label), icon("down"));
  const element = h("div", { class: "menu-place" }, button, list);

  function open() {
    list.replaceChildren(
      ...items().map((item) =>
        item.element ?? h("button", { type: "button", role: "menuitem", disabled: item.disabled ?? false, onclick: () => (close(), item.run()) }, h("span", {}, item.label), item.hint && h("span", { class: "soft small" }, item.hint)),
      ),
    );
    list.hidden = false;
    button.setAttribute("aria-expanded", "true");
    list.querySelector("button:not(:disabled)")?.focus();
    addEventListener("pointerdown", outside);
  }
  function close() {
    list.hidden = true;
    button.setAttribute("aria-expanded", "false");
    removeEventListener("pointerdown", outside);
  }
  const outside = (event) => element.contains(event.target) || close();

  element.addEventListener("keydown", (event) => {
    if (list.hidden) return;
    const all = [...list.querySelectorAll("button:not(:disabled)")];
    const at = all.indexOf(document.activeElement);
    if (event.key === "Escape") (close(), button.focus());
    else if (event.key === "ArrowDown") all[(at + 1) % all.length]?.focus();
    else if (event.key === "ArrowUp") all.at(at - 1)?.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  return { element, button, close };
}

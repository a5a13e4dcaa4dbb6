// Elements in one line. Styles go through CSSOM, never through attributes: the page's policy forbids those.

import { ICONS } from "./icons.js";

const SVG = "http://www.w3.org/2000/svg";
const DRAWN = new Set(["svg", "path", "circle", "line", "g", "rect", "text"]);

/**
 * @typedef {"svg" | "path" | "circle" | "line" | "g" | "rect" | "text"} Drawn
 * @typedef {HTMLElementTagNameMap & Pick<SVGElementTagNameMap, Drawn>} Tags
 * @typedef {string | Node | null | undefined | false} Child
 * @typedef {{ onclick?: (event: MouseEvent) => unknown, onchange?: (event: Event) => unknown,
 *   oninput?: (event: Event) => unknown, onkeydown?: (event: KeyboardEvent) => unknown, [name: string]: any }} Props
 */

/**
 * An element: h("button", { class: "x", onclick: f, "aria-label": "…" }, children…)
 * @template {keyof Tags} K
 * @param {K} tag
 * @param {Props} [props]
 * @param {...(Child | Child[] | (Child | Child[])[])} children
 * @returns {Tags[K]}
 */
export function h(tag, props = {}, ...children) {
  const made = DRAWN.has(tag) ? document.createElementNS(SVG, tag) : document.createElement(tag);
  const element = /** @type {any} */ (made);
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked" || name === "disabled") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(2).filter((child) => child !== undefined && child !== null && child !== false));
  return element;
}

/**
 * Set an attribute only when it changed, so that screen readers are not told the same thing again.
 * @param {Element} element
 * @param {string} name
 * @param {string | number | boolean | null | undefined} value
 */
export function set(element, name, value) {
  if (value === null || value === undefined || value === false) element.removeAttribute(name);
  else {
    const wanted = value === true ? "" : String(value);
    if (element.getAttribute(name) !== wanted) element.setAttribute(name, wanted);
  }
}

/** @param {Node} element @param {string} words */
export function text(element, words) {
  if (element.textContent !== words) element.textContent = words;
}

/** What is there to be found. @param {ParentNode} place @param {string} selector */
export function find(place, selector) {
  const found = place.querySelector(selector);
  if (!(found instanceof HTMLElement)) throw new Error(`there is no ${selector}`);
  return found;
}

/** The element that an event happened to. @param {Event} event @returns {Element} */
export const targetOf = (event) => (event.target instanceof Element ? event.target : document.body);

/** Whether the hand asked for several: with Ctrl, Command or Shift. @param {MouseEvent} event */
export const severally = (event) => event.ctrlKey || event.metaKey || event.shiftKey;

/** @param {string} name */
export function icon(name) {
  return h("svg", { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true" }, h("path", { d: ICONS[name] }));
}

/**
 * A button that shows an icon and says its name to those who do not see it.
 * @param {string} name
 * @param {string} label
 * @param {(event: MouseEvent) => unknown} onclick
 * @param {Props} [more]
 */
export function iconButton(name, label, onclick, more = {}) {
  const props = { type: "button", class: "quiet", "aria-label": label, title: label, onclick, ...more };
  return h("button", props, icon(name));
}

/**
 * A switch: a button that is on or off.
 * @param {string} label
 * @param {(event: MouseEvent) => unknown} onclick
 * @param {Props} [more]
 */
export function switchButton(label, onclick, more = {}) {
  const props = { type: "button", role: "switch", class: "switch", "aria-checked": "false", onclick, ...more };
  return h("button", props, label);
}

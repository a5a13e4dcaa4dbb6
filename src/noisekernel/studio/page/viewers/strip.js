// A surface whose parts are elements in reading order, such as letters or columns. They are painted on with mouse,
// finger, pen or keys; a drag marks everything from where it began to where it is.

/** @import { Painting } from "./types.js" */

import { h, set } from "../lib/dom.js";
import { Marks } from "../lib/marks.js";

/**
 * Where a key leads from part `at`. Up and down lead to the nearest part of the next line. Pure.
 * @param {string} key
 * @param {number} at
 * @param {{ x: number, y: number }[]} places the middles of the parts
 * @returns {number | null} null: such a key leads nowhere
 */
export function keyed(key, at, places) {
  const last = places.length - 1;
  if (last < 0) return null;
  if (key === "ArrowLeft") return Math.max(0, at - 1);
  if (key === "ArrowRight") return Math.min(last, at + 1);
  if (key === "Home") return 0;
  if (key === "End") return last;
  const way = { ArrowUp: -1, ArrowDown: 1 }[key];
  if (!way) return null;
  const from = places[at];
  const ahead = places.map((place) => way * (place.y - from.y));
  const next = Math.min(...ahead.filter((one) => one > 1));
  const near = (/** @type {number} */ index) => Math.abs(places[index].x - from.x);
  const line = [...places.keys()].filter((index) => Math.abs(ahead[index] - next) <= 1);
  return line.reduce((best, index) => (near(index) < near(best) ? index : best), line[0] ?? at);
}

/**
 * @param {Painting} painting
 * @param {{ class: string, label: string, name: (at: number) => string }} options `name`: what a part is called
 */
export function strip({ brush, changed, say }, { label, name, ...more }) {
  const element = h("div", {
    ...more, tabindex: "0", role: "application", "aria-roledescription": "painting", "aria-label": label,
  });
  /** @type {HTMLElement[]} */
  let parts = [];
  let marks = new Marks(0);
  /** The part under the keys. */
  let at = 0;
  /** Where the stroke is by now. @type {number | null} */
  let stroke = null;

  /** @param {number} from @param {number} to */
  function mark(from, to) {
    marks.cells.fill(brush.kind === "anew" ? 1 : 0, Math.min(from, to), Math.max(from, to) + 1);
    changed();
  }

  /** @param {PointerEvent} event */
  function under({ clientX, clientY }) {
    const found = document.elementFromPoint(clientX, clientY)?.closest("[data-part]");
    return found ? parts.findIndex((part) => part === found) : -1;
  }

  element.addEventListener("pointerdown", (event) => {
    const here = event.button ? -1 : under(event);
    if (here < 0) return;
    element.setPointerCapture(event.pointerId);
    at = stroke = here;
    marks.begin(brush.kind);
    mark(here, here);
  });
  element.addEventListener("pointermove", (event) => {
    const here = stroke === null ? -1 : under(event);
    if (stroke === null || here < 0 || here === stroke) return;
    mark(stroke, here);
    at = stroke = here;
  });
  for (const end of ["pointerup", "pointercancel"]) element.addEventListener(end, () => (stroke = null));
  element.addEventListener("keydown", (event) => {
    const next = keyed(event.key, at, parts.map(middle));
    if (next !== null) {
      at = next;
      say(`${name(at)}${marks.cells[at] ? ", made anew" : ""}.`);
      draw();
    } else if (event.key === " " && parts.length) {
      marks.begin(brush.kind);
      mark(at, at);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });

  function draw() {
    parts.forEach((part, index) => {
      part.classList.toggle("anew", marks.cells[index] === 1);
      part.classList.toggle("at", index === at);
    });
  }

  return {
    element,
    get marks() {
      return marks;
    },
    draw,
    /** Other parts, none of which is marked. @param {HTMLElement[]} made */
    fill(made) {
      parts = made;
      for (const part of parts) set(part, "data-part", true);
      marks = new Marks(parts.length);
      at = 0;
      stroke = null;
      draw();
    },
  };
}

/** @param {HTMLElement} part */
const middle = ({ offsetLeft, offsetTop, offsetWidth, offsetHeight }) =>
  ({ x: offsetLeft + offsetWidth / 2, y: offsetTop + offsetHeight / 2 });

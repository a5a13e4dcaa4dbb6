// A surface whose parts are elements in reading order, such as letters or columns. They are painted on with mouse,
// finger, pen or keys; a drag marks everything from where it began to where it is.

/** @import { Painting, Surface } from "./types.js" */

import { h, set } from "../lib/dom.js";
import { Marks } from "../lib/marks.js";
import { latest } from "./remembered.js";

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
 * What a stroke that begins at part `at` makes of parts: 1 = made anew, 0 = kept. Pure.
 * @param {"anew" | "lock"} brush
 * @param {Marks} marks
 * @param {number} at
 * @param {boolean} toggles
 */
export function madeOf(brush, marks, at, toggles) {
  const wanted = brush === "anew" ? 1 : 0;
  // On what is clean the first lock keeps this part and makes the others anew: that is no taking back.
  return toggles && !marks.empty && marks.cells[at] === wanted ? 1 - wanted : wanted;
}

/**
 * @template T
 * @param {Painting} painting
 * @param {object} kind
 * @param {string} kind.class
 * @param {string} kind.what a node is called in what is said of it, such as "a string"
 * @param {(id: string) => Promise<T>} kind.load the content of a node
 * @param {(content: T) => { element: HTMLElement, name: string }[]} kind.parts of that content
 * @param {(cells: Uint8Array) => string} kind.mask as the server reads it
 * @param {boolean} [kind.toggles] whether a stroke that begins on what it would leave as it is does the opposite
 * @param {Partial<import("./types.js").Brush>} [kind.start] the brush with which each node begins
 * @returns {Surface}
 */
export function strip({ brush, changed, say }, kind) {
  const element = h("div", {
    class: kind.class, tabindex: "0", role: "application", "aria-roledescription": "painting",
  });
  /** @type {{ element: HTMLElement, name: string }[]} */
  let parts = [];
  let marks = new Marks(0);
  /** The part under the keys. */
  let at = 0;
  /** What the stroke makes of parts: 1 = made anew. */
  let making = 1;
  /** Where the stroke is by now. @type {number | null} */
  let stroke = null;
  /** The node that the marks belong to. @type {string | null} */
  let of = null;
  const content = latest(kind.load, (loaded) => {
    fill(kind.parts(loaded));
    changed();
  });

  /** Other parts, none of which is marked. @param {typeof parts} made */
  function fill(made) {
    parts = made;
    marks = new Marks(parts.length);
    at = 0;
    stroke = null;
    element.replaceChildren(...parts.map((part) => part.element));
    element.style.setProperty("--count", String(parts.length));
    draw();
  }

  function draw() {
    parts.forEach((part, index) => {
      part.element.classList.toggle("anew", marks.cells[index] === 1);
      part.element.classList.toggle("at", index === at);
    });
  }

  /** @param {number} from @param {number} to */
  function mark(from, to) {
    marks.cells.fill(making, Math.min(from, to), Math.max(from, to) + 1);
    changed();
  }

  /** A stroke begins at this part. @param {number} here */
  function begin(here) {
    making = madeOf(brush.kind, marks, here, kind.toggles ?? false);
    marks.begin(brush.kind);
    mark(here, here);
  }

  /** The part under the pointer, or -1. @param {PointerEvent} event */
  function under({ clientX, clientY }) {
    const found = document.elementFromPoint(clientX, clientY);
    return parts.findIndex((part) => part.element.contains(found));
  }

  element.addEventListener("pointerdown", (event) => {
    const here = event.button ? -1 : under(event);
    if (here < 0) return;
    element.setPointerCapture(event.pointerId);
    at = stroke = here;
    begin(here);
  });
  element.addEventListener("pointermove", (event) => {
    const here = stroke === null ? -1 : under(event);
    if (stroke === null || here < 0 || here === stroke) return;
    const from = stroke;
    at = stroke = here;
    mark(from, here);
  });
  for (const end of ["pointerup", "pointercancel"]) element.addEventListener(end, () => (stroke = null));
  element.addEventListener("keydown", (event) => {
    const next = keyed(event.key, at, parts.map((part) => middle(part.element)));
    if (next !== null) {
      at = next;
      say(`${parts[at].name}${marks.cells[at] ? ", made anew" : ""}.`);
      parts[at].element.scrollIntoView({ block: "nearest" });
      draw();
    } else if (event.key === " " && parts.length) {
      begin(at);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });

  return {
    element,
    get marks() {
      return marks;
    },
    sliders: [],
    start: kind.start ?? {},
    show({ id }, words) {
      set(element, "aria-label", `${words}, ${kind.what} to paint on. Arrow keys move the brush, space paints.`);
      if (of !== id) fill([]);
      of = id;
      content.wish(id);
    },
    draw,
    request: async () => ({ mask: kind.mask(marks.cells) }),
  };
}

/** @param {HTMLElement} part */
const middle = ({ offsetLeft, offsetTop, offsetWidth, offsetHeight }) =>
  ({ x: offsetLeft + offsetWidth / 2, y: offsetTop + offsetHeight / 2 });

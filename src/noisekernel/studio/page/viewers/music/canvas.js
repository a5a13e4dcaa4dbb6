// A canvas that is as fine as the screen, in the colours of the page: drawn again where its size or the theme changes.

/** @import { Size } from "./geometry.js" */

import { h } from "../../lib/dom.js";

/** @typedef {{ voices: string[], mat: string, ink: string, soft: string, accent: string, veil: string }} Colours */
/** @typedef {(context: CanvasRenderingContext2D, size: Size, colours: Colours) => void} Paint */

const HUES = 8;

/** How to draw each, while it is there. @type {WeakMap<Element, () => void>} */
const known = new WeakMap();
/** @type {ResizeObserver | null} */
let sizes = null;

/** Draw all again. */
export function redraw() {
  for (const one of document.querySelectorAll("canvas.music-sheet")) known.get(one)?.();
}

/** What tells of sizes, and of the theme; made with the first canvas. */
function watcher() {
  if (sizes) return sizes;
  sizes = new ResizeObserver((changes) => changes.forEach(({ target }) => known.get(target)?.()));
  new MutationObserver(redraw).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  matchMedia("(prefers-color-scheme: light)").addEventListener("change", redraw);
  return sizes;
}

/** The colours of the page, as they are where an element stands. @param {Element} element @returns {Colours} */
function coloursOf(element) {
  const style = getComputedStyle(element);
  const of = (/** @type {string} */ name) => style.getPropertyValue(`--${name}`).trim() || "#888888";
  const voices = Array.from({ length: HUES }, (_, at) => of(`voice-${at + 1}`));
  return { voices, mat: of("mat"), ink: of("ink"), soft: of("soft"), accent: of("accent"), veil: of("veil") };
}

/** The colour of a voice. @param {Colours} colours @param {number} voice */
export const hue = ({ voices }, voice) => voices[voice % voices.length];

/** @param {Paint} paint */
export function sheet(paint) {
  const element = h("canvas", { class: "music-sheet" });
  function draw() {
    const { clientWidth: width, clientHeight: height } = element;
    const context = element.getContext("2d");
    if (!context || !width || !height) return;
    const fine = globalThis.devicePixelRatio || 1;
    const [across, down] = [Math.round(width * fine), Math.round(height * fine)];
    if (element.width !== across || element.height !== down) Object.assign(element, { width: across, height: down });
    context.setTransform(across / width, 0, 0, down / height, 0, 0);
    context.clearRect(0, 0, width, height);
    context.globalAlpha = 1;
    paint(context, { width, height }, coloursOf(element));
  }
  known.set(element, draw);
  watcher().observe(element);
  return { element, draw };
}

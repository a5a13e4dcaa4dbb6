// A picture to paint on, with mouse, finger, pen or keys.

/** @import { Model } from "../../lib/types.js" */
/** @import { Painting, Surface } from "../types.js" */
/** @import { Spot } from "./mask.js" */

import { h, set } from "../../lib/dom.js";
import { address } from "./display.js";
import { PixelMask } from "./mask.js";
import { enlarge, few, sizeOf } from "./scale.js";

/** @type {Record<string, [x: number, y: number]>} */
const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/**
 * @param {Model} model
 * @param {Painting} painting
 * @returns {Surface}
 */
export function board(model, { brush, changed, say }) {
  const { width, height } = sizeOf(model);
  const image = h("img", { alt: "", draggable: "false", class: few(model) ? "pixels" : "" });
  const veil = h("canvas", { class: "veil" });
  const element = h("div", {
    class: "board", tabindex: "0", role: "application", "aria-roledescription": "painting",
    "aria-label": "Picture to paint on. Arrow keys move the brush, space paints.",
  }, image, veil);
  enlarge(element, model);

  let mask = new PixelMask(width, height);
  /** The node that the mask belongs to. @type {string | null} */
  let of = null;
  /** Where the brush is. @type {Spot | null} */
  let at = null;
  let stroking = false;
  const value = () => (brush.kind === "anew" ? 1 : 0);

  function draw() {
    const scale = Math.max(1, Math.round(256 / width)); // fine enough for a brush's outline
    veil.width = width * scale;
    veil.height = height * scale;
    const context = veil.getContext("2d");
    if (!context) return;
    context.fillStyle = context.strokeStyle = getComputedStyle(element).getPropertyValue("--veil");
    mask.softened(brush.feather).forEach((soft, index) => {
      if (!soft) return;
      context.globalAlpha = 0.25 + 0.4 * soft;
      context.fillRect((index % width) * scale, Math.floor(index / width) * scale, scale, scale);
    });
    context.globalAlpha = 1;
    outline(context, scale);
    if (at) ring(context, at, scale);
  }

  /** The edge of what is made anew, seen on any picture.
   * @param {CanvasRenderingContext2D} context
   * @param {number} scale */
  function outline(context, scale) {
    context.beginPath();
    for (const [from, to] of mask.edges()) {
      context.moveTo(from.x * scale, from.y * scale);
      context.lineTo(to.x * scale, to.y * scale);
    }
    context.lineWidth = 2;
    context.stroke();
  }

  /** The brush itself.
   * @param {CanvasRenderingContext2D} context
   * @param {Spot} middle
   * @param {number} scale */
  function ring(context, middle, scale) {
    context.beginPath();
    context.arc(middle.x * scale, middle.y * scale, Math.max(0.5, brush.size / 2) * scale, 0, 2 * Math.PI);
    context.lineWidth = 3;
    context.strokeStyle = "rgb(0 0 0 / 0.6)";
    context.stroke();
    context.lineWidth = 1.5;
    context.strokeStyle = "white";
    context.stroke();
  }

  /** @param {PointerEvent} event @returns {Spot} */
  function spot(event) {
    const box = veil.getBoundingClientRect();
    return {
      x: ((event.clientX - box.left) / box.width) * width,
      y: ((event.clientY - box.top) / box.height) * height,
    };
  }

  element.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    element.setPointerCapture(event.pointerId);
    stroking = true;
    mask.begin(brush.kind);
    at = spot(event);
    mask.stroke(at, at, brush.size, value());
    changed();
  });
  element.addEventListener("pointermove", (event) => {
    const events = stroking ? (event.getCoalescedEvents?.() ?? []) : [];
    for (const one of events.length ? events : [event]) {
      const next = spot(one);
      if (stroking && at) mask.stroke(at, next, brush.size, value());
      at = next;
    }
    if (stroking) changed();
    else draw();
  });
  for (const end of ["pointerup", "pointercancel"]) element.addEventListener(end, () => (stroking = false));
  element.addEventListener("pointerleave", () => {
    if (stroking) return;
    at = null;
    draw();
  });
  element.addEventListener("keydown", (event) => {
    const by = STEPS[event.key];
    if (by) {
      at = moved(at ?? { x: Math.floor(width / 2) + 0.5, y: Math.floor(height / 2) + 0.5 }, by, { width, height });
      say(`Row ${Math.ceil(at.y)}, column ${Math.ceil(at.x)}.`);
      draw();
    } else if (event.key === " " && at) {
      mask.begin(brush.kind);
      mask.dab(at.x, at.y, brush.size, value());
      changed();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });

  return {
    element,
    get marks() {
      return mask;
    },
    sliders: [
      { key: "size", label: "Brush size", min: 1, max: Math.max(8, Math.round(width / 1.5)), unit: "px" },
      { key: "feather", label: "Feather", min: 0, max: 8, unit: "px" },
    ],
    start: { size: Math.max(1, Math.round(width / 6)) },
    show({ id }, words) {
      if (of !== id) mask = new PixelMask(width, height);
      of = id;
      set(image, "src", address(id));
      set(image, "alt", words);
    },
    draw,
    request: async () => ({ mask: await mask.png(), feather: brush.feather }),
  };
}

/**
 * One step of the brush by key, within the picture.
 * @param {Spot} from
 * @param {[x: number, y: number]} by
 * @param {{ width: number, height: number }} size
 * @returns {Spot}
 */
export function moved(from, [dx, dy], { width, height }) {
  const x = Math.max(0.5, Math.min(width - 0.5, from.x + dx));
  const y = Math.max(0.5, Math.min(height - 0.5, from.y + dy));
  return { x, y };
}

// The one dial: a ring to turn, around the example that it will change. A slider to screen readers and keys.

import { h, set, text } from "./dom.js";
import { along, arc, point, RADIUS, rounded, shareAt, TURNS } from "./ring.js";

/**
 * `words`: what a share feels like. `middle` is for what the dial changes.
 * @param {{ label: string, words: (share: number) => string, onchange: (share: number) => unknown }} options
 */
export function dial({ label, words, onchange }) {
  const filled = h("path", { class: "filled", d: arc(0) });
  const knob = h("circle", { class: "knob", r: 9 });
  const ticks = Array.from({ length: 11 }, (_, at) => {
    const [x, y] = point(at / 10, RADIUS + 13);
    return h("circle", { class: "tick", cx: x, cy: y, r: at % 5 ? 1 : 1.8 });
  });
  const groove = h("path", { class: "groove", d: arc(1) });
  const middle = h("div", { class: "middle" });
  const read = h("output", { class: "read" });
  const ring = h(
    "div",
    { class: "ring", role: "slider", tabindex: "0", "aria-label": label, "aria-valuemin": "0", "aria-valuemax": "100" },
    h("svg", { viewBox: "0 0 200 200", "aria-hidden": "true" }, ticks, groove, filled, knob),
    middle,
  );
  let value = 0;

  /** @param {number} share */
  function show(share) {
    value = share;
    filled.setAttribute("d", arc(share));
    const [x, y] = point(share);
    set(knob, "cx", x);
    set(knob, "cy", y);
    set(ring, "aria-valuenow", Math.round(100 * share));
    set(ring, "aria-valuetext", `${Math.round(100 * share)}, ${words(share)}`);
    text(read, `${Math.round(100 * share)}`);
    set(read, "data-words", words(share));
  }

  /** @param {number} share */
  const turnTo = (share) => {
    const next = rounded(share);
    if (next !== value) onchange(next);
  };

  /** @param {PointerEvent} event */
  function underHand(event) {
    const box = ring.getBoundingClientRect();
    const share = shareAt(event.clientX - box.left - box.width / 2, event.clientY - box.top - box.height / 2);
    // Across the gap at the bottom the hand does not jump from one end to the other.
    if (along(value, share) || event.type === "pointerdown") turnTo(share);
  }

  ring.addEventListener("pointerdown", (event) => {
    ring.setPointerCapture(event.pointerId);
    underHand(event);
  });
  ring.addEventListener("pointermove", (event) => ring.hasPointerCapture(event.pointerId) && underHand(event));
  ring.addEventListener("wheel", (event) => {
    event.preventDefault();
    turnTo(value - Math.sign(event.deltaY) * 0.02);
  }, { passive: false });
  ring.addEventListener("keydown", (event) => {
    const by = TURNS[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    turnTo(value + by);
  });

  const reading = h("div", { class: "reading" }, h("span", { class: "soft" }, label), read);
  const element = h("div", { class: "dial" }, ring, reading);
  return { element, middle, show, turnBy: (/** @type {number} */ by) => turnTo(value + by) };
}

// The one dial: a ring to turn, around the picture that it will change. A slider to screen readers and keys.

import { h, set, text } from "./dom.js";

const SWEEP = 270; // degrees, open at the bottom
const R = 84;
const C = 100;

function point(share, radius = R) {
  const angle = ((share * SWEEP - SWEEP / 2 - 90) * Math.PI) / 180;
  return [C + radius * Math.cos(angle), C + radius * Math.sin(angle)];
}

function arc(share) {
  const [x0, y0] = point(0);
  const [x1, y1] = point(Math.max(share, 0.0001));
  return `M${x0} ${y0}A${R} ${R} 0 ${share * SWEEP > 180 ? 1 : 0} 1 ${x1} ${y1}`;
}

/** words: share -> what it feels like. Returns {element, middle, show(share)}; `middle` is for a picture. */
export function dial({ label, words, onchange }) {
  const filled = h("path", { class: "filled", d: arc(0) });
  const knob = h("circle", { class: "knob", r: 9 });
  const ticks = Array.from({ length: 11 }, (_, at) => {
    const [x, y] = point(at / 10, R + 13);
    return h("circle", { class: "tick", cx: x, cy: y, r: at % 5 ? 1 : 1.8 });
  });
  const middle = h("div", { class: "middle" });
  const read = h("output", { class: "read" });
  const ring = h(
    "div",
    { class: "ring", role: "slider", tabindex: "0", "aria-label": label, "aria-valuemin": "0", "aria-valuemax": "100" },
    h("svg", { viewBox: "0 0 200 200", "aria-hidden": "true" }, ticks, h("path", { class: "groove", d: arc(1) }), filled, knob),
    middle,
  );
  let value = 0;

  function show(share) {
    value = share;
    filled.setAttribute("d", arc(share));
    const [x, y] = point(share);
    knob.setAttribute("cx", x);
    knob.setAttribute("cy", y);
    set(ring, "aria-valuenow", Math.round(100 * share));
    set(ring, "aria-valuetext", `${Math.round(100 * share)}, ${words(share)}`);
    text(read, `${Math.round(100 * share)}`);
    set(read, "data-words", words(share));
  }

  const turnTo = (share) => {
    const next = Math.round(100 * Math.max(0, Math.min(1, share))) / 100;
    if (next !== value) onchange(next);
  };

  function underHand(event) {
    const box = ring.getBoundingClientRect();
    const x = event.clientX - box.left - box.width / 2;
    const y = event.clientY - box.top - box.height / 2;
    const degrees = (Math.atan2(y, x) * 180) / Math.PI + 90; // 0 at the top
    const turned = degrees > 180 ? degrees - 360 : degrees;
    const share = (turned + SWEEP / 2) / SWEEP;
    // Across the gap at the bottom the hand does not jump from one end to the other.
    if (Math.abs(share - value) < 0.6 || event.type === "pointerdown") turnTo(share);
  }

  ring.addEventListener("pointerdown", (event) => {
    ring.setPointerCapture(event.pointerId);
    underHand(event);
  });
  ring.addEventListener("pointermove", (event) => ring.hasPointerCapture(event.pointerId) && underHand(event));
  ring.addEventListener("wheel", (event) => (event.preventDefault(), turnTo(value - Math.sign(event.deltaY) * 0.02)), { passive: false });
  ring.addEventListener("keydown", (event) => {
    const by = { ArrowUp: 0.01, ArrowRight: 0.01, ArrowDown: -0.01, ArrowLeft: -0.01, PageUp: 0.1, PageDown: -0.1, Home: -1, End: 1 }[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    turnTo(value + by);
  });

  const element = h("div", { class: "dial" }, ring, h("div", { class: "reading" }, h("span", { class: "soft" }, label), read));
  return { element, middle, show, turnBy: (by) => turnTo(value + by) };
}

export function boldness(share) {
  return ["subtle", "gentle", "clear", "strong", "bold"][Math.min(4, Math.floor(share * 5))];
}

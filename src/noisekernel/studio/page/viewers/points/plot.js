// A point of two columns: a dot in a plot with axes.

/** @import { Drawing, Place, Scene } from "./drawing.js" */
/** @import { Facts } from "./scale.js" */

import { h, set, text } from "../../lib/dom.js";
import { REACH, share, standard, ticks, within, worded } from "./scale.js";

/** The plot's side and its margins, in units of the drawing. @type {Record<Place, { side: number, low: number,
 *   high: number, dot: number, marks: number }>} */
const SIZES = {
  thumbnail: { side: 60, low: 5, high: 5, dot: 6, marks: 0 },
  cell: { side: 200, low: 12, high: 12, dot: 6, marks: 4 },
  large: { side: 400, low: 46, high: 30, dot: 7, marks: 6 },
};

/**
 * @param {Facts} facts
 * @param {Place} place
 * @returns {Drawing}
 */
export function plot(facts, place) {
  const { side, low, high, dot, marks } = SIZES[place];
  const long = side - low - high;
  const across = (/** @type {number} */ deviations) => low + long * share(deviations);
  const up = (/** @type {number} */ deviations) => high + long * (1 - share(deviations));
  const round = (/** @type {number} */ number) => number.toFixed(1);
  /** @param {number[]} values */
  const spot = (values) => {
    const [x, y] = standard(values, facts);
    return { x: across(x), y: up(y), out: !within(x) || !within(y) };
  };
  /** Dots in one line: a stroke of no length with round ends. @param {number[][]} some */
  const dots = (some) => some.map(spot).map(({ x, y }) => `M${round(x)} ${round(y)}h0`).join("");

  const others = h("path", { class: "others", "stroke-width": dot });
  const trail = h("path", { class: "trail" });
  const way = h("path", { class: "way" });
  const before = h("circle", { class: "before", r: dot - 1 });
  const point = h("circle", { class: "point", r: dot });
  const reading = h("text", { class: "reading", x: side - high, y: high - 12, "text-anchor": "end" });
  const element = h("svg", { class: "plot", viewBox: `0 0 ${side} ${side}`, role: "img" },
    h("rect", { class: "ground", x: low, y: high, width: long, height: long }),
    axes(), others, trail, way, before, point, place === "large" && reading);

  function axes() {
    const middle = `M${low} ${round(up(0))}h${long}M${round(across(0))} ${high}v${long}`;
    const lines = h("path", { class: "means", d: middle });
    if (place === "thumbnail") return [lines];
    const [horizontal, vertical] = [0, 1].map((at) => axis(facts, at, marks));
    const grid = horizontal.map(({ deviations }) => `M${round(across(deviations))} ${high}v${long}`).join("")
      + vertical.map(({ deviations }) => `M${low} ${round(up(deviations))}h${long}`).join("");
    if (place === "cell") return [
      h("path", { class: "grid", d: grid }), lines,
      ...horizontal.map(({ deviations, words }) =>
        h("text", { x: round(across(deviations)), y: side - 3, "text-anchor": "middle" }, words)),
      ...vertical.map(({ deviations, words }) => h("text", { x: 3, y: round(up(deviations) - 2) }, words)),
    ];
    return [
      h("path", { class: "grid", d: grid }), lines,
      ...horizontal.map(({ deviations, words }) =>
        h("text", { x: round(across(deviations)), y: high + long + 18, "text-anchor": "middle" }, words)),
      ...vertical.map(({ deviations, words }) =>
        h("text", { x: low - 8, y: round(up(deviations) + 4), "text-anchor": "end" }, words)),
      h("text", { class: "name", x: low + long / 2, y: side - 8, "text-anchor": "middle" }, facts.columns[0]),
      h("text", { class: "name", x: 8, y: high - 12 }, facts.columns[1]),
    ];
  }

  /** @param {Scene} scene */
  function draw({ values, noisy = false, others: rest = [], trail: walked = [], from = null }) {
    const { x, y, out } = spot(values);
    set(point, "cx", round(x));
    set(point, "cy", round(y));
    set(point, "class", `point${noisy ? " noisy" : ""}${out ? " out" : ""}`);
    set(others, "d", dots(rest));
    set(trail, "d", walked.map(spot).map((one, at) => `${at ? "L" : "M"}${round(one.x)} ${round(one.y)}`).join(""));
    const start = from && spot(from);
    before.classList.toggle("gone", !start);
    set(before, "cx", start && round(start.x));
    set(before, "cy", start && round(start.y));
    set(way, "d", start ? `M${round(start.x)} ${round(start.y)}L${round(x)} ${round(y)}` : "");
    text(reading, `(${values.map((value, at) => worded(value, facts.scales[at])).join(", ")})`);
  }
  return { element, draw };
}

/**
 * The marks of an axis.
 * @param {Facts} facts
 * @param {number} at
 * @param {number} count
 */
function axis({ means, scales }, at, count) {
  const reach = REACH * scales[at];
  const { values, step } = ticks(means[at] - reach, means[at] + reach, count);
  return values.map((value) => ({ deviations: (value - means[at]) / scales[at], words: worded(value, 30 * step) }));
}

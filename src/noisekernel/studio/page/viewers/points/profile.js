// A point of many columns: a bar for each, as long as the value is far from the column's mean.

/** @import { Drawing, Place, Scene } from "./drawing.js" */
/** @import { Facts } from "./scale.js" */

import { h, set, text } from "../../lib/dom.js";
import { REACH, share, standard, within, worded } from "./scale.js";

const WIDE = 700;
const ROW = 10;
const TIP = 14;

/**
 * A bar from the mean to a value; one that leads beyond the axis ends in a tip. Pure.
 * @param {number} deviations
 * @param {number} row
 */
export function bar(deviations, row) {
  const [middle, end] = [WIDE / 2, WIDE * share(deviations)];
  const [top, bottom] = [ROW * row + 2, ROW * (row + 1) - 2];
  if (within(deviations)) return `M${middle} ${top}H${end.toFixed(1)}V${bottom}H${middle}z`;
  const base = end - Math.sign(deviations) * TIP;
  return `M${middle} ${top}H${base}L${end} ${(top + bottom) / 2}L${base} ${bottom}H${middle}z`;
}

/** The bars alone, stretched over whatever room there is. @param {Facts} facts */
export function bars(facts) {
  const high = ROW * facts.columns.length;
  /** @param {number[]} values @param {(x: number, y: number) => string} sign */
  const signs = (values, sign) =>
    standard(values, facts).map((one, at) => sign(Number((WIDE * share(one)).toFixed(1)), ROW * at)).join("");
  const lines = Array.from({ length: 2 * Math.floor(REACH) + 1 }, (_, at) => WIDE * share(at - Math.floor(REACH)));
  const grid = h("path", { class: "grid", d: lines.map((x) => `M${x} 0V${high}`).join("") });
  const means = h("path", { class: "means", d: `M${WIDE / 2} 0V${high}` });
  const point = h("path", { class: "point" });
  const others = h("path", { class: "others" });
  const way = h("path", { class: "way" });
  const [before, hollow, after] = ["before", "hollow", "after"].map((name) => h("path", { class: name }));
  const element = h("svg", { class: "bars", viewBox: `0 0 ${WIDE} ${high}`, preserveAspectRatio: "none",
    "aria-hidden": "true" }, grid, others, point, way, before, hollow, after, means);

  /** @param {Scene} scene */
  function draw({ values, noisy = false, others: rest = [], trail = [], from = null }) {
    const spot = (/** @type {number} */ x, /** @type {number} */ y) => `M${x} ${y + ROW / 2}h0`;
    set(others, "d", [...rest, ...trail].map((one) => signs(one, spot)).join(""));
    set(point, "class", `point${noisy ? " noisy" : ""}`);
    set(point, "d", from ? "" : standard(values, facts).map(bar).join(""));
    const ends = from ? standard(from, facts).map((one) => (WIDE * share(one)).toFixed(1)) : [];
    set(way, "d", from ? signs(values, (x, y) => `M${ends[y / ROW]} ${y + ROW / 2}H${x}`) : "");
    set(before, "d", from ? signs(from, spot) : "");
    set(hollow, "d", from ? signs(from, spot) : "");
    set(after, "d", from ? signs(values, spot) : "");
  }
  return { element, draw };
}

/**
 * With the columns' names before and their values behind, where there is room.
 * @param {Facts} facts
 * @param {Place} place
 * @returns {Drawing}
 */
export function profile(facts, place) {
  const drawn = bars(facts);
  if (place === "thumbnail") return drawn;
  const values = facts.columns.map(() => h("span", { class: "value" }));
  const element = h("span", { class: "profile", role: "img" },
    facts.columns.map((name, at) => [h("span", { class: "name", title: name }, name), values[at]]), drawn.element);
  element.style.setProperty("--n", String(facts.columns.length));
  element.classList.toggle("many", facts.columns.length > 14);
  return {
    element,
    draw(scene) {
      drawn.draw(scene);
      const said = (/** @type {number[]} */ some, /** @type {number} */ at) => worded(some[at], facts.scales[at]);
      const { values: now, from } = scene;
      values.forEach((one, at) => text(one, from ? `${said(from, at)} → ${said(now, at)}` : said(now, at)));
    },
  };
}

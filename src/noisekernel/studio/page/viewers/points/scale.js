// The columns of a model's points, and places and words for their values. Pure.

/** @import { Model } from "../../lib/types.js" */

/** How far the axes reach to either side of the mean, in standard deviations. */
export const REACH = 3.5;

/** @typedef {{ columns: string[], means: number[], scales: number[] }} Facts */

/** @param {Model} model @returns {Facts} */
export const factsOf = ({ view: { columns, means, scales } }) => ({ columns, means, scales });

/**
 * Values in standard deviations from the mean.
 * @param {number[]} values
 * @param {Facts} facts
 */
export const standard = (values, { means, scales }) => values.map((value, at) => (value - means[at]) / scales[at]);

/**
 * Where a standardised value lies on an axis: 0 at its beginning, 1 at its end.
 * @param {number} deviations
 */
export const share = (deviations) => Math.max(0, Math.min(1, (deviations + REACH) / (2 * REACH)));

/** Whether an axis reaches that far. @param {number} deviations */
export const within = (deviations) => Math.abs(deviations) <= REACH;

/**
 * A value in as many digits as its column needs: a hundredth of the scale can be told apart.
 * @param {number} value
 * @param {number} scale
 */
export function worded(value, scale) {
  if (!Number.isFinite(value)) return "?";
  const digits = Math.ceil(-Math.log10(scale) + 1.5);
  const size = Math.max(Math.abs(value), scale);
  if (size >= 1e6 || digits > 6) return signed(value.toPrecision(3).replace(/\.?0+(e|$)/, "$1").replace("e+", "e"));
  return signed(value.toFixed(Math.max(0, digits)));
}

/** With a minus as it is printed, and none before a zero. @param {string} number */
const signed = (number) => (/[1-9]/.test(number) ? number.replace(/^-/, "−") : number.replace(/^-/, ""));

/**
 * Round numbers to mark an axis with, about `count` of them, and in how many decimals they are written.
 * @param {number} low
 * @param {number} high
 * @param {number} [count]
 */
export function ticks(low, high, count = 5) {
  const rough = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5].find((one) => one * power >= rough) ?? 10) * power;
  const found = [];
  for (let at = Math.ceil(low / step - 1e-9); at * step <= high + 1e-9 * step; at++) found.push(at * step);
  return { values: found, step };
}

/** A point in words, the first columns of it. @param {number[]} values @param {Facts} facts */
export function spoken(values, { columns, scales }, most = 12) {
  const said = columns.slice(0, most).map((name, at) => `${name} ${worded(values[at], scales[at])}`);
  if (columns.length > most) said.push(`and ${columns.length - most} more`);
  return said.join(", ");
}

// Where things are on a piano roll: steps from left to right, pitches from low to high. Pure.

/** @import { Facts, Note, Share } from "./piece.js" */

/** @typedef {{ width: number, height: number }} Size */

/**
 * The part of a drawing that holds notes, with what a step is wide and a pitch is high, in pixels of the page.
 * @typedef {{ left: number, top: number, width: number, height: number, step: number, row: number, high: number,
 *   gutter: number, ruler: number }} Frame
 */

/** `thumbnail`: notes alone; `cell`: with lines; `large`: with names of pitches and numbers of bars, if there is room.
 * @typedef {"thumbnail" | "cell" | "large"} Place */

const ROOMY = 420; // pixels across from which on there are names and numbers

/**
 * @param {Size} size of the whole drawing
 * @param {Facts} facts
 * @param {Place} place
 * @returns {Frame}
 */
export function frameOf({ width, height }, { steps, low, high }, place) {
  const named = place === "large" && width >= ROOMY;
  const edge = place === "thumbnail" ? Math.min(width, height) * 0.06 : named ? 6 : 3;
  const gutter = named ? 34 : 0;
  const ruler = named ? 22 : 0;
  const left = gutter || edge;
  const top = ruler || edge;
  const inner = { width: width - left - edge, height: height - top - edge };
  const rows = high - low + 2; // half a row of air below and above
  return { left, top, ...inner, step: inner.width / steps, row: inner.height / rows, high: high + 0.5, gutter, ruler };
}

/** @param {number} step @param {Frame} frame */
export const across = (step, { left, step: wide }) => left + step * wide;

/**
 * A thumbnail shows no more pitches than the piece has, and an octave and a half at least: then there is more to see.
 * @param {Facts} facts
 * @param {Note[]} notes
 */
export function closer(facts, notes) {
  const pitches = notes.map(([, pitch]) => pitch);
  if (!pitches.length) return facts;
  const [low, high] = [Math.min(...pitches), Math.max(...pitches)];
  const more = Math.max(1, Math.ceil((18 - (high - low)) / 2));
  return { ...facts, low: low - more, high: high + more };
}

/** The middle of a pitch's row. @param {number} pitch @param {Frame} frame */
export const middle = (pitch, { top, row, high }) => top + (high - pitch + 0.5) * row;

/**
 * The step and the pitch under a place, if they are on the grid.
 * @param {{ x: number, y: number }} spot
 * @param {Frame} frame
 * @param {Pick<Facts, "steps" | "low" | "high">} facts
 */
export function under({ x, y }, frame, { steps, low, high }) {
  const step = Math.floor((x - frame.left) / frame.step);
  const pitch = Math.round(frame.high + 0.5 - (y - frame.top) / frame.row);
  return step >= 0 && step < steps && pitch >= low && pitch <= high ? { step, pitch } : null;
}

/**
 * The bar of a note. Its end leaves a gap, so that a note that is struck again is seen to begin.
 * @param {Note} note
 * @param {Frame} frame
 * @param {Share} share
 */
export function noteBox([, pitch, start, length], frame, { slot, of } = { slot: 0, of: 1 }) {
  const tiny = frame.step < 1.5; // a thumbnail
  const gap = tiny ? 0.3 * frame.step : Math.min(2, Math.max(0.75, 0.16 * frame.step));
  const whole = Math.max(tiny ? 1.6 + 0.8 * frame.step : 3, Math.min(0.94 * frame.row, tiny ? 3 : 16));
  const height = Math.max(tiny ? 1 : 2, whole / of);
  const y = middle(pitch, frame) - (height * of) / 2 + slot * height;
  const width = Math.max(1, length * frame.step - gap);
  return { x: across(start, frame), y, width, height, radius: tiny ? 0.5 : Math.min(height / 2, width / 2, 4) };
}

/**
 * The steps at which bars begin, and those at which other beats do; beats are left out where they are too close.
 * @param {Facts} facts
 * @param {Frame} frame
 */
export function lines({ steps, perBeat, bar }, { step: wide }) {
  const every = (/** @type {number} */ by) => Array.from({ length: Math.ceil(steps / by) }, (_, at) => at * by);
  const beats = wide * perBeat < 5 ? [] : every(perBeat).filter((step) => step % bar);
  return { bars: every(bar), beats };
}

/** The pitches that are called C. @param {Pick<Facts, "low" | "high">} facts */
export function octaves({ low, high }) {
  const first = Math.ceil(low / 12) * 12;
  return Array.from({ length: Math.max(0, Math.floor((high - first) / 12) + 1) }, (_, at) => first + 12 * at);
}

/**
 * Width by height of a candidate: longer pieces are wider.
 * @param {Pick<Facts, "steps" | "perBeat" | "low" | "high">} facts
 */
export function ratioOf({ steps, perBeat, low, high }) {
  const ratio = 1.6 * Math.sqrt((steps / perBeat / 16) * (46 / (high - low + 1)));
  return Math.round(100 * Math.max(1.2, Math.min(2.6, ratio))) / 100;
}

// A piece to paint on: a lane for each voice, a column for each step. What a pointer or a key means there. Pure.

/** @import { Size } from "./geometry.js" */
/** @import { Facts, Note } from "./piece.js" */

/** Some voices at some steps; the ends are left out. @typedef {{ voices: [number, number], steps: [number, number] }}
 *   Region */
/** A cell. @typedef {{ voice: number, step: number }} Spot */

/** The lanes in pixels of the page. `pitch` is the height of a lane's part that holds notes.
 * @typedef {{ left: number, top: number, width: number, step: number, lane: number, every: number }} Lanes */

const GAP = 6;

/**
 * @param {Size} size
 * @param {Facts} facts
 * @returns {Lanes}
 */
export function lanesOf({ width, height }, { voices, steps }) {
  const left = width < 520 ? 30 : 84;
  const top = 24;
  const inner = width - left - 6;
  const every = (height - top) / voices.length;
  return { left, top, width: inner, step: inner / steps, lane: every - GAP, every };
}

/**
 * What is under a place: a cell, as wide as the brush; a bar of all voices under its number; all of a voice under its
 * name. The corner is nothing.
 * @param {{ x: number, y: number }} spot
 * @param {Lanes} lanes
 * @param {Facts} facts
 * @param {number} wide steps
 * @returns {Region | null}
 */
export function regionAt({ x, y }, lanes, facts, wide) {
  const { voices, steps, bar } = facts;
  const voice = Math.max(0, Math.min(voices.length - 1, Math.floor((y - lanes.top) / lanes.every)));
  const step = Math.max(0, Math.min(steps - 1, Math.floor((x - lanes.left) / lanes.step)));
  const [named, numbered] = [x < lanes.left, y < lanes.top];
  if (named && numbered) return null;
  if (named) return { voices: [voice, voice + 1], steps: [0, steps] };
  if (numbered) return { voices: [0, voices.length], steps: spanOf(step, bar, steps) };
  return { voices: [voice, voice + 1], steps: spanOf(step, wide, steps) };
}

/** The steps of a brush: they begin where a whole number of brushes fits before. @param {number} step
 * @param {number} wide @param {number} steps @returns {[number, number]} */
export function spanOf(step, wide, steps) {
  const from = step - (step % wide);
  return [from, Math.min(steps, from + wide)];
}

/** The smallest region that holds both. @param {Region} a @param {Region} b @returns {Region} */
export function joined(a, b) {
  /** @param {"voices" | "steps"} key @returns {[number, number]} */
  const both = (key) => [Math.min(a[key][0], b[key][0]), Math.max(a[key][1], b[key][1])];
  return { voices: both("voices"), steps: both("steps") };
}

/**
 * Cells with a region of them set.
 * @param {Uint8Array} cells voice by voice
 * @param {Region} region
 * @param {number} value
 * @param {number} steps
 */
export function filled(cells, { voices, steps: [from, to] }, value, steps) {
  const made = cells.slice();
  for (let voice = voices[0]; voice < voices[1]; voice++) made.fill(value, voice * steps + from, voice * steps + to);
  return made;
}

/** What the server is told: a 1 for each cell that is made anew, voice by voice. @param {ArrayLike<number>} cells */
export const maskOf = (cells) => Array.from(cells, (one) => (one ? "1" : "0")).join("");

/**
 * Where a key leads: along a voice by one brush, by a bar with Page Up and Page Down, to another voice by up and down.
 * @param {string} key
 * @param {Spot} at
 * @param {Facts} facts
 * @param {number} wide steps of the brush
 * @returns {Spot | null} null: such a key leads nowhere
 */
export function keyed(key, { voice, step }, { voices, steps, bar }, wide) {
  const along = (/** @type {number} */ by) =>
    ({ voice, step: Math.max(0, Math.min(spanOf(steps - 1, wide, steps)[0], spanOf(step, wide, steps)[0] + by)) });
  const other = (/** @type {number} */ by) => ({ voice: Math.max(0, Math.min(voices.length - 1, voice + by)), step });
  if (key === "ArrowLeft") return along(-wide);
  if (key === "ArrowRight") return along(wide);
  if (key === "PageUp") return along(-bar);
  if (key === "PageDown") return along(bar);
  if (key === "Home") return along(-steps);
  if (key === "End") return along(steps);
  if (key === "ArrowUp") return other(-1);
  if (key === "ArrowDown") return other(1);
  return null;
}

/**
 * The pitches that a lane shows: those of its voice, with some air, and never fewer than an octave.
 * @param {Note[]} notes
 * @param {number} voice
 * @param {number} alone the middle where the voice has no notes
 */
export function rangeOf(notes, voice, alone) {
  const pitches = notes.filter(([of]) => of === voice).map(([, pitch]) => pitch);
  const [low, high] = pitches.length ? [Math.min(...pitches), Math.max(...pitches)] : [alone, alone];
  const more = Math.max(1, (12 - (high - low)) / 2);
  return { low: low - more, high: high + more };
}

// Notes that somebody enters by hand, a voice at a time: one note sounds at once in each. Pure.

/** @import { Facts, Note, Piece } from "./piece.js" */

import { gapsAround } from "./piece.js";

/** A length to choose from, in steps. @typedef {{ label: string, name: string, steps: number }} Length */

/**
 * The lengths of notes that the grid has.
 * @param {Pick<Facts, "perBeat">} facts
 * @returns {Length[]}
 */
export function lengthsOf({ perBeat }) {
  /** @type {[string, string, number][]} */
  const all = [
    ["1/16", "sixteenth", perBeat / 4], ["1/8", "eighth", perBeat / 2], ["1/4", "quarter", perBeat],
    ["1/2", "half", 2 * perBeat],
  ];
  return all.filter(([, , steps]) => Number.isInteger(steps)).map(([label, name, steps]) => ({ label, name, steps }));
}

/** Where a note of this length begins that is entered at a step: on a grid of its own, at most of quarter notes.
 * @param {number} step @param {number} length @param {Pick<Facts, "perBeat">} facts */
export const snapped = (step, length, { perBeat }) => step - (step % Math.min(length, perBeat));

/**
 * With one more note. It cuts off a note of its voice that sounds on into it, and takes the place of those that begin
 * while it lasts.
 * @param {Note[]} notes
 * @param {Note} note
 * @param {Pick<Facts, "steps">} facts
 * @returns {Note[]}
 */
export function placed(notes, [voice, pitch, start, length], { steps }) {
  const end = Math.min(steps, start + length);
  const rest = notes.flatMap((other) => {
    const [of, tone, from, long] = other;
    if (of !== voice || from >= end || from + long <= start) return [other];
    return from < start ? [/** @type {Note} */ ([of, tone, from, start - from])] : [];
  });
  return inOrder([...rest, [voice, pitch, start, end - start]]);
}

/** @param {Note[]} notes @param {Note} note */
export const without = (notes, note) => notes.filter((other) => other !== note);

/** @param {Note[]} notes */
const inOrder = (notes) => [...notes].sort((a, b) => a[0] - b[0] || a[2] - b[2]);

/** The note of a voice on this very place. @param {Note[]} notes @param {number} voice
 * @param {{ step: number, pitch: number }} spot */
export const noteOn = (notes, voice, { step, pitch }) =>
  notes.find(([of, tone, start, length]) => of === voice && tone === pitch && start <= step && step < start + length);

/**
 * What is sent: the notes, and what is left open to be filled in. Voices without a note are open as a whole. Between
 * the notes of the others there are rests, unless those are open too.
 * @param {Note[]} notes
 * @param {Facts} facts
 * @param {boolean} gapsOpen
 * @returns {Piece}
 */
export function entered(notes, facts, gapsOpen) {
  const begun = new Set(notes.map(([voice]) => voice));
  return { notes, open: gapsAround(notes, facts).filter(([voice]) => gapsOpen || !begun.has(voice)) };
}

/** Steps that are sung by a voice, out of all. @param {Note[]} notes @param {number} voice */
export const sung = (notes, voice) =>
  notes.reduce((sum, [of, , , length]) => sum + (of === voice ? length : 0), 0);

/**
 * Where a key leads on the grid, and null where it leads nowhere.
 * @param {string} key
 * @param {{ step: number, pitch: number }} at
 * @param {Facts} facts
 * @param {number} by steps
 */
export function keyedOn(key, { step, pitch }, { steps, low, high }, by) {
  const along = (/** @type {number} */ to) => ({ step: Math.max(0, Math.min(steps - 1, to)), pitch });
  const up = (/** @type {number} */ to) => ({ step, pitch: Math.max(low, Math.min(high, to)) });
  if (key === "ArrowLeft") return along(step - by);
  if (key === "ArrowRight") return along(Math.min(steps - by, step + by));
  if (key === "ArrowUp") return up(pitch + 1);
  if (key === "ArrowDown") return up(pitch - 1);
  if (key === "PageUp") return up(pitch + 12);
  if (key === "PageDown") return up(pitch - 12);
  if (key === "Home") return along(0);
  return key === "End" ? along(steps - by) : null;
}

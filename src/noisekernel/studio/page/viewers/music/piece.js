// Music as the server tells it: notes on a grid of voices and steps, and cells that nobody has decided yet. Pure.

/** @import { Model } from "../../lib/types.js" */

/** @typedef {[voice: number, pitch: number, start: number, length: number]} Note */
/** Cells of a voice that are open: to be filled in. @typedef {[voice: number, start: number, length: number]} Gap */
/** Where there is neither a note nor a gap, there is a rest. @typedef {{ notes: Note[], open: Gap[] }} Piece */

/**
 * What is the same for all pieces of a model. `perBeat`: steps of a quarter note; `tempo`: quarter notes per minute;
 * `low` and `high`: MIDI pitches, both inclusive.
 * @typedef {{ voices: string[], steps: number, perBeat: number, bar: number, low: number, high: number,
 *   tempo: number }} Facts
 */

/** @param {Pick<Model, "view">} model @returns {Facts} */
export function factsOf({ view: { voices, steps, per_beat: perBeat, bar, low, high, tempo } }) {
  return { voices, steps, perBeat, bar, low, high, tempo };
}

/** A piece as the server tells it; `open` may be left out. @param {any} told @returns {Piece} */
export const pieceOf = (told) => ({ notes: told.notes, open: told.open ?? [] });

const NAMES = ["C", "C♯", "D", "E♭", "E", "F", "F♯", "G", "A♭", "A", "B♭", "B"];

/** What a pitch is called; 60 is C4. @param {number} pitch */
export const nameOf = (pitch) => `${NAMES[pitch % 12]}${Math.floor(pitch / 12) - 1}`;

/** Whether it is a black key of a piano. @param {number} pitch */
export const isBlack = (pitch) => [1, 3, 6, 8, 10].includes(pitch % 12);

/** How many bars a piece has; the last may be broken off. @param {Pick<Facts, "steps" | "bar">} facts */
export const barsOf = ({ steps, bar }) => Math.ceil(steps / bar);

/** Where a step is, in words. @param {number} step @param {Pick<Facts, "perBeat" | "bar">} facts */
export function placeOf(step, { perBeat, bar }) {
  const within = step % bar;
  const [beat, part] = [Math.floor(within / perBeat), within % perBeat];
  const exactly = part ? ` and ${part}/${perBeat}` : "";
  return `bar ${Math.floor(step / bar) + 1}, beat ${beat + 1}${exactly}`;
}

/** The note of a voice that sounds at a step. @param {Note[]} notes @param {number} voice @param {number} step */
export const noteAt = (notes, voice, step) =>
  notes.find(([of, , start, length]) => of === voice && start <= step && step < start + length) ?? null;

/**
 * A piece in words, for those who do not see it.
 * @param {Piece} piece
 * @param {Facts} facts
 */
export function spoken({ notes, open }, facts) {
  const each = facts.voices.map((name, voice) => {
    const pitches = notes.filter(([of]) => of === voice).map(([, pitch]) => pitch);
    const count = pitches.length === 1 ? "1 note" : `${pitches.length} notes`;
    const missing = open.filter(([of]) => of === voice).reduce((sum, [, , length]) => sum + length, 0);
    const range = pitches.length ? `, ${nameOf(Math.min(...pitches))} to ${nameOf(Math.max(...pitches))}` : "";
    const rest = missing ? `, ${Math.round((100 * missing) / facts.steps)} % open` : "";
    return `${name} ${count}${range}${rest}`;
  });
  const bars = barsOf(facts);
  return `${bars === 1 ? "1 bar" : `${bars} bars`}: ${each.join("; ")}`;
}

/**
 * The pitch about which a voice would be drawn while nothing of it is known: the first voice is the highest.
 * @param {number} voice
 * @param {Pick<Facts, "voices" | "low" | "high">} facts
 */
export function register(voice, { voices, low, high }) {
  return low + (high - low) * (0.1 + (0.8 * (voices.length - voice - 0.5)) / voices.length);
}

/** A gap with the pitches between which it is drawn. @typedef {{ voice: number, start: number, length: number,
 *   from: number, to: number }} Ghost */

/**
 * Gaps have no pitch. They are drawn along a line from the note before to the note after.
 * @param {Piece} piece
 * @param {Facts} facts
 * @returns {Ghost[]}
 */
export function ghosts({ notes, open }, facts) {
  return open.map(([voice, start, length]) => {
    const own = notes.filter(([of]) => of === voice).sort((a, b) => a[2] - b[2]);
    const before = own.findLast(([, , from]) => from < start)?.[1];
    const after = own.find(([, , from]) => from >= start + length)?.[1];
    const alone = register(voice, facts);
    return { voice, start, length, from: before ?? after ?? alone, to: after ?? before ?? alone };
  });
}

/** Which part of its row a note gets. @typedef {{ slot: number, of: number }} Share */

/**
 * Voices in unison share a row, so that both are seen: the first voice above.
 * @param {Note[]} notes
 * @returns {Share[]}
 */
export function shares(notes) {
  /** @type {Map<number, Note[]>} */
  const rows = new Map();
  for (const note of notes) rows.set(note[1], [...(rows.get(note[1]) ?? []), note]);
  return notes.map(([voice, pitch, start, length]) => {
    const beside = (rows.get(pitch) ?? []).filter(([other, , from, long]) =>
      other !== voice && from < start + length && start < from + long);
    const others = new Set(beside.map(([other]) => other));
    return { slot: [...others].filter((other) => other < voice).length, of: others.size + 1 };
  });
}

/** What is left open where these notes are all that there is. @param {Note[]} notes @param {Facts} facts */
export function gapsAround(notes, { voices, steps }) {
  return voices.flatMap((_, voice) => {
    const own = notes.filter(([of]) => of === voice).sort((a, b) => a[2] - b[2]);
    /** @type {Gap[]} */
    const gaps = [];
    let from = 0;
    for (const [, , start, length] of [...own, /** @type {Note} */ ([voice, 0, steps, 0])]) {
      if (start > from) gaps.push([voice, from, start - from]);
      from = Math.max(from, start + length);
    }
    return gaps;
  });
}

// What differs between two pieces, note by note. Pure.

/** @import { Facts, Note, Piece } from "./piece.js" */
/** @import { Look } from "./roll.js" */

/** @param {Note} note */
const keyOf = (note) => note.join(" ");

/**
 * Both pieces in one: notes that only the first has, below; then those of the second.
 * @param {Piece} before
 * @param {Piece} after
 * @returns {{ piece: Piece, looks: Look[] }}
 */
export function overlaid(before, after) {
  const [old, now] = [before, after].map(({ notes }) => new Set(notes.map(keyOf)));
  const gone = before.notes.filter((note) => !now.has(keyOf(note)));
  const same = after.notes.filter((note) => old.has(keyOf(note)));
  const fresh = after.notes.filter((note) => !old.has(keyOf(note)));
  return {
    piece: { notes: [...same, ...gone, ...fresh], open: after.open },
    looks: [...same.map(() => /** @type {Look} */ ("same")), ...gone.map(() => /** @type {Look} */ ("gone")),
      ...fresh.map(() => /** @type {Look} */ ("plain"))],
  };
}

/**
 * How many notes of each voice changed, in words.
 * @param {Piece} before
 * @param {Piece} after
 * @param {Facts} facts
 */
export function toldOf(before, after, { voices }) {
  const { piece: { notes }, looks } = overlaid(before, after);
  const count = (/** @type {number} */ voice, /** @type {Look} */ look) =>
    notes.filter(([of], at) => of === voice && looks[at] === look).length;
  const each = voices.flatMap((name, voice) => {
    const [fresh, gone] = [count(voice, "plain"), count(voice, "gone")];
    return fresh || gone ? [`${name} ${fresh} new, ${gone} gone`] : [];
  });
  return each.length ? `changed notes: ${each.join("; ")}` : "nothing changed";
}

// What is seen of a string: its characters, and signs for what would not be seen. Pure.

/** What the server writes for a character that is masked. */
export const HOLE = "·";

/**
 * A character as it is shown. `role`: a hole stands for what is masked, a blank for white space that matters.
 * @typedef {{ shown: string, role: "" | "hole" | "blank" }} Glyph
 */

/** @type {Record<string, string>} */
const BLANKS = { " ": "␣", "\t": "⇥", "\u00a0": "⍽", "\n": "↵" };

/** A single character, white space always to be seen. @param {string} letter */
export const seen = (letter) => BLANKS[letter] ?? letter;

/**
 * White space is shown by a sign where it would be overlooked: at either end, in a row of several, and where it is no
 * plain space. A space between two words is a space.
 * @param {string} string
 * @param {{ noisy?: boolean }} [options] `noisy`: the dots are holes, and the string is shown place by place
 * @returns {Glyph[]}
 */
export function glyphs(string, { noisy = false } = {}) {
  const letters = [...string];
  const blank = (/** @type {string | undefined} */ letter) => letter === undefined || letter in BLANKS;
  return letters.map((letter, at) => {
    if (noisy && letter === HOLE) return { shown: HOLE, role: "hole" };
    if (noisy && blank(letter)) return { shown: "\u00a0", role: "hole" };
    const plain = letter === " " && !blank(letters[at - 1]) && !blank(letters[at + 1]);
    return plain || !(letter in BLANKS) ? { shown: letter, role: "" } : { shown: BLANKS[letter], role: "blank" };
  });
}

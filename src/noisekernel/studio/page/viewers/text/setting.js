// How a string is set in a box: in which lines, and how large. As large as fits; words are broken only where they would
// be too small otherwise. Pure: how wide a character is, is given.

/** @import { Glyph } from "./glyphs.js" */

export const LEADING = 1.2; // from line to line, in sizes of the type
const EDGE = 0.05; // of the box's width, at each side

/**
 * All sizes are shares of the box's width.
 * @typedef {object} Box
 * @property {number} ratio width by height
 * @property {number} most the largest size of the type
 * @property {number} least the smallest; of what does not fit then, the beginning is shown
 * @property {number} broken where words are longer than a line at this size, they are broken
 */

/** @typedef {{ lines: Glyph[][], size: number }} Setting */

/**
 * @param {Glyph[]} glyphs
 * @param {Box} box
 * @param {(character: string) => number} advance the width of a character, in sizes of the type
 * @returns {Setting}
 */
export function setting(glyphs, { ratio, most, least, broken }, advance) {
  const across = 1 - 2 * EDGE;
  const down = 1 / ratio - EDGE;
  const wide = (/** @type {Glyph[]} */ some) => some.reduce((sum, { shown }) => sum + advance(shown), 0);
  for (let size = most; ; size = Math.max(least, size * 0.96)) {
    const room = { wide, across: across / size, breaks: size <= broken };
    const lines = wrapped(glyphs, room);
    const fitting = Math.max(1, Math.floor(down / (LEADING * size)));
    if (lines && lines.length <= fitting) return { lines: balanced(glyphs, lines, room), size };
    if (size <= least) return { lines: cut(wrapped(glyphs, { ...room, breaks: true }) ?? [], fitting), size };
  }
}

/** @typedef {{ wide: (some: Glyph[]) => number, across: number, breaks: boolean }} Room */

/**
 * As many words to a line as there is room for; null: a word is too long.
 * @param {Glyph[]} glyphs
 * @param {Room} room
 * @returns {Glyph[][] | null}
 */
export function wrapped(glyphs, { wide, across, breaks }) {
  /** @type {Glyph[][]} */
  const lines = [[]];
  for (const word of words(glyphs)) {
    const line = lines[lines.length - 1];
    const longer = line.length ? [...line, SPACE, ...word] : word;
    if (wide(longer) <= across) lines[lines.length - 1] = longer;
    else if (wide(word) <= across) lines.push(word);
    else if (!breaks) return null;
    else lines.push(...pieces(word, wide, across));
    if (!lines[0].length) lines.shift();
  }
  return lines;
}

/** @type {Glyph} */
const SPACE = { shown: " ", role: "" };

/** @param {Glyph[]} glyphs */
function words(glyphs) {
  /** @type {Glyph[][]} */
  const found = [[]];
  for (const glyph of glyphs) {
    if (glyph.shown === " ") found.push([]);
    else found[found.length - 1].push(glyph);
  }
  return found;
}

/** @param {Glyph[]} word @param {Room["wide"]} wide @param {number} across */
function pieces(word, wide, across) {
  /** @type {Glyph[][]} */
  const found = [[]];
  for (const glyph of word) {
    const piece = found[found.length - 1];
    if (!piece.length || wide([...piece, glyph]) <= across) piece.push(glyph);
    else found.push([glyph]);
  }
  return found;
}

/**
 * The same number of lines, of about one length.
 * @param {Glyph[]} glyphs
 * @param {Glyph[][]} lines
 * @param {Room} room
 */
function balanced(glyphs, lines, room) {
  if (lines.length < 2) return lines;
  for (let share = 0.4; share < 1; share += 0.04) {
    const narrower = wrapped(glyphs, { ...room, across: room.across * share });
    if (narrower && narrower.length <= lines.length) return narrower;
  }
  return lines;
}

/** @param {Glyph[][]} lines @param {number} most */
function cut(lines, most) {
  if (lines.length <= most) return lines;
  const last = lines[most - 1].slice(0, -1);
  return [...lines.slice(0, most - 1), [...last, /** @type {Glyph} */ ({ shown: "…", role: "blank" })]];
}

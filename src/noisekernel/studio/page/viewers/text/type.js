// The type that strings are set in, and how wide its characters are.

/** A text face: what differs in a string is to differ to the eye, such as I and l. */
export const TYPE = '"Iowan Old Style", Charter, "Source Serif 4", Cambria, Georgia, "Noto Serif", serif';

/** @type {Map<string, number>} */
const known = new Map();
/** @type {OffscreenCanvasRenderingContext2D | null} */
let context = null;

/** The width of a character, in sizes of the type. @param {string} character */
export function advance(character) {
  let width = known.get(character);
  if (width === undefined) {
    if (!context) {
      context = /** @type {OffscreenCanvasRenderingContext2D} */ (new OffscreenCanvas(1, 1).getContext("2d"));
      context.font = `100px ${TYPE}`;
    }
    width = context.measureText(character).width / 100;
    known.set(character, width);
  }
  return width;
}

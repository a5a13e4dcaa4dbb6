// Which part of a picture is used: where it begins, as shares of the picture's width and height, and how large it is,
// as a share of the largest part of the model's proportions. Pure.

/** @typedef {{ width: number, height: number }} Size */
/** @typedef {{ x: number, y: number, side: number }} Crop */

/**
 * The largest part's width and height, as shares of the picture's.
 * @param {Size} picture
 * @param {Size} model
 */
export function largestPart(picture, model) {
  const scale = Math.min(picture.width / model.width, picture.height / model.height);
  return { w: (scale * model.width) / picture.width, h: (scale * model.height) / picture.height };
}

/** @typedef {ReturnType<typeof largestPart>} Part */

/** What is used unless somebody says otherwise: the largest part, in the middle. @param {Part} full @returns {Crop} */
export const middle = (full) => ({ side: 1, x: (1 - full.w) / 2, y: (1 - full.h) / 2 });

/**
 * A change of size keeps the middle where it was; nothing leads out of the picture.
 * @param {Crop} before
 * @param {Partial<Crop>} changes
 * @param {Part} full
 * @returns {Crop}
 */
export function recrop(before, changes, full) {
  const next = { ...before, ...changes };
  next.side = Math.max(0.1, Math.min(1, next.side));
  if (changes.side !== undefined) {
    next.x = before.x + (full.w * (before.side - next.side)) / 2;
    next.y = before.y + (full.h * (before.side - next.side)) / 2;
  }
  next.x = Math.max(0, Math.min(1 - full.w * next.side, next.x));
  next.y = Math.max(0, Math.min(1 - full.h * next.side, next.y));
  return next;
}

/** Whether it is what the server would use by itself. @param {Crop} crop @param {Part} full */
export function isUsual({ x, y, side }, full) {
  const usual = middle(full);
  return side === 1 && Math.abs(x - usual.x) < 1e-9 && Math.abs(y - usual.y) < 1e-9;
}

/**
 * What a key does to the part, if anything.
 * @param {string} key
 * @param {Crop} crop
 * @returns {Partial<Crop> | undefined}
 */
export function keyed(key, { x, y, side }) {
  return {
    ArrowLeft: { x: x - 0.02 },
    ArrowRight: { x: x + 0.02 },
    ArrowUp: { y: y - 0.02 },
    ArrowDown: { y: y + 0.02 },
    "+": { side: side + 0.05 },
    "-": { side: side - 0.05 },
  }[key];
}

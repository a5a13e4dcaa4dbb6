// The geometry of the dial: a ring of 270 degrees, open at the bottom, in a square of 200. Pure.

const SWEEP = 270;
export const RADIUS = 84;
const CENTRE = 100;

/**
 * Where a share of the way round is.
 * @param {number} share
 * @param {number} [radius]
 * @returns {[x: number, y: number]}
 */
export function point(share, radius = RADIUS) {
  const angle = ((share * SWEEP - SWEEP / 2 - 90) * Math.PI) / 180;
  return [CENTRE + radius * Math.cos(angle), CENTRE + radius * Math.sin(angle)];
}

/** The path from the beginning to a share. @param {number} share */
export function arc(share) {
  const [x0, y0] = point(0);
  const [x1, y1] = point(Math.max(share, 0.0001));
  return `M${x0} ${y0}A${RADIUS} ${RADIUS} 0 ${share * SWEEP > 180 ? 1 : 0} 1 ${x1} ${y1}`;
}

/**
 * The share that a hand means, at (x, y) from the middle of the ring with y downwards. Below 0 or above 1 in the gap.
 * @param {number} x
 * @param {number} y
 */
export function shareAt(x, y) {
  const degrees = (Math.atan2(y, x) * 180) / Math.PI + 90; // 0 at the top
  const turned = degrees > 180 ? degrees - 360 : degrees;
  return (turned + SWEEP / 2) / SWEEP;
}

/** To whole hundredths of 0 to 1. @param {number} share */
export const rounded = (share) => Math.round(100 * Math.max(0, Math.min(1, share))) / 100;

/** Whether a hand that moves from one share to another goes along the ring, not across its gap.
 * @param {number} from
 * @param {number} to */
export const along = (from, to) => Math.abs(to - from) < 0.6;

/** How far each key turns it. @type {Record<string, number>} */
export const TURNS = {
  ArrowUp: 0.01, ArrowRight: 0.01, ArrowDown: -0.01, ArrowLeft: -0.01, PageUp: 0.1, PageDown: -0.1, Home: -1, End: 1,
};

/**
 * The word for a share, of words for equal parts of the way.
 * @param {string[]} words
 * @param {number} share
 */
export function wordFor(words, share) {
  return words[Math.max(0, Math.min(words.length - 1, Math.floor(share * words.length)))];
}

// What differs between two strings: the fewest letters that are changed, added or removed. Pure.

/**
 * One step of the way from one string to the other. `before` is null where a letter is added, `after` where one is
 * removed.
 * @typedef {{ kind: "same" | "changed" | "added" | "removed", before: string | null, after: string | null }} Step
 */

/**
 * The alignment of two strings with the fewest changes (Levenshtein's distance); of several such, the one in the fewest
 * pieces, so that what was added together stays together.
 * @param {string} before
 * @param {string} after
 * @returns {Step[]}
 */
export function align(before, after) {
  const [a, b] = [[...before], [...after]];
  const left = costs(a, b);
  /** @type {Step[]} */
  const steps = [];
  let [i, j, last] = [0, 0, -1];
  while (i < a.length || j < b.length) {
    const [kind, di, dj] = ways(a, b, i, j).reduce((best, way) =>
      (total(left, way, i, j, last) < total(left, best, i, j, last) ? way : best));
    steps.push({ kind: KINDS[kind], before: di ? a[i] : null, after: dj ? b[j] : null });
    [i, j, last] = [i + di, j + dj, kind];
  }
  return steps;
}

const KINDS = /** @type {const} */ (["same", "changed", "removed", "added"]);
const CHANGE = 10_000; // more than there are pieces

/** A step: its kind, and how far it leads in either string. @typedef {[kind: number, di: number, dj: number]} Way */

/** @param {string[]} a @param {string[]} b @param {number} i @param {number} j @returns {Way[]} */
function ways(a, b, i, j) {
  /** @type {Way[]} */
  const found = [];
  if (i < a.length && j < b.length) found.push([a[i] === b[j] ? 0 : 1, 1, 1]);
  if (i < a.length) found.push([2, 1, 0]);
  if (j < b.length) found.push([3, 0, 1]);
  return found;
}

/**
 * The cost of a step after one of the kind `last`, and of everything behind it.
 * @param {Float64Array[][]} left
 * @param {Way} way
 * @param {number} i
 * @param {number} j
 * @param {number} last
 */
function total(left, [kind, di, dj], i, j, last) {
  return (kind ? CHANGE : 0) + (kind === last ? 0 : 1) + left[i + di][j + dj][kind];
}

/**
 * What it costs to come from i in `a` and j in `b` to both ends, by the kind of the step before.
 * @param {string[]} a
 * @param {string[]} b
 */
function costs(a, b) {
  const left = Array.from({ length: a.length + 1 }, () =>
    Array.from({ length: b.length + 1 }, () => new Float64Array(KINDS.length)));
  for (let i = a.length; i >= 0; i--)
    for (let j = b.length; j >= 0; j--) {
      const open = ways(a, b, i, j);
      if (open.length)
        for (let last = 0; last < KINDS.length; last++)
          left[i][j][last] = Math.min(...open.map((way) => total(left, way, i, j, last)));
    }
  return left;
}

/**
 * How large the letters of an alignment of `n` columns are set, as a share of the width of their box.
 * @param {number} n
 * @param {{ ratio: number, column: number, pair: number, most: number, least: number }} box `column`: the width of a
 *   letter, `pair`: the height of two that belong together, in sizes of the type
 */
export function sizeOf(n, { ratio, column, pair, most, least }) {
  for (let size = most; size > least; size *= 0.96) {
    const lines = Math.ceil(n / Math.floor(0.9 / (column * size)));
    if (lines * pair * size <= 0.94 / ratio) return size;
  }
  return least;
}

/** An alignment in a sentence, for those who do not see it. @param {Step[]} steps */
export function told(steps) {
  const parts = /** @type {const} */ (["changed", "added", "removed"]).flatMap((kind) => {
    const count = steps.filter((step) => step.kind === kind).length;
    return count ? [`${count} ${count === 1 ? "letter" : "letters"} ${kind}`] : [];
  });
  const whole = (/** @type {"before" | "after"} */ side) => steps.map((step) => step[side] ?? "").join("") || "empty";
  if (!parts.length) return `Both are ${whole("after")}.`;
  return `From ${whole("before")} to ${whole("after")}: ${parts.join(", ")}.`;
}

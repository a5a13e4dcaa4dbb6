// What differs between two strings: the fewest letters that are changed, added or removed. Pure.

/**
 * One step of the way from one string to the other. `before` is null where a letter is added, `after` where one is
 * removed.
 * @typedef {{ kind: "same" | "changed" | "added" | "removed", before: string | null, after: string | null }} Step
 */

/**
 * The alignment of two strings with the fewest changes (Levenshtein's distance); of several such, the one that begins
 * with what both have.
 * @param {string} before
 * @param {string} after
 * @returns {Step[]}
 */
export function align(before, after) {
  const [a, b] = [[...before], [...after]];
  const left = distances(a, b);
  /** @type {Step[]} */
  const steps = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const both = i < a.length && j < b.length;
    const same = both && a[i] === b[j];
    if (both && left[i][j] === left[i + 1][j + 1] + (same ? 0 : 1))
      steps.push({ kind: same ? "same" : "changed", before: a[i++], after: b[j++] });
    else if (i < a.length && left[i][j] === left[i + 1][j] + 1)
      steps.push({ kind: "removed", before: a[i++], after: null });
    else steps.push({ kind: "added", before: null, after: b[j++] });
  }
  return steps;
}

/**
 * How many changes lead from what is left of `a` at i to what is left of `b` at j.
 * @param {string[]} a
 * @param {string[]} b
 */
function distances(a, b) {
  const left = Array.from({ length: a.length + 1 }, () => new Array(b.length + 1).fill(0));
  for (let i = a.length; i >= 0; i--)
    for (let j = b.length; j >= 0; j--) {
      if (i === a.length || j === b.length) left[i][j] = a.length - i + (b.length - j);
      else if (a[i] === b[j]) left[i][j] = left[i + 1][j + 1];
      else left[i][j] = 1 + Math.min(left[i + 1][j + 1], left[i + 1][j], left[i][j + 1]);
    }
  return left;
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

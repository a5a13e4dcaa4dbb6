// What differs between two rows, and which columns are shown where there is no room for all. Pure.

/**
 * Whether each cell differs.
 * @param {(string | null)[] | null} before null: there is nothing to differ from
 * @param {(string | null)[]} after
 */
export const changesOf = (before, after) => after.map((cell, at) => before !== null && cell !== before[at]);

/**
 * The numbers of the columns to show, at most so many: those that changed before the others, all in their order.
 * @param {boolean[]} changes
 * @param {number} most
 */
export function chosen(changes, most) {
  const all = [...changes.keys()];
  if (all.length <= most) return all;
  const first = [...all.filter((at) => changes[at]), ...all.filter((at) => !changes[at])].slice(0, most);
  return first.sort((a, b) => a - b);
}

/** A cell in print: what is empty is a dash, and what is masked a dot. @param {string | null} cell */
export const printed = (cell) => (cell === null ? "·" : cell === "" ? "–" : cell);

/**
 * A row in words, for those who do not see it: what changed, or where nothing is compared all of it.
 * @param {string[]} columns
 * @param {(string | null)[] | null} before
 * @param {(string | null)[]} after
 */
export function spoken(columns, before, after, most = 12) {
  const changes = changesOf(before, after);
  const named = columns.map((name, at) => `${name} ${after[at] || "empty"}`);
  const told = before === null ? named : named.filter((_, at) => changes[at]);
  if (!told.length) return "nothing changed";
  const few = told.slice(0, most);
  if (told.length > most) few.push(`and ${told.length - most} more`);
  return (before === null ? "" : "changed: ") + few.join(", ");
}

// How the candidates of a round fill a room: as large as fits. Pure.

/**
 * What a kind of data asks of the cell that shows one of it.
 * @typedef {object} Proportions
 * @property {number} ratio width by height
 * @property {number | null} whole the width of which a cell should be a whole multiple, in pixels; null: any will do
 * @property {number} least the smallest width that can still be looked at, in pixels
 * @property {number} most the largest that is of use
 */

export const GAP = 14;
export const FOOT = 34;

/**
 * @param {number} n cells
 * @param {{ across: number, down: number }} room in pixels
 * @param {Proportions} proportions
 * @returns {{ columns: number, size: number }} `size`: the width of a cell
 */
export function fitCells(n, { across, down }, { ratio, whole, least, most }) {
  let best = { size: 0, columns: 1 };
  for (let columns = 1; columns <= n; columns++) {
    const rows = Math.ceil(n / columns);
    const byWidth = (across - GAP * (columns - 1)) / columns;
    const byHeight = ((down - (GAP + FOOT) * rows + GAP) / rows) * ratio;
    const size = Math.min(byWidth, byHeight);
    if (size > best.size) best = { size, columns };
  }
  // Where not all fit at a size that can be seen, the room scrolls.
  if (best.size < least) best.columns = Math.max(1, Math.min(n, Math.floor((across + GAP) / (least + GAP))));
  const size = Math.max(least, Math.min(best.size, most));
  const even = whole ? Math.floor(size / whole) * whole : 0;
  return { columns: best.columns, size: Math.floor(even >= 0.85 * size ? even : size) };
}

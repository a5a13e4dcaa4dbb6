// Where the nodes of the tree stand: depth downwards, leaves side by side, parents above the middle of their children.
// Pure: the same nodes give the same places. Without recursion, so that a history of thousands is no problem.

/** @import { DesignNode } from "./types.js" */

/**
 * @typedef {object} Layout in units of a slot
 * @property {Map<string, { x: number, y: number }>} places by node
 * @property {[parent: string, child: string][]} edges
 * @property {number} columns
 * @property {number} rows
 */

/**
 * @param {{ id: string, parent: string | null }[]} nodes
 * @returns {Layout}
 */
export function layout(nodes) {
  /** @type {Map<string, string[]>} */
  const children = new Map(nodes.map((node) => [node.id, []]));
  const roots = [];
  /** @type {[string, string][]} */
  const edges = [];
  for (const { id, parent } of nodes) {
    const siblings = parent === null ? undefined : children.get(parent);
    if (parent !== null && siblings) {
      siblings.push(id);
      edges.push([parent, id]);
    } else roots.push(id);
  }

  /** @type {Map<string, { x: number, y: number }>} */
  const places = new Map();
  const order = []; // parents before children
  /** @type {[id: string, y: number][]} */
  const stack = roots.reverse().map((id) => [id, 0]);
  let columns = 0;
  let rows = 0;
  for (let next = stack.pop(); next; next = stack.pop()) {
    const [id, y] = next;
    rows = Math.max(rows, y + 1);
    const below = children.get(id) ?? [];
    const place = { x: below.length ? NaN : columns++, y }; // a parent's x is known when its children's are
    places.set(id, place);
    order.push({ place, below });
    for (const child of below.toReversed()) stack.push([child, y + 1]);
  }
  for (const { place, below } of order.reverse()) {
    const [first, last] = [below.at(0), below.at(-1)].map((id) => id && places.get(id));
    if (first && last) place.x = (first.x + last.x) / 2;
  }
  return { places, edges, columns, rows };
}

/**
 * Kept nodes alone, oldest first; a node whose parent was not kept hangs from its nearest kept ancestor.
 * @param {Map<string, DesignNode>} all
 * @returns {DesignNode[]}
 */
export function keptOf(all) {
  const kept = [];
  for (const node of all.values()) {
    if (!node.kept) continue;
    let above = parentOf(node, all);
    while (above && !above.kept) above = parentOf(above, all);
    kept.push({ ...node, parent: above?.id ?? null });
  }
  return kept.sort((a, b) => a.created - b.created || a.index - b.index);
}

/** @param {DesignNode} node @param {Map<string, DesignNode>} all */
const parentOf = ({ parent }, all) => (parent === null ? undefined : all.get(parent));

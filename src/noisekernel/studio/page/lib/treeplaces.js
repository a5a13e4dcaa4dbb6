// From slots of the tree to pixels: how far apart nodes stand, where names have room, how lines run, and where arrow
// keys lead. Pure.

/** @import { Layout } from "./treelayout.js" */

export const MARGIN = 16;
export const NAME = 22; // under a row with a name in it
const MOST_NAME = 160;

/** @typedef {{ id: string, name: string | null }} Named */
/** @typedef {{ x: number, y: number }} Spot */
/** @typedef {{ nodes: Named[], top: number, name: number }} Row `name`: how high the names under it are */

/**
 * @typedef {object} Places in pixels
 * @property {number} width
 * @property {number} height
 * @property {(id: string) => Spot} spot the middle of a node's thumbnail
 * @property {(id: string) => number} row
 * @property {Row[]} rows
 * @property {Set<string>} parents
 */

/**
 * @param {Layout} tree
 * @param {Named[]} nodes
 * @param {{ thumb: number, across: number, down: number, width: number }} size of thumbnails, slots and the room
 * @returns {Places}
 */
export function spread(tree, nodes, { thumb, across: most, down, width: room }) {
  const { columns, places } = tree;
  // A wide tree moves closer together before it has to be scrolled.
  const across = Math.max(thumb + 6, Math.min(most, (room - 2 * MARGIN) / columns));
  const width = Math.max(room, columns * across + 2 * MARGIN);
  const left = (width - columns * across) / 2;
  /** @param {string} id */
  const slot = (id) => places.get(id) ?? { x: 0, y: 0 };
  /** @type {Row[]} */
  const rows = Array.from({ length: tree.rows }, () => ({ nodes: [], top: 0, name: 0 }));
  for (const node of nodes) {
    const row = rows[slot(node.id).y];
    row.nodes.push(node);
    if (node.name) row.name = NAME;
  }
  let bottom = MARGIN;
  for (const row of rows) {
    row.top = bottom;
    bottom += down + row.name;
  }
  return {
    width,
    height: bottom + MARGIN,
    spot: (id) => ({ x: left + (slot(id).x + 0.5) * across, y: rows[slot(id).y].top + thumb / 2 }),
    row: (id) => slot(id).y,
    rows,
    parents: new Set(tree.edges.map(([from]) => from)),
  };
}

/**
 * How wide a name may be: short of other names of its row, of lines that go down between them, and of the edge.
 * @param {Named} node
 * @param {Places} places
 */
export function roomForName(node, { spot, row, rows, parents, width }) {
  const { x } = spot(node.id);
  let room = 2 * Math.min(x, width - x) - 8;
  for (const other of rows[row(node.id)].nodes) {
    if (other.id === node.id || !(other.name || parents.has(other.id))) continue;
    const apart = Math.abs(spot(other.id).x - x);
    room = Math.min(room, other.name ? apart - 6 : 2 * apart - 8);
  }
  return Math.min(room, MOST_NAME);
}

/**
 * The lines from parents to children, as paths: those up from the present node apart from the others.
 * @param {Layout["edges"]} edges
 * @param {Places} places
 * @param {{ thumb: number, named: Set<string>, present: string | null }} options
 */
export function edgePaths(edges, { spot, row, rows }, { thumb, named, present }) {
  const trail = ancestors(edges, present);
  const paths = { lines: "", trail: "" };
  for (const [from, to] of edges) {
    const [a, b] = [spot(from), spot(to)];
    // Straight down beside the names of the row, from below the own one, and only then aside.
    const foot = a.y + thumb / 2;
    const clear = foot + rows[row(from)].name;
    const head = b.y - thumb / 2;
    const middle = (clear + head) / 2;
    const start = named.has(from) ? clear : foot;
    const path = `M${a.x} ${start}V${clear}C${a.x} ${middle} ${b.x} ${middle} ${b.x} ${head}`;
    paths[trail.has(to) ? "trail" : "lines"] += path;
  }
  return paths;
}

/** A node and all above it. @param {Layout["edges"]} edges @param {string | null} id */
export function ancestors(edges, id) {
  const parents = new Map(edges.map(([from, to]) => [to, from]));
  /** @type {Set<string>} */
  const found = new Set();
  for (let at = id ?? undefined; at !== undefined; at = parents.get(at)) found.add(at);
  return found;
}

/**
 * Up to the parent, down to the child last made, left and right among those of the same depth; null: there is none.
 * @param {Pick<Layout, "places" | "edges">} tree
 * @param {string | null} id
 * @param {string} key
 * @returns {string | null}
 */
export function neighbour({ places, edges }, id, key) {
  const at = id === null ? undefined : places.get(id);
  if (!at) return null;
  if (key === "ArrowUp") return edges.find(([, to]) => to === id)?.[0] ?? null;
  if (key === "ArrowDown") return edges.findLast(([from]) => from === id)?.[1] ?? null;
  const side = key === "ArrowLeft" ? -1 : 1;
  const level = [...places].filter(([, place]) => place.y === at.y && (place.x - at.x) * side > 0);
  return level.sort((a, b) => (a[1].x - b[1].x) * side)[0]?.[0] ?? null;
}

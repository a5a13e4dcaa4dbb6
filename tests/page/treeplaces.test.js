import assert from "node:assert/strict";
import test from "node:test";

import { layout } from "../../src/noisekernel/studio/page/lib/treelayout.js";
import {
  ancestors, edgePaths, MARGIN, NAME, neighbour, roomForName, spread,
} from "../../src/noisekernel/studio/page/lib/treeplaces.js";

const SIZE = { thumb: 44, across: 56, down: 66, width: 292 };

/** @param {[id: string, parent: string | null, name?: string][]} given */
function planted(given, size = SIZE) {
  const nodes = given.map(([id, parent, name]) => ({ id, parent, name: name ?? null }));
  const tree = layout(nodes);
  return { nodes, tree, places: spread(tree, nodes, size) };
}

test("one node stands in the middle of the room", () => {
  const { places } = planted([["a", null]]);
  assert.deepEqual(places.spot("a"), { x: 146, y: MARGIN + 22 });
  assert.deepEqual([places.width, places.height], [292, MARGIN + 66 + MARGIN]);
});

test("an empty tree has a ground all the same", () => {
  const { places } = planted([]);
  assert.deepEqual([places.width, places.height, places.rows], [292, 2 * MARGIN, []]);
});

/** @param {number} count @returns {[string, string | null][]} */
const fan = (count) => [["a", null], ...Array.from({ length: count }, (_, at) => /** @type {any} */ ([`${at}`, "a"]))];

test("a wide tree moves closer together, then grows beyond the room", () => {
  const { places: close } = planted(fan(5));
  assert.equal(close.width, 292);
  assert.ok(Math.abs(close.spot("1").x - close.spot("0").x - 52) < 1e-9);
  const { places: wide } = planted(fan(20));
  assert.equal(wide.spot("1").x - wide.spot("0").x, 50);
  assert.equal(wide.width, 20 * 50 + 2 * MARGIN);
});

test("a row with a name is higher by the name", () => {
  const without = planted([["a", null], ["b", "a"]]).places;
  const { places } = planted([["a", null, "begin"], ["b", "a"]]);
  assert.equal(places.spot("b").y, without.spot("b").y + NAME);
  assert.equal(places.spot("a").y, without.spot("a").y);
});

test("a name ends short of the names beside it, of lines that go down, and of the edge", () => {
  const { nodes, places } = planted([["a", null], ["b", "a", "left"], ["c", "a", "right"], ["d", "a"], ["e", "d"]]);
  const apart = places.spot("c").x - places.spot("b").x;
  assert.equal(roomForName(nodes[1], places), apart - 6); // another name
  assert.equal(roomForName(nodes[2], places), Math.min(apart - 6, 2 * apart - 8));
  const alone = planted([["a", null, "a name"]]);
  assert.equal(roomForName(alone.nodes[0], alone.places), 160);
  const narrow = planted([["a", null, "a name"]], { ...SIZE, width: 100 });
  assert.equal(roomForName(narrow.nodes[0], narrow.places), 2 * 50 - 8);
  const beside = planted([["a", null], ["b", "a", "named"], ["c", "a"], ["d", "c"]]);
  assert.equal(roomForName(beside.nodes[1], beside.places), 2 * 56 - 8); // a line down
});

test("the way up from the present node is drawn apart", () => {
  const { tree, places } = planted([["a", null], ["b", "a"], ["c", "a"], ["d", "c"]]);
  const count = (/** @type {string} */ path) => path.split("M").length - 1;
  const options = { thumb: 44, named: /** @type {Set<string>} */ (new Set()) };
  const paths = edgePaths(tree.edges, places, { ...options, present: "d" });
  assert.deepEqual([count(paths.trail), count(paths.lines)], [2, 1]);
  const none = edgePaths(tree.edges, places, { ...options, present: null });
  assert.deepEqual([count(none.trail), count(none.lines)], [0, 3]);
});

test("the line from a node with a name begins below the name", () => {
  const { tree, places } = planted([["a", null, "begin"], ["b", "a"]]);
  const foot = places.spot("a").y + 22;
  const { trail } = edgePaths(tree.edges, places, { thumb: 44, named: new Set(["a"]), present: "b" });
  assert.ok(trail.startsWith(`M146 ${foot + NAME}V${foot + NAME}`), trail);
});

test("ancestors begin with the node itself", () => {
  assert.deepEqual([...ancestors([["a", "b"], ["b", "c"], ["a", "d"]], "c")], ["c", "b", "a"]);
  assert.deepEqual([...ancestors([], null)], []);
});

test("arrow keys lead to the parent, the child last made, and the neighbours of the same depth", () => {
  const { tree } = planted([["a", null], ["b", "a"], ["c", "a"], ["d", "b"], ["e", "c"]]);
  /** @param {string} id */
  const from = (id) => ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"].map((key) => neighbour(tree, id, key));
  assert.deepEqual(from("a"), [null, "c", null, null]);
  assert.deepEqual(from("b"), ["a", "d", null, "c"]);
  assert.deepEqual(from("e"), ["c", null, "d", null]); // a cousin
  assert.deepEqual(from("nowhere"), [null, null, null, null]);
  assert.equal(neighbour(tree, null, "ArrowUp"), null);
});

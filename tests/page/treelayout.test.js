import assert from "node:assert/strict";
import test from "node:test";

import { keptOf, layout } from "../../src/noisekernel/studio/page/lib/treelayout.js";

/** @param {string} id @param {string | null} parent */
const node = (id, parent) => ({ id, parent });

test("nothing has no place", () => {
  assert.deepEqual(layout([]), { places: new Map(), edges: [], columns: 0, rows: 0 });
});

test("one node stands in the first slot", () => {
  assert.deepEqual(layout([node("a", null)]).places, new Map([["a", { x: 0, y: 0 }]]));
});

test("parents stand above the middle of their first and last child", () => {
  const { places, edges, columns, rows } = layout([node("a", null), node("b", "a"), node("c", "a"), node("d", "a")]);
  assert.deepEqual(places.get("a"), { x: 1, y: 0 });
  assert.deepEqual(["b", "c", "d"].map((id) => places.get(id)), [{ x: 0, y: 1 }, { x: 1, y: 1 }, { x: 2, y: 1 }]);
  assert.deepEqual(edges, [["a", "b"], ["a", "c"], ["a", "d"]]);
  assert.deepEqual([columns, rows], [3, 2]);
});

test("branches of different depths do not cross", () => {
  const { places } = layout([node("a", null), node("b", "a"), node("c", "a"), node("d", "b"), node("e", "b")]);
  assert.deepEqual(["d", "e", "c"].map((id) => places.get(id)?.x), [0, 1, 2]);
  assert.equal(places.get("b")?.x, 0.5);
  assert.equal(places.get("a")?.x, 1.25);
});

test("several roots stand side by side, in their order", () => {
  const { places } = layout([node("a", null), node("b", null), node("c", "a")]);
  assert.deepEqual(["a", "c", "b"].map((id) => places.get(id)), [{ x: 0, y: 0 }, { x: 0, y: 1 }, { x: 1, y: 0 }]);
});

test("a node whose parent is not among the nodes is a root", () => {
  const { places, edges } = layout([node("a", "gone")]);
  assert.deepEqual([places.get("a"), edges], [{ x: 0, y: 0 }, []]);
});

test("children may come before their parents", () => {
  const { places } = layout([node("b", "a"), node("a", null)]);
  assert.deepEqual([places.get("a"), places.get("b")], [{ x: 0, y: 0 }, { x: 0, y: 1 }]);
});

test("thousands of nodes have a place each, however deep", () => {
  const nodes = [node("0", null)];
  for (let at = 1; at < 3000; at++) nodes.push(node(`${at}`, `${Math.floor((at - 1) / 3)}`));
  for (let at = 3000; at < 23000; at++) nodes.push(node(`${at}`, `${at - 1}`));
  const { places, rows, columns } = layout(nodes);
  const spots = [...places.values()];
  assert.equal(new Set(spots.map(({ x, y }) => `${x} ${y}`)).size, nodes.length);
  assert.ok(rows > 20000);
  assert.ok(spots.every(({ x }) => x >= 0 && x < columns));
});

/** @param {string} id @param {Partial<import("../../src/noisekernel/studio/page/lib/types.js").DesignNode>} more */
const known = (id, more = {}) => ({
  id, parent: null, round: null, index: 0, task: "vary", kept: true, starred: false, name: null, created: 0, ...more,
});
/** @param {ReturnType<typeof known>[]} nodes */
const all = (...nodes) => new Map(nodes.map((one) => [one.id, one]));

test("what was not kept is left out, and its children hang from the nearest kept ancestor", () => {
  const nodes = all(
    known("a"), known("b", { parent: "a", kept: false }), known("c", { parent: "b", kept: false }),
    known("d", { parent: "c", created: 1 }),
  );
  assert.deepEqual(keptOf(nodes).map(({ id, parent }) => [id, parent]), [["a", null], ["d", "a"]]);
});

test("a kept node without a kept ancestor is a root", () => {
  const nodes = all(known("a", { kept: false }), known("b", { parent: "a" }), known("c", { parent: "deleted" }));
  assert.deepEqual(keptOf(nodes).map(({ parent }) => parent), [null, null]);
});

test("kept nodes are in the order in which they were made, candidates of one round by number", () => {
  const nodes = all(
    known("late", { created: 10 }), known("second", { created: 9, index: 1 }), known("first", { created: 9 }),
  );
  assert.deepEqual(keptOf(nodes).map(({ id }) => id), ["first", "second", "late"]);
});

test("the nodes that were given stay as they are", () => {
  const nodes = all(known("a", { kept: false }), known("b", { parent: "a" }));
  keptOf(nodes);
  assert.equal(nodes.get("b")?.parent, "a");
});

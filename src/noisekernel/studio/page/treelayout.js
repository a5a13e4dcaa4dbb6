// Where the nodes of the tree stand: depth downwards, leaves side by side, parents above the middle of their children.
// Pure: the same nodes give the same places. Without recursion, so that a history of thousands is no problem.

/** nodes: [{id, parent, created}] -> {places: Map id -> {x, y}, edges: [[parent, child]], columns, rows}, in units of a slot. */
export function layout(nodes) {
  const children = new Map(nodes.map((node) => [node.id, []]));
  const roots = [];
  const edges = [];
  for (const node of nodes) {
    if (children.has(node.parent)) {
      children.get(node.parent).push(node.id);
      edges.push([node.parent, node.id]);
    } else roots.push(node.id);
  }

  const places = new Map();
  const order = []; // parents before children
  const stack = roots.map((id) => [id, 0]).reverse();
  let column = 0;
  let rows = 0;
  while (stack.length) {
    const [id, y] = stack.pop();
    order.push(id);
    rows = Math.max(rows, y + 1);
    const below = children.get(id);
    places.set(id, { x: below.length ? null : column++, y });
    for (let at = below.length - 1; at >= 0; at--) stack.push([below[at], y + 1]);
  }
  for (const id of order.reverse()) {
    const below = children.get(id);
    if (below.length) places.get(id).x = (places.get(below[0]).x + places.get(below.at(-1)).x) / 2;
  }
  return { places, edges, columns: column, rows };
}

/** Kept nodes alone; a node whose parent was not kept hangs from its nearest kept ancestor. */
export function keptOf(all) {
  const kept = [];
  for (const node of all.values()) {
    if (!node.kept) continue;
    let parent = node.parent;
    while (parent !== null && all.has(parent) && !all.get(parent).kept) parent = all.get(parent).parent;
    kept.push({ ...node, parent: all.has(parent) ? parent : null });
  }
  return kept.sort((a, b) => (a.created < b.created ? -1 : a.created > b.created ? 1 : a.index - b.index));
}

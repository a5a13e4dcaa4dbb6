// The history as a tree of thumbnails. Click or arrow keys step to a node; Ctrl-click picks it.

/** @import { DesignNode } from "../lib/types.js" */
/** @import { Layout } from "../lib/treelayout.js" */

import { h, icon, iconButton, set, severally, targetOf, text } from "../lib/dom.js";
import { goTo, pick } from "../lib/nodes.js";
import { opinion, state, update, watch } from "../lib/state.js";
import { told } from "../lib/toast.js";
import { edgePaths, MARGIN, NAME, neighbour, roomForName, spread } from "../lib/treeplaces.js";
import { keptOf, layout } from "../lib/treelayout.js";
import { title } from "../tools/naming.js";
import { thumbnailOf, words } from "../viewers/index.js";
import { inspector } from "./inspector.js";

const SIZES = [
  { thumb: 28, across: 36, down: 44 }, { thumb: 44, across: 56, down: 66 }, { thumb: 64, across: 78, down: 90 },
];

/** @param {HTMLElement} place */
export function tree(place) {
  /** Reused, so that a change of one node is a change of one element. @type {Map<string, Leaf>} */
  const leaves = new Map();
  const edges = h("svg", { class: "edges", "aria-hidden": "true" });
  const lines = h("path", {});
  const trail = h("path", { class: "trail" });
  edges.append(lines, trail);
  const ground = h("div", { class: "ground", role: "tree" }, edges);
  const pane = h("div", { class: "pane" }, ground);
  /** Until it is chosen: the middle size, or the small one where that alone fits. @type {number | null} */
  let zoom = null;
  /** @type {Layout & { nodes: DesignNode[] }} */
  let drawn = { nodes: [], ...layout([]) };

  const resize = () => {
    zoom = (SIZES.indexOf(size()) + 1) % SIZES.length;
    draw();
    reveal();
  };

  const start = h("button", { type: "button", class: "quiet", onclick: () => update({ view: "start" }) },
    icon("plus"), "Start");
  const bar = h("div", { class: "bar" }, h("h2", {}, "History"), h("span", { class: "grow" }),
    iconButton("size", "Size of the thumbnails", resize), start);
  place.append(bar, pane, inspector());
  panByHand(pane);
  watch(["model"], () => {
    set(ground, "aria-label", `Tree of chosen ${words().many}`);
    set(start, "title", `Start from another ${words().one} (N)`);
  });

  function size() {
    if (zoom !== null) return SIZES[zoom];
    return drawn.columns * (SIZES[1].thumb + 6) + 2 * MARGIN > pane.clientWidth ? SIZES[0] : SIZES[1];
  }

  function draw() {
    const nodes = keptOf(state.nodes);
    drawn = { nodes, ...layout(nodes) };
    const { thumb } = size();
    const places = spread(drawn, nodes, { ...size(), width: pane.clientWidth });
    ground.style.setProperty("--thumb", `${thumb}px`);
    ground.style.width = `${places.width}px`;
    ground.style.height = `${places.height}px`;

    for (const [id, one] of leaves) if (!drawn.places.has(id)) (one.element.remove(), leaves.delete(id));
    const focusable = state.present && drawn.places.has(state.present) ? state.present : nodes[0]?.id;
    for (const node of nodes) {
      let one = leaves.get(node.id);
      if (!one) leaves.set(node.id, (one = leaf(node)));
      const { x, y } = places.spot(node.id);
      one.element.style.transform = `translate(${x - thumb / 2}px, ${y - thumb / 2}px)`;
      set(one.element, "aria-level", places.row(node.id) + 1);
      set(one.element, "tabindex", node.id === focusable ? "0" : "-1");
      one.show(node, node.name ? roomForName(node, places) : 0);
      // The document's order is the tree's order, for those who tab and listen.
      if (one.element.parentNode !== ground) ground.append(one.element);
    }
    const named = new Set(nodes.filter((node) => node.name).map((node) => node.id));
    const paths = edgePaths(drawn.edges, places, { thumb, named, present: state.present });
    lines.setAttribute("d", paths.lines);
    trail.setAttribute("d", paths.trail);
  }

  /** Into sight within the pane. Not by scrollIntoView, which would scroll a phone's page too. */
  function reveal() {
    const box = state.present ? leaves.get(state.present)?.element.getBoundingClientRect() : null;
    if (!box) return;
    const frame = pane.getBoundingClientRect();
    /** @param {number} low @param {number} high @param {number} from @param {number} to */
    const by = (low, high, from, to) => Math.min(0, low - MARGIN - from) || Math.max(0, high + MARGIN - to);
    const across = by(box.left, box.right, frame.left, frame.right);
    pane.scrollBy(across, by(box.top, box.bottom + NAME, frame.top, frame.bottom));
  }

  /** @type {string | null} */
  let last = null;
  watch(["nodes", "present", "picked", "opinions", "design", "model"], () => {
    draw();
    if (state.present !== last) requestAnimationFrame(reveal);
    last = state.present;
  });
  new ResizeObserver(draw).observe(pane);

  /** Step through the tree by an arrow key. @param {string} key */
  function move(key) {
    const inside = state.present !== null && drawn.places.has(state.present);
    const next = inside ? neighbour(drawn, state.present, key) : drawn.nodes.at(-1)?.id;
    if (!next) return;
    const held = ground.contains(document.activeElement);
    const done = stepTo(next);
    if (held) queueMicrotask(() => leaves.get(next)?.element.focus());
    return done;
  }

  return { move: told(move) };
}

/** @typedef {ReturnType<typeof leaf>} Leaf */

/** @param {DesignNode} node */
function leaf({ id }) {
  const display = thumbnailOf(state.model);
  const label = h("span", { class: "label", "aria-hidden": "true" });
  const onclick = told(async (/** @type {MouseEvent} */ event) => (severally(event) ? pick(id) : stepTo(id)));
  const element = h("button", { type: "button", role: "treeitem", class: "leaf", "data-node": id, onclick },
    display.element, label);

  /** @param {DesignNode} node @param {number} room for its name, in pixels */
  function show(node, room) {
    display.show(node, "");
    const picked = state.picked.has(id);
    const judged = { 1: "liked", [-1]: "disliked" }[opinion(id)];
    const said = [title(node), node.starred && "starred", judged, picked && "picked"];
    set(element, "aria-selected", String(id === state.present));
    set(element, "aria-label", said.filter(Boolean).join(", "));
    set(element, "title", title(node));
    element.classList.toggle("starred", Boolean(node.starred));
    element.classList.toggle("picked", picked);
    element.classList.toggle("named", Boolean(node.name));
    text(label, node.name ?? "");
    label.style.maxWidth = `${room}px`;
  }
  return { element, show };
}

/** Stand at a node and look at it. @param {string} id */
export function stepTo(id) {
  return goTo(id, { view: state.tool === "paint" ? "paint" : "node" });
}

/** Drag the ground to look elsewhere; a touch scrolls by itself. @param {HTMLElement} pane */
function panByHand(pane) {
  /** @type {{ x: number, y: number } | null} */
  let from = null;
  pane.addEventListener("pointerdown", (event) => {
    if (event.pointerType !== "mouse" || targetOf(event).closest("button")) return;
    from = { x: event.clientX + pane.scrollLeft, y: event.clientY + pane.scrollTop };
    pane.setPointerCapture(event.pointerId);
  });
  pane.addEventListener("pointermove", (event) => {
    if (from) pane.scrollTo(from.x - event.clientX, from.y - event.clientY);
  });
  for (const end of ["pointerup", "pointercancel"]) pane.addEventListener(end, () => (from = null));
}

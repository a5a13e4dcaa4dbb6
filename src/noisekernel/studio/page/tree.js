// The history as a tree of thumbnails. Click or arrow keys step to a node; Ctrl-click picks it.

import { picture } from "./api.js";
import { goTo, pick, title } from "./design.js";
import { h, icon, iconButton, set } from "./dom.js";
import { inspector } from "./inspector.js";
import { state, update, watch } from "./state.js";
import { told } from "./toast.js";
import { keptOf, layout } from "./treelayout.js";

const SIZES = [{ thumb: 28, across: 36, down: 44 }, { thumb: 44, across: 56, down: 66 }, { thumb: 64, across: 78, down: 90 }];
const MARGIN = 16;
const NAME = 22; // under a row with a name in it

export function tree(place) {
  const elements = new Map(); // id -> button; reused, so that a change of one node is a change of one element
  const edges = h("svg", { class: "edges", "aria-hidden": "true" });
  const lines = h("path", {});
  const trail = h("path", { class: "trail" });
  edges.append(lines, trail);
  const ground = h("div", { class: "ground", role: "tree", "aria-label": "Tree of chosen pictures" }, edges);
  const pane = h("div", { class: "pane" }, ground);
  let zoom = null; // until it is chosen: the middle size, or the small one where that alone fits
  let drawn = null;

  const resize = () => {
    zoom = (SIZES.indexOf(size()) + 1) % SIZES.length;
    draw();
    reveal();
  };

  place.append(
    h(
      "div",
      { class: "bar" },
      h("h2", {}, "History"),
      h("span", { class: "grow" }),
      iconButton("size", "Size of the thumbnails", resize),
      h("button", { type: "button", class: "quiet", title: "Start from another picture (N)", onclick: () => update({ view: "start" }) }, icon("plus"), "Start"),
    ),
    pane,
    inspector(),
  );
  panByHand(pane);

  function size() {
    if (zoom !== null) return SIZES[zoom];
    return drawn.columns * (SIZES[1].thumb + 6) + 2 * MARGIN > pane.clientWidth ? SIZES[0] : SIZES[1];
  }

  function draw() {
    const nodes = keptOf(state.nodes);
    drawn = { nodes, ...layout(nodes) };
    const { thumb, across: most, down } = size();
    // A wide tree moves closer together before it has to be scrolled.
    const across = Math.max(thumb + 6, Math.min(most, (pane.clientWidth - 2 * MARGIN) / drawn.columns));
    const width = Math.max(pane.clientWidth, drawn.columns * across + 2 * MARGIN);
    const left = (width - drawn.columns * across) / 2;
    const rows = rowsOf(nodes, drawn.places);
    let bottom = MARGIN;
    for (const row of rows) {
      row.top = bottom;
      bottom += down + row.name;
    }
    const spot = (id) => {
      const { x, y } = drawn.places.get(id);
      return { x: left + x * across + across / 2, y: rows[y].top + thumb / 2 };
    };
    const parents = new Set(drawn.edges.map(([from]) => from));
    ground.style.setProperty("--thumb", `${thumb}px`);
    ground.style.width = `${width}px`;
    ground.style.height = `${bottom + MARGIN}px`;

    for (const [id, element] of elements) if (!drawn.places.has(id)) (element.remove(), elements.delete(id));
    for (const node of nodes) {
      let element = elements.get(node.id);
      if (!element) elements.set(node.id, (element = leaf(node)));
      const { x, y } = spot(node.id);
      element.style.transform = `translate(${x - thumb / 2}px, ${y - thumb / 2}px)`;
      const here = node.id === state.present;
      set(element, "aria-selected", String(here));
      set(element, "aria-level", drawn.places.get(node.id).y + 1);
      set(element, "tabindex", here || (!drawn.places.has(state.present) && node === nodes[0]) ? "0" : "-1");
      const opinion = state.opinions.get(node.id);
      const judged = { 1: "liked", [-1]: "disliked" }[opinion];
      const words = [title(node), node.starred && "starred", judged, state.picked.has(node.id) && "picked"];
      set(element, "aria-label", words.filter(Boolean).join(", "));
      set(element, "title", title(node));
      element.classList.toggle("starred", Boolean(node.starred));
      element.classList.toggle("picked", state.picked.has(node.id));
      element.classList.toggle("named", Boolean(node.name));
      element.lastChild.textContent = node.name ?? "";
      if (node.name) {
        const row = rows[drawn.places.get(node.id).y].nodes;
        element.lastChild.style.maxWidth = `${roomForName(node, row, spot, parents, width)}px`;
      }
      // The document's order is the tree's order, for those who tab and listen.
      if (element.parentNode !== ground) ground.append(element);
    }

    const up = new Set(ancestors(state.present));
    const paths = { lines: "", trail: "" };
    for (const [from, to] of drawn.edges) {
      const a = spot(from);
      const b = spot(to);
      // Straight down beside the names of the row, from below the own one, and only then aside.
      const foot = a.y + thumb / 2;
      const clear = foot + rows[drawn.places.get(from).y].name;
      const head = b.y - thumb / 2;
      const middle = (clear + head) / 2;
      const start = state.nodes.get(from).name ? clear : foot;
      const path = `M${a.x} ${start}V${clear}C${a.x} ${middle} ${b.x} ${middle} ${b.x} ${head}`;
      paths[up.has(to) ? "trail" : "lines"] += path;
    }
    lines.setAttribute("d", paths.lines);
    trail.setAttribute("d", paths.trail);
  }

  function leaf(node) {
    const small = (state.model?.shape.at(-1) ?? 0) <= 64;
    return h(
      "button",
      {
        type: "button",
        role: "treeitem",
        class: "leaf",
        "data-node": node.id,
        onclick: told((event) => {
          if (event.ctrlKey || event.metaKey || event.shiftKey) pick(node.id);
          else return stepTo(node.id);
        }),
      },
      h("img", { src: picture(node.id), alt: "", loading: "lazy", draggable: "false", class: small ? "pixels" : "" }),
      h("span", { class: "label", "aria-hidden": "true" }),
    );
  }

  function* ancestors(id) {
    const parents = new Map(drawn.edges.map(([from, to]) => [to, from]));
    for (let at = id; at !== undefined; at = parents.get(at)) yield at;
  }

  /** Into sight within the pane. Not by scrollIntoView, which would scroll a phone's page too. */
  function reveal() {
    const box = elements.get(state.present)?.getBoundingClientRect();
    if (!box) return;
    const frame = pane.getBoundingClientRect();
    const by = (low, high, from, to) => Math.min(0, low - MARGIN - from) || Math.max(0, high + MARGIN - to);
    pane.scrollBy(by(box.left, box.right, frame.left, frame.right), by(box.top, box.bottom + NAME, frame.top, frame.bottom));
  }

  let last = null;
  watch(["nodes", "present", "picked", "opinions", "design", "model"], () => {
    draw();
    if (state.present !== last) requestAnimationFrame(reveal);
    last = state.present;
  });
  new ResizeObserver(draw).observe(pane);

  /** Up to the parent, down to the child last made, left and right among those of the same depth. */
  function move(key) {
    const at = drawn.places.get(state.present);
    if (!at) return drawn.nodes.length ? stepTo(drawn.nodes.at(-1).id) : undefined;
    const edge = { ArrowUp: ([, to]) => to === state.present, ArrowDown: ([from]) => from === state.present }[key];
    let next;
    if (edge) {
      const found = drawn.edges.filter(edge).at(-1);
      next = found && (key === "ArrowUp" ? found[0] : found[1]);
    } else {
      const side = key === "ArrowLeft" ? -1 : 1;
      const level = [...drawn.places].filter(([, place]) => place.y === at.y && (place.x - at.x) * side > 0);
      next = level.sort((a, b) => (a[1].x - b[1].x) * side)[0]?.[0];
    }
    if (!next) return;
    const held = ground.contains(document.activeElement);
    const done = stepTo(next);
    if (held) queueMicrotask(() => elements.get(next)?.focus());
    return done;
  }

  return { move: told(move) };
}

/** The rows of the tree: the nodes of each, and how high the names under it are. */
function rowsOf(nodes, places) {
  const rows = [];
  for (const node of nodes) {
    const row = (rows[places.get(node.id).y] ??= { nodes: [], name: 0 });
    row.nodes.push(node);
    if (node.name) row.name = NAME;
  }
  return rows;
}

/** How wide a name may be: short of other names of its row, of lines that go down between them, and of the edge. */
function roomForName(node, row, spot, parents, width) {
  const { x } = spot(node.id);
  let room = 2 * Math.min(x, width - x) - 8;
  for (const other of row) {
    if (other.id === node.id || !(other.name || parents.has(other.id))) continue;
    const apart = Math.abs(spot(other.id).x - x);
    room = Math.min(room, other.name ? apart - 6 : 2 * apart - 8);
  }
  return Math.min(room, 160);
}

/** Stand at a node and look at it. */
export function stepTo(id) {
  return goTo(id, { view: state.tool === "paint" ? "paint" : "node" });
}

/** Drag the ground to look elsewhere; a touch scrolls by itself. */
function panByHand(pane) {
  let from = null;
  pane.addEventListener("pointerdown", (event) => {
    if (event.pointerType !== "mouse" || event.target.closest("button")) return;
    from = { x: event.clientX + pane.scrollLeft, y: event.clientY + pane.scrollTop };
    pane.setPointerCapture(event.pointerId);
  });
  pane.addEventListener("pointermove", (event) => {
    if (from) pane.scrollTo(from.x - event.clientX, from.y - event.clientY);
  });
  for (const end of ["pointerup", "pointercancel"]) pane.addEventListener(end, () => (from = null));
}

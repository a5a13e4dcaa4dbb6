// Painting on the present picture what to make anew or what to lock, with mouse, finger, pen or keys.

import { picture, Refusal } from "./api.js";
import { title } from "./design.js";
import { h, icon, set, text } from "./dom.js";
import { inpaint } from "./generate.js";
import { enlarge } from "./large.js";
import { Mask } from "./mask.js";
import { present, state, watch } from "./state.js";
import { say, told } from "./toast.js";

export function painter() {
  const image = h("img", { alt: "", draggable: "false" });
  const veil = h("canvas", { class: "veil" });
  const board = h("div", {
    class: "board", tabindex: "0", role: "application", "aria-roledescription": "painting",
    "aria-label": "Picture to paint on. Arrow keys move the brush, space paints.",
  }, image, veil);
  const heading = h("h2", {}, "Paint");
  const share = h("span", { class: "soft small" });
  const element = h("section", { class: "view", "aria-label": "Paint" },
    h("div", { class: "bar" }, h("div", { class: "titles" }, heading, share)),
    h("div", { class: "room centre" }, board));

  const brush = { kind: "anew", size: 4, feather: 0 };
  let mask = new Mask(1, 1);
  let of = null; // the node the mask belongs to
  let at = null; // where the brush is, in pixels of the picture
  let stroking = false;
  const watchers = new Set();
  const changed = () => (draw(), watchers.forEach((run) => run()));

  function draw() {
    const scale = Math.max(1, Math.round(256 / mask.width)); // fine enough for a brush's outline
    veil.width = mask.width * scale;
    veil.height = mask.height * scale;
    const context = veil.getContext("2d");
    const soft = mask.softened(brush.feather);
    context.fillStyle = context.strokeStyle = getComputedStyle(board).getPropertyValue("--veil");
    soft.forEach((value, index) => {
      if (!value) return;
      context.globalAlpha = 0.25 + 0.4 * value;
      context.fillRect((index % mask.width) * scale, Math.floor(index / mask.width) * scale, scale, scale);
    });
    context.globalAlpha = 1;
    outline(context, scale);
    if (at) {
      context.beginPath();
      context.arc(at.x * scale, at.y * scale, Math.max(0.5, brush.size / 2) * scale, 0, 2 * Math.PI);
      context.lineWidth = 3;
      context.strokeStyle = "rgb(0 0 0 / 0.6)";
      context.stroke();
      context.lineWidth = 1.5;
      context.strokeStyle = "white";
      context.stroke();
    }
    const painted = Math.round(100 * mask.share);
    text(share, mask.empty ? "paint what to make anew; everything else stays bit for bit" : `${Math.max(1, painted)} % made anew, the rest stays bit for bit`);
  }

  /** The edge of what is made anew, seen on any picture. */
  function outline(context, scale) {
    const inside = (x, y) => x >= 0 && y >= 0 && x < mask.width && y < mask.height && mask.cells[y * mask.width + x];
    context.beginPath();
    for (let y = 0; y < mask.height; y++)
      for (let x = 0; x < mask.width; x++) {
        if (!inside(x, y)) continue;
        for (const [dx, dy, x0, y0, x1, y1] of [[-1, 0, 0, 0, 0, 1], [1, 0, 1, 0, 1, 1], [0, -1, 0, 0, 1, 0], [0, 1, 0, 1, 1, 1]]) {
          if (inside(x + dx, y + dy)) continue;
          context.moveTo((x + x0) * scale, (y + y0) * scale);
          context.lineTo((x + x1) * scale, (y + y1) * scale);
        }
      }
    context.lineWidth = 2;
    context.stroke();
  }

  /** The first lock on a clean picture means: keep this, make the rest anew. */
  function begin() {
    mask.remember();
    if (brush.kind === "lock" && mask.empty) mask.cells.fill(1);
  }

  const value = () => (brush.kind === "anew" ? 1 : 0);

  function spot(event) {
    const box = veil.getBoundingClientRect();
    return { x: ((event.clientX - box.left) / box.width) * mask.width, y: ((event.clientY - box.top) / box.height) * mask.height };
  }

  board.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    board.setPointerCapture(event.pointerId);
    stroking = true;
    begin();
    at = spot(event);
    mask.stroke(at, at, brush.size, value());
    changed();
  });
  board.addEventListener("pointermove", (event) => {
    const events = stroking && event.getCoalescedEvents ? event.getCoalescedEvents() : [];
    for (const one of events.length ? events : [event]) {
      const next = spot(one);
      if (stroking && at) mask.stroke(at, next, brush.size, value());
      at = next;
    }
    stroking ? changed() : draw();
  });
  for (const end of ["pointerup", "pointercancel"]) board.addEventListener(end, () => (stroking = false));
  board.addEventListener("pointerleave", () => stroking || ((at = null), draw()));
  board.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (by) {
      at ??= { x: Math.floor(mask.width / 2) + 0.5, y: Math.floor(mask.height / 2) + 0.5 };
      at = { x: Math.max(0.5, Math.min(mask.width - 0.5, at.x + by[0])), y: Math.max(0.5, Math.min(mask.height - 0.5, at.y + by[1])) };
      say(`Row ${Math.ceil(at.y)}, column ${Math.ceil(at.x)}.`);
      draw();
    } else if (event.key === " " && at) {
      begin();
      mask.dab(at.x, at.y, brush.size, value());
      changed();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });

  watch(["present", "model", "view", "nodes"], () => {
    const node = present();
    if (!node || !state.model) return;
    const [height, width] = state.model.shape.slice(-2);
    // What is painted belongs to one picture; another begins clean.
    if (of !== node.id) {
      of = node.id;
      mask = new Mask(width, height);
      brush.size = Math.max(1, Math.round(width / 6));
    }
    if (state.view !== "paint") return;
    set(image, "src", picture(node.id));
    set(image, "alt", title(node));
    image.classList.toggle("pixels", width <= 64);
    enlarge(board);
    text(heading, `Paint on ${title(node)}`);
    changed();
  });

  return {
    element,
    brush,
    set(changes) {
      Object.assign(brush, changes);
      changed();
    },
    undo: () => (mask.undo() ? changed() : say("There is no stroke to undo.")),
    redo: () => (mask.redo() ? changed() : say("There is no stroke to redo.")),
    clear: () => (mask.clear(), changed()),
    invert: () => (mask.invert(), changed()),
    watch: (run) => watchers.add(run),
    get width() {
      return mask.width;
    },
    get past() {
      return mask.past.length;
    },
    get future() {
      return mask.future.length;
    },
    async generate() {
      if (mask.empty) throw new Refusal("Paint what to make anew first.", 400);
      await inpaint(await mask.png(), brush.feather);
    },
  };
}

export function paintControls(painter) {
  const kinds = [["anew", "Make anew", "brush"], ["lock", "Lock", "lock"]].map(([kind, label, name]) =>
    h("button", { type: "button", role: "radio", "data-kind": kind, onclick: () => painter.set({ kind }) }, icon(name), label));
  const slider = (key, label, low) => {
    const input = h("input", {
      type: "range", min: low, max: 8, step: 1, "aria-label": label,
      oninput: () => painter.set({ [key]: Number(input.value) }),
    });
    const out = h("span", { class: "out" });
    return { key, input, out, element: h("label", { class: "slide" }, h("span", {}, label), out, input) };
  };
  const sliders = [slider("size", "Brush size", 1), slider("feather", "Feather", 0)];
  const button = (name, label, run, ...shown) =>
    h("button", { type: "button", onclick: run, title: label, "aria-label": label }, icon(name), shown);
  const undo = button("undo", "Undo the stroke (Z)", () => painter.undo());
  const redo = button("redo", "Redo the stroke (Y)", () => painter.redo());
  const element = h("div", { class: "panel" },
    h("div", { class: "segments", role: "radiogroup", "aria-label": "Brush" }, kinds),
    h("p", { class: "soft small" }, "Mark what is made anew, or lock what must stay: it comes back bit for bit."),
    sliders.map((one) => one.element),
    h("div", { class: "buttons" }, undo, redo,
      button("invert", "Invert (I)", () => painter.invert(), "Invert"),
      button("close", "Clear", () => painter.clear(), "Clear")));
  const show = () => {
    for (const kind of kinds) set(kind, "aria-checked", String(kind.dataset.kind === painter.brush.kind));
    for (const { key, input, out } of sliders) {
      if (key === "size") input.max = Math.max(8, Math.round(painter.width / 1.5));
      input.value = painter.brush[key];
      text(out, `${painter.brush[key]} px`);
    }
    undo.disabled = !painter.past;
    redo.disabled = !painter.future;
  };
  painter.watch(show);
  show();
  return element;
}

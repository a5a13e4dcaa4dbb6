// Painting on the present node what to make anew or what to lock. What can be painted, and how, the viewer's surface
// knows; the brush, the memory of strokes and the round are the same for all kinds.

/** @import { Brush } from "../viewers/types.js" */

import { h, icon, set, text } from "../lib/dom.js";
import { Refusal } from "../lib/refusal.js";
import { present, state, watch } from "../lib/state.js";
import { say } from "../lib/toast.js";
import { slot } from "../viewers/index.js";
import { fill } from "./generate.js";
import { title } from "./naming.js";

/** @typedef {ReturnType<typeof painter>} Painter */

export function painter() {
  /** @type {Brush} */
  const brush = { kind: "anew", size: 4, feather: 0 };
  const surface = slot((its, model) => its.surface?.(model, { brush, changed, say }) ?? null);
  const heading = h("h2", {}, "Paint");
  const share = h("span", { class: "soft small" });
  const element = h("section", { class: "view", "aria-label": "Paint" },
    h("div", { class: "bar" }, h("div", { class: "titles" }, heading, share)),
    h("div", { class: "room centre" }, surface.element));

  /** The node that is painted on. @type {string | null} */
  let of = null;
  /** @type {Set<() => void>} */
  const watchers = new Set();

  function changed() {
    surface.made?.draw();
    text(share, howMuch());
    for (const run of watchers) run();
  }

  function howMuch() {
    const marks = surface.made?.marks;
    if (!marks) return "this kind of data cannot be painted on";
    if (marks.empty) return "paint what to make anew; everything else stays bit for bit";
    return `${Math.max(1, Math.round(100 * marks.share))} % made anew, the rest stays bit for bit`;
  }

  watch(["present", "model", "view", "nodes"], () => {
    const node = present();
    if (!node || !state.model) return;
    // What is painted belongs to one node; another begins clean.
    if (of !== node.id) Object.assign(brush, surface.made?.start);
    of = node.id;
    surface.made?.show(node, title(node));
    if (state.view !== "paint") return;
    text(heading, `Paint on ${title(node)}`);
    changed();
  });

  /** @param {"undo" | "redo"} step */
  const back = (step) => (surface.made?.marks[step]() ? changed() : say(`There is no stroke to ${step}.`));

  return {
    element,
    brush,
    /** @param {Partial<Brush>} changes */
    set(changes) {
      Object.assign(brush, changes);
      changed();
    },
    /**
     * Change one of the brush's numbers, where the surface has such a number.
     * @param {string} key
     * @param {number} by
     */
    turn(key, by) {
      const slider = surface.made?.sliders.find((one) => one.key === key);
      if (slider) this.set({ [key]: Math.max(slider.min, Math.min(slider.max, brush[key] + by)) });
    },
    undo: () => back("undo"),
    redo: () => back("redo"),
    clear: () => (surface.made?.marks.clear(), changed()),
    invert: () => (surface.made?.marks.invert(), changed()),
    watch: (/** @type {() => void} */ run) => watchers.add(run),
    get sliders() {
      return surface.made?.sliders ?? [];
    },
    get marks() {
      return surface.made?.marks ?? null;
    },
    async generate() {
      const on = surface.made;
      if (!on) throw new Refusal("This kind of data cannot be painted on.");
      if (on.marks.empty) throw new Refusal("Paint what to make anew first.");
      await fill(await on.request());
    },
  };
}

/** @param {Painter} painting */
export function paintControls(painting) {
  const brushes = /** @type {const} */ ([["anew", "Make anew", "brush"], ["lock", "Lock", "lock"]]);
  const kinds = brushes.map(([kind, label, name]) => {
    const onclick = () => painting.set({ kind });
    return h("button", { type: "button", role: "radio", "data-kind": kind, onclick }, icon(name), label);
  });
  const sliders = h("div", { class: "panel" });
  /** @type {{ key: string, unit: string, input: HTMLInputElement, out: HTMLElement }[]} */
  let shown = [];
  /** @type {unknown} */
  let shownFor = null;

  /** The sliders of the surface in hand. */
  function build() {
    if (painting.sliders === shownFor) return;
    shownFor = painting.sliders;
    shown = painting.sliders.map(({ key, label, min, max, unit }) => {
      const input = h("input", { type: "range", min, max, step: 1, "aria-label": label });
      input.addEventListener("input", () => painting.set({ [key]: Number(input.value) }));
      return { key, unit, label, input, out: h("span", { class: "out" }) };
    });
    sliders.replaceChildren(...painting.sliders.map(({ label }, at) =>
      h("label", { class: "slide" }, h("span", {}, label), shown[at].out, shown[at].input)));
  }

  /** @param {string} name @param {string} label @param {() => unknown} run @param {string[]} words */
  const button = (name, label, run, ...words) =>
    h("button", { type: "button", onclick: run, title: label, "aria-label": label }, icon(name), words);
  const undo = button("undo", "Undo the stroke (Z)", painting.undo);
  const redo = button("redo", "Redo the stroke (Y)", painting.redo);
  const element = h("div", { class: "panel" },
    h("div", { class: "segments", role: "radiogroup", "aria-label": "Brush" }, kinds),
    h("p", { class: "soft small" }, "Mark what is made anew, or lock what must stay: it comes back bit for bit."),
    sliders,
    h("div", { class: "buttons" }, undo, redo,
      button("invert", "Invert (I)", painting.invert, "Invert"),
      button("close", "Clear", painting.clear, "Clear")));
  const show = () => {
    build();
    for (const kind of kinds) set(kind, "aria-checked", String(kind.dataset.kind === painting.brush.kind));
    for (const { key, unit, input, out } of shown) {
      input.value = String(painting.brush[key]);
      text(out, `${painting.brush[key]} ${unit}`);
    }
    undo.disabled = !painting.marks?.past.length;
    redo.disabled = !painting.marks?.future.length;
  };
  painting.watch(show);
  show();
  return element;
}

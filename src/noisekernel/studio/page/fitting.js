// A picture of one's own, before it is used: which part of it, and how it will look at the model's size.

import { postNow } from "./api.js";
import { h, set, text } from "./dom.js";
import { enlarge } from "./large.js";
import { state } from "./state.js";

/** Ask in a dialog. Resolves to the form to send, or null. The server fits the picture, so the preview is the truth. */
export function fitting(file) {
  return new Promise((resolve) => {
    const address = URL.createObjectURL(file);
    const source = h("img", { src: address, alt: "Your picture", draggable: "false" });
    const frame = h("div", { class: "frame", tabindex: "0", role: "application", "aria-label": "Part of the picture that is used. Arrow keys move it, plus and minus size it." });
    const table = h("div", { class: "table" }, source, frame);
    const fitted = h("img", { class: "large pixels", alt: "How the model will see it" });
    const problem = h("p", { class: "problem", role: "alert" });
    const notice = h("p", { class: "soft notice", role: "status" });
    const zoom = h("input", { type: "range", min: 0.1, max: 1, step: 0.01, value: 1, "aria-label": "Size of the part", oninput: () => change({ side: Number(zoom.value) }) });
    const use = h("button", { type: "button", class: "primary", disabled: true, onclick: () => finish(form()) }, "Use it");
    const size = state.model.shape.slice(-2).reverse().join(" × ");
    const dialog = h("dialog", { class: "fitting", "aria-label": "Fit the picture" },
      h("h2", {}, "Fit it to the model"),
      h("div", { class: "halves" },
        h("figure", {}, table, h("figcaption", { class: "soft small" }, "Drag the frame to the part you want")),
        h("figure", {}, h("div", { class: "mat" }, fitted), h("figcaption", { class: "soft small" }, `As the model sees it, ${size}`))),
      h("label", { class: "slide" }, h("span", {}, "Part used"), zoom),
      problem,
      notice,
      h("div", { class: "row end" }, h("button", { type: "button", onclick: () => finish(null) }, "Cancel"), use));
    const [height, width] = state.model.shape.slice(-2);
    enlarge(fitted, 300);
    let crop = null; // null: the middle, as the server fits it
    let asked = 0;
    let timer = null;

    /** The part's width and height as shares of the picture's, for a side of 1. */
    function largest() {
      const [w, h_] = [source.naturalWidth, source.naturalHeight];
      const scale = Math.min(w / width, h_ / height);
      return { w: (scale * width) / w, h: (scale * height) / h_ };
    }

    function change(changes) {
      if (!source.naturalWidth) return;
      const full = largest();
      const before = crop ?? { side: 1, x: (1 - full.w) / 2, y: (1 - full.h) / 2 };
      const next = { ...before, ...changes };
      // A change of size keeps the middle where it was.
      if (changes.side) {
        next.x = before.x + (full.w * (before.side - next.side)) / 2;
        next.y = before.y + (full.h * (before.side - next.side)) / 2;
      }
      next.x = Math.max(0, Math.min(1 - full.w * next.side, next.x));
      next.y = Math.max(0, Math.min(1 - full.h * next.side, next.y));
      crop = next;
      zoom.value = next.side;
      frame.style.left = `${100 * next.x}%`;
      frame.style.top = `${100 * next.y}%`;
      frame.style.width = `${100 * full.w * next.side}%`;
      frame.style.height = `${100 * full.h * next.side}%`;
      clearTimeout(timer);
      timer = setTimeout(preview, 120);
    }

    function form() {
      const made = new FormData();
      made.append("file", file, file.name || "picture.png");
      const whole = !crop || crop.side === 1;
      const { x, y, side } = crop ?? {};
      const centred = crop && Math.abs(x - (1 - largest().w) / 2) < 1e-9 && Math.abs(y - (1 - largest().h) / 2) < 1e-9;
      if (crop && !(whole && centred)) for (const [key, value] of Object.entries({ x, y, side })) made.append(key, String(value));
      return made;
    }

    async function preview() {
      const mine = ++asked;
      try {
        const { png, said } = await postNow(`/models/${state.model.id}/preview`, form());
        if (mine !== asked) return;
        set(fitted, "src", png);
        text(problem, "");
        text(notice, said ?? "");
        use.disabled = false;
      } catch (error) {
        if (mine !== asked) return;
        text(problem, error.message);
        text(notice, "");
        fitted.removeAttribute("src");
        use.disabled = true;
      }
    }

    function finish(result) {
      URL.revokeObjectURL(address);
      dialog.remove();
      resolve(result);
    }

    let hold = null;
    frame.addEventListener("pointerdown", (event) => {
      frame.setPointerCapture(event.pointerId);
      hold = { px: event.clientX, py: event.clientY, x: crop.x, y: crop.y };
    });
    frame.addEventListener("pointermove", (event) => {
      if (hold) change({ x: hold.x + (event.clientX - hold.px) / table.clientWidth, y: hold.y + (event.clientY - hold.py) / table.clientHeight });
    });
    for (const end of ["pointerup", "pointercancel"]) frame.addEventListener(end, () => (hold = null));
    frame.addEventListener("keydown", (event) => {
      const by = { ArrowLeft: { x: crop.x - 0.02 }, ArrowRight: { x: crop.x + 0.02 }, ArrowUp: { y: crop.y - 0.02 }, ArrowDown: { y: crop.y + 0.02 }, "+": { side: Math.min(1, crop.side + 0.05) }, "-": { side: Math.max(0.1, crop.side - 0.05) } }[event.key];
      if (by) (event.preventDefault(), change(by));
    });
    dialog.addEventListener("close", () => finish(null));
    source.addEventListener("load", () => change({}));
    // What the browser cannot show, the server may still read, or refuse in its own words.
    source.addEventListener("error", () => ((table.hidden = true), preview()));
    document.body.append(dialog);
    dialog.showModal();
  });
}

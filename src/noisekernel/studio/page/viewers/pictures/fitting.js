// A picture of one's own, before it is used: which part of it, and how it will look at the model's size.

/** @import { Model } from "../../lib/types.js" */
/** @import { Crop } from "./crop.js" */

import { postNow } from "../../lib/api.js";
import { h, set, text } from "../../lib/dom.js";
import { sentenceOf } from "../../lib/refusal.js";
import { isUsual, keyed, largestPart, middle, recrop } from "./crop.js";
import { enlarge, sizeOf } from "./scale.js";

/**
 * Ask in a dialog. Resolves to the form to send, or null. The server fits the picture, so the preview is the truth.
 * @param {Model} model
 * @param {File} file
 * @returns {Promise<FormData | null>}
 */
export function fitting(model, file) {
  return new Promise((resolve) => {
    const address = URL.createObjectURL(file);
    const { source, frame, table, fitted, problem, notice, zoom, use, cancel, dialog } = parts(model, address);
    /** Null: the middle, as the server fits it. @type {Crop | null} */
    let crop = null;
    let asked = 0;
    let timer = 0;

    const full = () => largestPart({ width: source.naturalWidth, height: source.naturalHeight }, sizeOf(model));

    /** @param {Partial<Crop>} changes */
    function change(changes) {
      if (!source.naturalWidth) return;
      const { w, h: high } = full();
      crop = recrop(crop ?? middle(full()), changes, full());
      zoom.value = String(crop.side);
      frame.style.left = `${100 * crop.x}%`;
      frame.style.top = `${100 * crop.y}%`;
      frame.style.width = `${100 * w * crop.side}%`;
      frame.style.height = `${100 * high * crop.side}%`;
      clearTimeout(timer);
      timer = Number(setTimeout(preview, 120));
    }

    function form() {
      const made = new FormData();
      made.append("file", file, file.name || "picture.png");
      if (crop && !isUsual(crop, full())) made.append("how", JSON.stringify(crop));
      return made;
    }

    async function preview() {
      const mine = ++asked;
      try {
        const { shown, said } = await postNow(`/models/${encodeURIComponent(model.id)}/preview`, form());
        if (mine !== asked) return;
        set(fitted, "src", shown);
        text(problem, "");
        text(notice, said ?? "");
        use.disabled = false;
      } catch (error) {
        if (mine !== asked) return;
        text(problem, sentenceOf(error));
        text(notice, "");
        fitted.removeAttribute("src");
        use.disabled = true;
      }
    }

    /** @param {FormData | null} result */
    function finish(result) {
      clearTimeout(timer);
      URL.revokeObjectURL(address);
      dialog.remove();
      resolve(result);
    }

    /** @type {{ px: number, py: number, x: number, y: number } | null} */
    let hold = null;
    frame.addEventListener("pointerdown", (event) => {
      if (!crop) return;
      frame.setPointerCapture(event.pointerId);
      hold = { px: event.clientX, py: event.clientY, x: crop.x, y: crop.y };
    });
    frame.addEventListener("pointermove", (event) => {
      if (!hold) return;
      const x = hold.x + (event.clientX - hold.px) / table.clientWidth;
      const y = hold.y + (event.clientY - hold.py) / table.clientHeight;
      change({ x, y });
    });
    for (const end of ["pointerup", "pointercancel"]) frame.addEventListener(end, () => (hold = null));
    frame.addEventListener("keydown", (event) => {
      const by = crop && keyed(event.key, crop);
      if (!by) return;
      event.preventDefault();
      change(by);
    });
    zoom.addEventListener("input", () => change({ side: Number(zoom.value) }));
    use.addEventListener("click", () => finish(form()));
    cancel.addEventListener("click", () => finish(null));
    dialog.addEventListener("close", () => finish(null));
    source.addEventListener("load", () => change({}));
    // What the browser cannot show, the server may still read, or refuse in its own words.
    source.addEventListener("error", () => {
      table.hidden = true;
      preview();
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

/** What the dialog is made of. @param {Model} model @param {string} address */
function parts(model, address) {
  const { width, height } = sizeOf(model);
  const source = h("img", { src: address, alt: "Your picture", draggable: "false" });
  const frame = h("div", {
    class: "frame", tabindex: "0", role: "application",
    "aria-label": "Part of the picture that is used. Arrow keys move it, plus and minus size it.",
  });
  const table = h("div", { class: "table" }, source, frame);
  const fitted = h("img", { class: "large pixels", alt: "How the model will see it" });
  enlarge(fitted, model, 300);
  const problem = h("p", { class: "problem", role: "alert" });
  const notice = h("p", { class: "soft notice", role: "status" });
  const zoom = h("input", { type: "range", min: 0.1, max: 1, step: 0.01, value: 1, "aria-label": "Size of the part" });
  const use = h("button", { type: "button", class: "primary", disabled: true }, "Use it");
  const cancel = h("button", { type: "button" }, "Cancel");
  const caption = (/** @type {string} */ words) => h("figcaption", { class: "soft small" }, words);
  const dialog = h("dialog", { class: "fitting", "aria-label": "Fit the picture" },
    h("h2", {}, "Fit it to the model"),
    h("div", { class: "halves" },
      h("figure", {}, table, caption("Drag the frame to the part you want")),
      h("figure", {}, h("div", { class: "mat" }, fitted), caption(`As the model sees it, ${width} × ${height}`))),
    h("label", { class: "slide" }, h("span", {}, "Part used"), zoom),
    problem,
    notice,
    h("div", { class: "row end" }, cancel, use));
  return { source, frame, table, fitted, problem, notice, zoom, use, cancel, dialog };
}

// The dialog in which somebody types an example of their own. The server reads it, so the preview is the truth, and
// what it says of a strange example is shown before the example is used.

/** @import { Child } from "../lib/dom.js" */
/** @import { Model } from "../lib/types.js" */

import { postNow } from "../lib/api.js";
import { h, text } from "../lib/dom.js";
import { Refusal, sentenceOf } from "../lib/refusal.js";

const MOST_BYTES = 1_000_000;
const MOST_CHOICES = 1000;

/**
 * What a kind puts into the dialog.
 * @typedef {object} Asked
 * @property {string} heading
 * @property {Child[]} fields
 * @property {{ element: HTMLElement, show: (shown: any) => void }} preview of what the server read
 * @property {() => string | null} typed what is sent; null: nothing yet. It throws a sentence where that is wrong.
 * @property {(content: string) => void} take the content of a file, or what was pasted
 * @property {string} accept files, as an input takes it
 */

/**
 * Ask. Resolves to the form to send, or null.
 * @param {Model} model
 * @param {File | null} file what was dropped or pasted
 * @param {(changed: () => void) => Asked} make `changed` is called after every change of the fields
 * @returns {Promise<FormData | null>}
 */
export async function asking(model, file, make) {
  const brought = file ? await contentOf(file) : null;
  return new Promise((resolve) => {
    const asked = make(changed);
    const { dialog, problem, notice, use, cancel, input } = parts(asked);
    let count = 0;
    let timer = 0;

    function changed() {
      use.disabled = true;
      clearTimeout(timer);
      timer = Number(setTimeout(preview, 150));
    }

    async function preview() {
      const mine = ++count;
      let answer = { shown: null, said: "" };
      let wrong = "";
      try {
        const typed = asked.typed();
        if (typed !== null) answer = await postNow(`/models/${encodeURIComponent(model.id)}/preview`, formOf(typed));
      } catch (error) {
        wrong = sentenceOf(error);
      }
      if (mine !== count) return;
      text(problem, wrong);
      text(notice, answer.said ?? "");
      asked.preview.element.classList.toggle("nothing", answer.shown === null);
      if (answer.shown !== null) asked.preview.show(answer.shown);
      use.disabled = answer.shown === null;
    }

    /** @param {string} content */
    function take(content) {
      try {
        asked.take(content);
        changed();
      } catch (error) {
        text(problem, sentenceOf(error));
      }
    }

    /** @param {FormData | null} result */
    function finish(result) {
      clearTimeout(timer);
      count += 1;
      dialog.remove();
      resolve(result);
    }

    const done = () => {
      const typed = asked.typed();
      if (!use.disabled && typed !== null) finish(formOf(typed));
    };
    use.addEventListener("click", done);
    dialog.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && event.target instanceof HTMLInputElement && event.target !== input) done();
    });
    cancel.addEventListener("click", () => finish(null));
    dialog.addEventListener("close", () => finish(null));
    input.addEventListener("change", async () => {
      const chosen = input.files?.[0];
      input.value = "";
      if (chosen) await contentOf(chosen).then(take, (error) => text(problem, sentenceOf(error)));
    });
    document.body.append(dialog);
    dialog.showModal();
    if (brought === null) changed();
    else take(brought);
  });
}

/** @param {Asked} asked */
function parts({ heading, fields, preview, accept }) {
  const problem = h("p", { class: "problem", role: "alert" });
  const notice = h("p", { class: "soft notice", role: "status" });
  const input = h("input", { type: "file", accept, hidden: true });
  const choose = h("button", { type: "button", onclick: () => input.click() }, "From a file …");
  const cancel = h("button", { type: "button" }, "Cancel");
  const use = h("button", { type: "button", class: "primary", disabled: true }, "Use it");
  const seen = h("figcaption", { class: "soft small" }, "As the model sees it");
  const dialog = h("dialog", { class: "asking", "aria-label": heading },
    h("h2", {}, heading), fields, h("figure", {}, preview.element, seen), problem, notice,
    h("div", { class: "row" }, choose, input, h("span", { class: "grow" }), cancel, use));
  return { dialog, problem, notice, use, cancel, input };
}

/** @param {string} typed */
function formOf(typed) {
  const form = new FormData();
  form.append("file", new Blob([typed], { type: "text/plain" }), "typed.txt");
  return form;
}

/** @param {File} file */
async function contentOf(file) {
  if (file.size > MOST_BYTES)
    throw new Refusal(`${file.name} has ${file.size} bytes; at most ${MOST_BYTES} are read. Bring the lines you mean.`);
  return file.text();
}

/**
 * One of several examples that a file has; hidden where there is but one.
 * @param {string} label
 * @param {(at: number) => void} pick
 */
export function chooser(label, pick) {
  const select = h("select", { "aria-label": label });
  select.addEventListener("change", () => pick(select.selectedIndex));
  const count = h("span", { class: "soft small" });
  const element = h("label", { class: "chooser", hidden: true }, h("span", {}, label), select, count);
  /** @param {string[]} options */
  function offer(options) {
    const shown = options.slice(0, MOST_CHOICES);
    const all = shown.length === options.length;
    select.replaceChildren(...shown.map((one, at) => h("option", {}, `${at + 1}: ${one}`)));
    text(count, all ? `of ${options.length}` : `of ${options.length}, the first ${MOST_CHOICES} to choose from`);
    element.hidden = options.length < 2;
    if (options.length) pick(0);
  }
  return { element, offer };
}

/** What was pasted as text, or a file of text, as the page hands it on. @param {DataTransfer} given */
export function pastedText(given) {
  const file = [...given.files].find(({ type }) => type.startsWith("text/"));
  const words = given.getData("text/plain");
  return file ?? (words.trim() ? new File([words], "pasted.txt", { type: "text/plain" }) : null);
}

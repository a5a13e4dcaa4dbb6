// Where a design begins: a new sample, an example of the data, or one of one's own. Also the list of designs.

/** @import { Model } from "../lib/types.js" */

import { get } from "../lib/api.js";
import { post } from "../lib/changes.js";
import { create, refresh } from "../lib/design.js";
import { h, icon, iconButton, set, text } from "../lib/dom.js";
import { goTo } from "../lib/nodes.js";
import { openModel, state, update, watch } from "../lib/state.js";
import { told } from "../lib/toast.js";
import { sample } from "../tools/generate.js";
import { capital } from "../tools/naming.js";
import { viewer, viewerOf, words } from "../viewers/index.js";
import { knownDesigns } from "./designs.js";

const PAGE = 24;
const FEW_CLASSES = 20;

/** @type {Promise<unknown> | null} */
let making = null;

/**
 * A start needs a design; the first one makes it, once, however often it is clicked meanwhile.
 * @param {(design: string) => Promise<unknown>} run
 */
async function within(run) {
  const today = () => new Date().toLocaleDateString(undefined, { day: "numeric", month: "long" });
  if (!state.design) await (making ??= create(`${openModel().id}, ${today()}`).finally(() => (making = null)));
  if (state.design) await run(state.design.id);
}

/** Begin with what somebody brings or chooses: `path` of the design. @param {string} path @param {unknown} body */
async function begin(path, body) {
  await within(async (design) => {
    const node = await post(`/designs/${design}${path}`, body);
    await refresh();
    if (state.design?.id === design) await goTo(node.id, { view: "node" });
  });
}

/** An example of one's own; without a file where the kind asks for something else. */
export const useFile = told(async (/** @type {File | null} */ file) => {
  const chosen = await viewer().own?.ask(openModel(), file);
  if (chosen) await begin("/origins", chosen);
});

export function startView() {
  const models = h("div", { class: "models", role: "radiogroup", "aria-label": "Model" });
  const labels = labelChoice();
  const newSamples = told(() => within(() => sample(state.settings.count, labels.chosen())));
  const fresh = h("button", { type: "button", class: "primary", onclick: newSamples },
    "New samples", h("kbd", {}, "G"));
  const never = h("p", { class: "soft" });
  const own = ownWay();
  const examples = exampleWay();
  const known = knownDesigns();
  const heading = h("h1", {});
  const cancel = iconButton("close", "Back (Esc)", () => update({ view: state.shown ? "grid" : "node" }));
  const way = h("section", { class: "way" },
    h("h2", {}, "Something new"), never, labels.element, h("div", { class: "row" }, fresh));
  const element = h("section", { class: "view start", "aria-label": "Start" },
    h("div", { class: "sheet" },
      h("div", { class: "row between" }, heading, cancel),
      models,
      h("div", { class: "ways" }, way, own.element, examples.element),
      known));
  /** @type {string | null} */
  let shownFor = null;

  watch(["models", "model", "design", "view"], () => {
    text(heading, state.design ? `Start from another ${words().one}` : "Begin a design");
    cancel.hidden = !state.design || (!state.shown && !state.present);
    models.hidden = Boolean(state.design) || state.models.length < 2;
    known.hidden = Boolean(state.design);
    models.replaceChildren(...state.models.map(modelButton));
    const { model } = state;
    if (state.view !== "start" || !model || shownFor === model.id) return;
    shownFor = model.id;
    text(never, `${capital(words().many)} that never were, drawn from noise.`);
    own.show();
    labels.show(model);
    told(examples.show)(0);
  });
  return { element, go: () => fresh.click() };
}

/** @param {Model} model */
function modelButton(model) {
  const facts = `${viewerOf(model).size(model)}, ${thousands(model.parameters)} parameters`;
  const checked = String(model === state.model);
  return h("button", { type: "button", role: "radio", "aria-checked": checked, onclick: () => update({ model }) },
    h("strong", {}, model.id), h("span", { class: "soft small" }, facts));
}

/** Which class new samples are of. Few classes are a row of buttons; many are a list. */
function labelChoice() {
  const element = h("div", { class: "chips", role: "radiogroup", "aria-label": "Class of the new samples" });
  /** @type {string | null} */
  let label = null;

  /** @param {string[]} classes */
  function list(classes) {
    const options = classes.map((name) => h("option", { value: name }, name));
    const select = h("select", { "aria-label": "Class" }, h("option", { value: "" }, "any"), options);
    select.addEventListener("change", () => (label = select.value || null));
    return [select];
  }

  /** @param {string[]} classes */
  function buttons(classes) {
    const all = ["any", ...classes].map((name, at) => {
      const button = h("button", { type: "button", role: "radio", "aria-checked": String(at === 0) }, name);
      button.addEventListener("click", () => {
        label = at ? name : null;
        for (const one of all) set(one, "aria-checked", String(one === button));
      });
      return button;
    });
    return all;
  }

  /** @param {Model} model */
  function show({ classes }) {
    label = null;
    element.hidden = classes.length === 0;
    element.replaceChildren(...(classes.length > FEW_CLASSES ? list(classes) : buttons(classes)));
  }
  return { element, show, chosen: () => label };
}

/** The way for what somebody brings. */
function ownWay() {
  const file = h("input", { type: "file", hidden: true });
  file.addEventListener("change", () => {
    const chosen = file.files?.[0];
    if (chosen) useFile(chosen);
    file.value = "";
  });
  const label = h("strong", {});
  const hint = h("span", { class: "soft" });
  const ask = () => (viewer().own?.accept ? file.click() : useFile(null));
  const drop = h("button", { type: "button", class: "drop", onclick: ask }, icon("save"), label, hint);
  const element = h("section", { class: "way" }, h("h2", {}, "Something of yours"), drop, file);
  function show() {
    const { own } = viewer();
    element.hidden = !own;
    set(file, "accept", own?.accept);
    text(label, own?.label ?? "");
    text(hint, own?.hint ?? "");
  }
  return { element, show };
}

/** The examples of the model's data, a page at a time. */
function exampleWay() {
  const list = h("div", { class: "examples", role: "group", "aria-label": "Examples of the data set" });
  const none = h("p", { class: "soft" },
    "This model was served without its data: start it with --data to choose from examples.");
  const back = iconButton("left", "Earlier examples", told(() => show(Math.max(0, offset - PAGE))));
  const on = iconButton("right", "More examples", told(() => show(offset + PAGE)));
  const element = h("section", { class: "way wide" },
    h("div", { class: "row between" }, h("h2", {}, "An example of its data"), h("div", {}, back, on)), none, list);
  let offset = 0;
  let asked = 0;

  /** @param {number} from */
  async function show(from) {
    const model = openModel();
    const count = model.examples ?? 0;
    offset = from;
    back.disabled = offset === 0;
    on.disabled = offset + PAGE >= count;
    none.hidden = count > 0;
    back.hidden = on.hidden = count === 0;
    const mine = ++asked;
    if (count === 0) return list.replaceChildren();
    /** @type {{ index: number, shown: any, label?: string | null }[]} */
    const found = await get(`/models/${encodeURIComponent(model.id)}/examples?offset=${offset}&limit=${PAGE}`);
    if (mine !== asked || state.model !== model) return;
    const { ratio } = viewerOf(model).proportions(model);
    list.style.setProperty("--ratio", String(ratio));
    list.classList.toggle("broad", ratio > 1.25 && ratio <= 2);
    list.classList.toggle("wide", ratio > 2);
    list.replaceChildren(...found.map((example) => {
      const { index, label } = example;
      const named = `Example ${index + 1}${label ? `, ${label}` : ""}`;
      const use = told(() => begin("/origins/example", { example: index }));
      return h("button", { type: "button", "aria-label": named, title: label ?? "", onclick: use },
        viewerOf(model).example(model, example));
    }));
  }
  return { element, show };
}

/** @param {number} count */
function thousands(count) {
  return count >= 1e6 ? `${(count / 1e6).toFixed(1)} million` : `${Math.round(count / 1e3)} thousand`;
}

// Where a design begins: a new sample, an example of the data, or a picture of one's own. Also the list of designs.

import { get, picture } from "./api.js";
import { post } from "./changes.js";
import { create, goTo, open, refresh, removeDesign } from "./design.js";
import { h, icon, iconButton, set, text } from "./dom.js";
import { fitting } from "./fitting.js";
import { sample } from "./generate.js";
import { state, update, watch } from "./state.js";
import { told } from "./toast.js";

const PAGE = 24;

let making = null;

/** A start needs a design; the first one makes it, once, however often it is clicked meanwhile. */
async function within(run) {
  const name = () => `${state.model.id}, ${new Date().toLocaleDateString(undefined, { day: "numeric", month: "long" })}`;
  if (!state.design) await (making ??= create(name()).finally(() => (making = null)));
  if (state.design) await run(state.design.id);
}

/** Begin with a picture: `path` of the design. */
async function begin(path, body) {
  await within(async (design) => {
    const node = await post(`/designs/${design}${path}`, body);
    await refresh();
    if (state.design?.id === design) await goTo(node.id, { view: "node" });
  });
}

export const useFile = told(async (file) => {
  const chosen = await fitting(file);
  if (!chosen) return;
  await begin("/origins", chosen);
});

export function startView() {
  const models = h("div", { class: "models", role: "radiogroup", "aria-label": "Model" });
  let label = null;
  const labels = h("div", { class: "chips", role: "radiogroup", "aria-label": "Class of the new samples" });
  const fresh = h("button", { type: "button", class: "primary", onclick: told(() => within(() => sample(state.settings.count, label))) }, "New samples", h("kbd", {}, "G"));
  const file = h("input", { type: "file", accept: "image/*", hidden: true, onchange: () => file.files[0] && (useFile(file.files[0]), (file.value = "")) });
  const drop = h("button", { type: "button", class: "drop", onclick: () => file.click() }, icon("save"), h("strong", {}, "Your own picture"), h("span", { class: "soft" }, "Drop it here, paste it, or choose a file"));
  const examples = h("div", { class: "examples", role: "group", "aria-label": "Examples of the data set" });
  const none = h("p", { class: "soft" });
  const [back, on] = [["Earlier examples", "left", -1], ["More examples", "right", 1]].map(([words, name, by]) => iconButton(name, words, told(() => turn(by))));
  const designs = h("ul", { class: "designs" });
  const known = h("section", { class: "known" }, h("h2", {}, "Go on with a design"), designs);
  const heading = h("h1", {});
  const cancel = iconButton("close", "Back (Esc)", () => update({ view: state.shown ? "grid" : "node" }));
  const element = h("section", { class: "view start", "aria-label": "Start" },
    h("div", { class: "sheet" },
      h("div", { class: "row between" }, heading, cancel),
      models,
      h("div", { class: "ways" },
        h("section", { class: "way" }, h("h2", {}, "Something new"), h("p", { class: "soft" }, "Pictures that never were, drawn from noise."), labels, h("div", { class: "row" }, fresh)),
        h("section", { class: "way" }, h("h2", {}, "Something of yours"), drop, file),
        h("section", { class: "way wide" }, h("div", { class: "row between" }, h("h2", {}, "An example of its data"), h("div", {}, back, on)), none, examples)),
      known));
  let offset = 0;
  let asked = 0;
  let shownFor = null;

  /** Few classes are a row of buttons; many are a list. */
  function showLabels() {
    const { classes } = state.model;
    label = null;
    labels.hidden = classes.length === 0;
    if (classes.length > 20) {
      const list = h("select", { "aria-label": "Class", onchange: () => (label = list.value || null) }, h("option", { value: "" }, "any"), classes.map((name) => h("option", { value: name }, name)));
      return labels.replaceChildren(list);
    }
    const buttons = ["any", ...classes].map((name, at) =>
      h("button", { type: "button", role: "radio", "aria-checked": String(at === 0), onclick: () => {
        label = at ? name : null;
        buttons.forEach((one, other) => set(one, "aria-checked", String(other === at)));
      } }, name));
    labels.replaceChildren(...buttons);
  }

  async function turn(by) {
    offset = Math.max(0, offset + by * PAGE);
    await readExamples();
  }

  async function readExamples() {
    const { model } = state;
    back.disabled = offset === 0;
    on.disabled = offset + PAGE >= (model.examples ?? 0);
    none.hidden = Boolean(model.examples);
    back.hidden = on.hidden = !model.examples;
    text(none, "This model was served without its data: start it with --data to choose from examples.");
    if (!model.examples) return examples.replaceChildren();
    const mine = ++asked;
    const found = await get(`/models/${model.id}/examples?offset=${offset}&limit=${PAGE}`);
    if (mine !== asked || state.model !== model) return;
    const small = model.shape.at(-1) <= 64;
    examples.replaceChildren(...found.map(({ index, png, label: kind }) =>
      h("button", { type: "button", "aria-label": `Example ${index + 1}${kind !== undefined && kind !== null ? `, ${kind}` : ""}`, title: kind ?? "", onclick: told(() => begin("/origins/example", { example: index })) },
        h("img", { src: png, alt: "", class: small ? "pixels" : "" }))));
  }

  watch(["models", "model", "design", "view"], () => {
    text(heading, state.design ? "Start from another picture" : "Begin a design");
    cancel.hidden = !state.design || (!state.shown && !state.present);
    models.hidden = Boolean(state.design) || state.models.length < 2;
    known.hidden = Boolean(state.design);
    models.replaceChildren(...state.models.map((model) =>
      h("button", { type: "button", role: "radio", "aria-checked": String(model === state.model), onclick: () => update({ model }) }, h("strong", {}, model.id), h("span", { class: "soft small" }, `${model.shape.slice(-2).join("×")}, ${thousands(model.parameters)} parameters`))));
    if (state.view !== "start" || !state.model) return;
    if (shownFor !== state.model.id) {
      shownFor = state.model.id;
      offset = 0;
      showLabels();
      told(readExamples)();
    }
  });
  watch(["designs"], () => {
    set(known, "data-count", state.designs.length);
    known.classList.toggle("none", state.designs.length === 0);
    designs.replaceChildren(...state.designs.map((one) =>
      h("li", {},
        h("button", { type: "button", class: "design", onclick: told(() => open(one.id)) },
          one.thumb ? h("img", { src: picture(one.thumb), alt: "", loading: "lazy", class: "pixels" }) : h("span", { class: "blank" }),
          h("span", {}, h("strong", {}, one.name), h("span", { class: "soft small" }, `${one.model}, ${one.nodes} chosen`))),
        iconButton("trash", `Delete the design ${one.name}`, told(() => removeDesign(one.id))))));
  });
  return { element, go: () => fresh.click() };
}

function thousands(count) {
  return count >= 1e6 ? `${(count / 1e6).toFixed(1)} million` : `${Math.round(count / 1e3)} thousand`;
}

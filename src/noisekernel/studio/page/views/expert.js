// What experts open: the numbers behind the dial.

/** @import { Settings } from "../lib/types.js" */

import { h, set, text } from "../lib/dom.js";
import { settings, state, watch } from "../lib/state.js";

/**
 * @typedef {object} Field
 * @property {Exclude<keyof Settings, "label" | "onwards">} key
 * @property {string} label
 * @property {number} min
 * @property {number} max
 * @property {number | "any"} step
 * @property {string} [empty] what holds where nothing is given; without it, something must be
 */

/** @type {Field[]} */
const FIELDS = [
  { key: "count", label: "Candidates", min: 1, max: 64, step: 1 },
  { key: "steps", label: "Steps", min: 1, max: 5000, step: 1, empty: "as usual" },
  { key: "beta", label: "Walk at beta", min: 0.002, max: 1, step: "any", empty: "no walk" },
  { key: "lag", label: "Lag", min: 0, max: 0.999, step: "any", empty: "the model's" },
  { key: "readout", label: "Readout steps", min: 0, max: 200, step: 1, empty: "as usual" },
  { key: "seed", label: "Seed", min: 0, max: Number.MAX_SAFE_INTEGER, step: 1, empty: "a new one" },
];

export function drawer() {
  const inputs = FIELDS.map((field) => {
    const { key, min, max, step } = field;
    const problem = h("p", { class: "problem small", id: `wrong-${key}`, role: "alert" });
    const input = h("input", {
      type: "number", id: `set-${key}`, min, max, step, placeholder: field.empty ?? "", inputmode: "decimal",
    });
    input.addEventListener("change", () => {
      // An impossible number stays to be seen, marked, and is not sent.
      const wrong = !input.checkValidity() || (!field.empty && input.value === "");
      set(input, "aria-invalid", wrong ? "true" : null);
      set(input, "aria-describedby", wrong ? problem.id : null);
      text(problem, wrong ? allowed(field, input.value) : "");
      if (!wrong) settings({ [key]: input.value === "" ? null : Number(input.value) });
    });
    input.addEventListener("keydown", (event) => event.key === "Enter" && input.blur());
    return { ...field, input, problem };
  });
  const label = h("select", { id: "set-label" });
  label.addEventListener("change", () => settings({ label: label.value || null }));
  const labelLine = h("label", { for: "set-label" }, h("span", {}, "Class"), label);
  const fields = inputs.map(({ label: words, input, problem }) =>
    [h("label", { for: input.id }, h("span", {}, words), input), problem]);
  const element = h("details", { class: "drawer" }, h("summary", {}, "Expert settings"),
    h("div", { class: "fields" }, fields, labelLine));
  watch(["settings"], () => {
    for (const { key, input } of inputs)
      if (document.activeElement !== input && !input.hasAttribute("aria-invalid"))
        input.value = String(state.settings[key] ?? "");
  });
  watch(["model"], () => {
    const classes = state.model?.classes ?? [];
    const chosen = state.settings.label;
    labelLine.hidden = classes.length === 0;
    const options = classes.map((name) => h("option", { value: name }, name));
    label.replaceChildren(h("option", { value: "" }, "any"), ...options);
    // A class of another model means nothing here.
    if (state.model && chosen !== null && !classes.includes(chosen)) settings({ label: null });
    label.value = state.settings.label ?? "";
  });
  return element;
}

/** What was given, what is allowed, and what holds meanwhile. @param {Field} field @param {string} given */
function allowed({ key, label, min, max, step, empty }, given) {
  const kind = step === 1 ? "a whole number" : "a number";
  const still = state.settings[key] ?? empty;
  const was = given === "" ? "That is no number" : `${given} is not possible`;
  return `${was}: ${label} is ${kind} from ${min} to ${max}${empty ? ", or left empty" : ""}. Until then: ${still}.`;
}

// The designs that there are, to go on with.

/** @import { Summary } from "../lib/types.js" */

import { open, removeDesign } from "../lib/design.js";
import { h, iconButton, set } from "../lib/dom.js";
import { state, watch } from "../lib/state.js";
import { told } from "../lib/toast.js";
import { thumbnailOf } from "../viewers/index.js";

export function knownDesigns() {
  const designs = h("ul", { class: "designs" });
  const known = h("section", { class: "known" }, h("h2", {}, "Go on with a design"), designs);
  watch(["designs", "models"], () => {
    set(known, "data-count", state.designs.length);
    known.classList.toggle("none", state.designs.length === 0);
    designs.replaceChildren(...state.designs.map(entry));
  });
  return known;
}

/** @param {Summary} design */
function entry(design) {
  const about = h("span", {}, h("strong", {}, design.name),
    h("span", { class: "soft small" }, `${design.model}, ${design.nodes} chosen`));
  return h("li", {},
    h("button", { type: "button", class: "design", onclick: told(() => open(design.id)) }, face(design), about),
    iconButton("trash", `Delete the design ${design.name}`, told(() => removeDesign(design.id))));
}

/** @param {Summary} design */
function face({ thumb, model }) {
  const display = thumbnailOf(thumb ? state.models.find((one) => one.id === model) : null);
  if (thumb) display.show({ id: thumb }, "");
  return display.element;
}

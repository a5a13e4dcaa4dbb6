// Two rows beside each other, cell by cell.

/** @import { Model } from "../../lib/types.js" */
/** @import { DifferenceDisplay } from "../types.js" */

import { h, set } from "../../lib/dom.js";
import { changesOf, printed, spoken } from "./changes.js";
import { rowOf } from "./display.js";
import { factsOf } from "./reading.js";

/** @param {Model} model @returns {DifferenceDisplay} */
export function difference(model) {
  const { columns } = factsOf(model);
  const list = h("span", { class: "list", role: "img" });
  const element = h("span", { class: "row-card on-large both" }, list);
  return {
    element,
    async show(one, other) {
      const [before, after] = await Promise.all([rowOf(one.id), rowOf(other.id)]);
      const changes = changesOf(before, after);
      set(list, "aria-label", spoken(columns, before, after));
      list.replaceChildren(...columns.map((name, at) => h("span", { class: changes[at] ? "of changed" : "of" },
        h("span", { class: "name" }, name),
        h("span", { class: "value was" }, printed(before[at])),
        h("span", { class: "value" }, changes[at] ? printed(after[at]) : ""))));
    },
  };
}

// A row of one's own: a field for each column, a line of cells, or a row of a CSV file.

/** @import { Model } from "../../lib/types.js" */

import { h } from "../../lib/dom.js";
import { asking, chooser } from "../asking.js";
import { card } from "./card.js";
import { factsOf, lineOf, rowsIn } from "./reading.js";

let lists = 0; // of choices, so that each has a name of its own

/**
 * @param {Model} model
 * @param {File | null} file
 */
export function askRow(model, file) {
  const { columns, choices, hints, empty } = factsOf(model);
  return asking(model, file, (changed) => {
    /** What is wrong with what was pasted, if anything. @type {unknown} */
    let wrong = null;
    const offered = choices.map((each) => each && h("datalist", { id: `choices-${++lists}` },
      each.map((value) => h("option", { value }))));
    const fields = columns.map((name, at) => h("input", {
      type: "text", autocomplete: "off", spellcheck: "false", "aria-label": name, oninput: byItself,
      placeholder: hints[at] + (empty[at] ? ", or nothing" : ""), list: offered[at]?.id ?? null, autofocus: at === 0,
    }));
    function byItself() {
      wrong = null;
      changed();
    }

    /** @type {string[][]} */
    let rows = [];
    const choice = chooser("Row", (at) => put(rows[at]));
    /** @param {string[]} cells */
    function put(cells) {
      cells.forEach((cell, at) => (fields[at].value = cell));
      changed();
    }
    /** @param {string} content */
    function take(content) {
      rows = rowsIn(content, columns);
      wrong = null;
      choice.offer(rows.map((cells) => cells.slice(0, 6).join(", ")));
    }

    // What is pasted with several cells is meant for the whole row.
    for (const field of fields)
      field.addEventListener("paste", (event) => {
        const words = event.clipboardData?.getData("text/plain") ?? "";
        if (columns.length < 2 || !/[\n\t;,|]/.test(words.trim())) return;
        try {
          take(words);
        } catch (error) {
          if (!words.trim().includes("\n")) return; // a cell with a comma in it
          wrong = error;
          changed();
        }
        event.preventDefault();
      });

    function typed() {
      if (wrong) throw wrong;
      const cells = fields.map((field) => field.value);
      return cells.some((cell) => cell.trim()) ? `${lineOf(columns)}\n${lineOf(cells)}` : null;
    }

    const { element, draw } = card(model, "large");
    const preview = { element, show: (/** @type {string[]} */ cells) => draw(cells) };
    const grid = h("div", { class: "typed-cells" }, columns.map((name, at) =>
      h("label", {}, h("span", { class: "soft small", title: name }, name), fields[at], offered[at])));
    return {
      heading: "A row of yours", fields: [choice.element, grid], preview, typed, take,
      accept: ".csv,.tsv,.txt,text/csv,text/plain",
    };
  });
}

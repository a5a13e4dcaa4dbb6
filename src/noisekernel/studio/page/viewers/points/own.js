// A point of one's own: a field for each column, or a row of numbers.

/** @import { Model } from "../../lib/types.js" */

import { h, set } from "../../lib/dom.js";
import { Refusal } from "../../lib/refusal.js";
import { asking, chooser } from "../asking.js";
import { drawing } from "./drawing.js";
import { numberIn, pointsIn } from "./reading.js";
import { factsOf, worded } from "./scale.js";

/**
 * @param {Model} model
 * @param {File | null} file
 */
export function askPoint(model, file) {
  const { columns, means, scales } = factsOf(model);
  return asking(model, file, (changed) => {
    /** What is wrong with the row of numbers, if anything. @type {unknown} */
    let wrong = null;
    const row = h("input", {
      type: "text", autocomplete: "off", "aria-label": "A row of numbers", autofocus: true,
      placeholder: columns.slice(0, 6).join(", ") + (columns.length > 6 ? " …" : ""),
    });
    row.addEventListener("input", () => {
      wrong = null;
      try {
        if (row.value.trim()) put(pointsIn(row.value, columns)[0]);
      } catch (error) {
        wrong = error;
      }
      changed();
    });
    const fields = columns.map((name, at) => h("input", {
      type: "text", inputmode: "decimal", autocomplete: "off", "aria-label": name, oninput: byItself,
      value: worded(means[at], scales[at]).replace("−", "-"),
    }));
    function byItself() {
      wrong = null;
      row.value = "";
      changed();
    }
    /** @param {number[]} point */
    function put(point) {
      point.forEach((value, at) => (fields[at].value = String(value)));
      changed();
    }

    /** @type {number[][]} */
    let points = [];
    const choice = chooser("Row", (at) => put(points[at]));
    /** @param {string} content */
    function take(content) {
      points = pointsIn(content, columns);
      row.value = "";
      wrong = null;
      choice.offer(points.map((point) => point.slice(0, 8).join(", ")));
    }

    const rowField = h("label", {}, h("span", { class: "soft small" }, "A row of numbers, or each by itself"), row);
    const grid = h("div", { class: "numbers" }, columns.map((name, at) =>
      h("label", {}, h("span", { class: "soft small", title: name }, name), fields[at])));
    // A row that is pasted into one field is meant for all; a table gives its rows to choose from.
    /** @param {ClipboardEvent} event */
    function pasted(event) {
      const words = event.clipboardData?.getData("text/plain") ?? "";
      if (numberIn(words) !== null || (event.target === row && !words.trim().includes("\n"))) return;
      event.preventDefault();
      try {
        take(words);
      } catch (error) {
        wrong = error;
      }
      changed();
    }
    for (const field of [row, ...fields]) field.addEventListener("paste", pasted);

    function typed() {
      if (wrong) throw wrong;
      return fields.map((field, at) => {
        const number = numberIn(field.value);
        set(field, "aria-invalid", number === null ? "true" : null);
        if (number === null) throw new Refusal(`${columns[at]} is “${field.value}”; it needs a number.`);
        return String(number);
      }).join(",");
    }

    const { element, draw } = drawing(model, "large");
    const preview = { element, show: (/** @type {number[]} */ values) => draw({ values }) };
    return {
      heading: "A point of yours", fields: [choice.element, rowField, grid], preview, typed, take,
      accept: ".csv,.txt,text/csv,text/plain",
    };
  });
}

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
    const fields = columns.map((name, at) => h("input", {
      type: "text", inputmode: "decimal", autocomplete: "off", "aria-label": name, oninput: changed,
      value: plain(worded(means[at], scales[at])),
    }));
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
      choice.offer(points.map((point) => point.slice(0, 8).join(", ")));
    }

    /** What is wrong with the row of numbers, if anything. @type {unknown} */
    let wrong = null;
    const row = h("input", {
      type: "text", autocomplete: "off", "aria-label": "A row of numbers", autofocus: true,
      placeholder: columns.slice(0, 6).join(", ") + (columns.length > 6 ? " …" : ""),
      oninput: () => {
        wrong = null;
        try {
          if (row.value.trim()) put(pointsIn(row.value, columns)[0]);
        } catch (error) {
          wrong = error;
        }
        changed();
      },
    });
    const grid = h("div", { class: "numbers" }, columns.map((name, at) =>
      h("label", {}, h("span", { class: "soft small", title: name }, name), fields[at])));
    // A row that is pasted into one field is meant for all.
    grid.addEventListener("paste", (event) => {
      const words = event.clipboardData?.getData("text/plain") ?? "";
      if (numberIn(words) !== null || columns.length < 2) return;
      event.preventDefault();
      row.value = words.trim();
      row.dispatchEvent(new Event("input"));
    });

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
    const rowField = h("label", {}, h("span", { class: "soft small" }, "A row of numbers, or each by itself"), row);
    return {
      heading: "A point of yours", fields: [choice.element, rowField, grid], preview, typed, take,
      accept: ".csv,.txt,text/csv,text/plain",
    };
  });
}

/** As a field has it. @param {string} number */
const plain = (number) => number.replace("−", "-");

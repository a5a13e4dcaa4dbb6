// A string of one's own: typed, pasted, or a line of a text file.

/** @import { Model } from "../../lib/types.js" */

import { h, text } from "../../lib/dom.js";
import { Refusal } from "../../lib/refusal.js";
import { asking, chooser } from "../asking.js";
import { lengthOf, sheet } from "./display.js";

/** The lines of a text that hold anything. @param {string} content */
export const linesOf = (content) => content.split(/\r?\n/).filter((line) => line.trim());

/**
 * @param {Model} model
 * @param {File | null} file
 */
export function askString(model, file) {
  return asking(model, file, (changed) => {
    const field = h("input", {
      type: "text", class: "typed", "aria-label": "Your string", autocomplete: "off", spellcheck: "false",
      autofocus: true, oninput: changing,
    });
    const count = h("span", { class: "soft small" });
    /** @type {string[]} */
    let lines = [];
    const choice = chooser("Line", (at) => {
      field.value = lines[at];
      changing();
    });
    // A field would run lines together; so they are there to choose from.
    field.addEventListener("paste", (event) => {
      const content = event.clipboardData?.getData("text/plain") ?? "";
      if (linesOf(content).length < 2) return;
      event.preventDefault();
      take(content);
    });
    /** @param {string} content */
    function take(content) {
      lines = linesOf(content);
      if (!lines.length) throw new Refusal("There is no line of text in it.");
      choice.offer(lines);
    }

    const { element, put } = sheet(model, "large");
    element.classList.add("nothing");

    const tally = () => text(count, `${[...field.value].length} of at most ${lengthOf(model)} characters`);
    tally();

    function changing() {
      tally();
      changed();
    }

    return {
      heading: "A string of yours",
      fields: [choice.element, h("label", { class: "stack" }, field, count)],
      preview: { element, show: put },
      typed: () => field.value || null,
      take,
      accept: ".txt,text/plain",
    };
  });
}

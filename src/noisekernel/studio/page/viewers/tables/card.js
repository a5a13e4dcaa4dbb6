// A row as a card: the name of each column, its cell, and a mark where it changed.

/** @import { Model } from "../../lib/types.js" */

import { h, set } from "../../lib/dom.js";
import { changesOf, chosen, printed, spoken } from "./changes.js";
import { factsOf } from "./reading.js";

/** @typedef {"thumbnail" | "cell" | "large" | "line"} Place */

/** How many columns there is room for. @type {Record<Place, number>} */
const ROOM = { thumbnail: 3, cell: 14, large: Infinity, line: Infinity };

/** Width by height of a candidate's card: the more columns, the higher. @param {Model} model */
export function ratioOf(model) {
  const lines = Math.min(ROOM.cell, factsOf(model).columns.length);
  return Math.round(100 * Math.max(0.6, Math.min(2.4, 230 / (lines * 21 + 14)))) / 100;
}

/**
 * @param {Model} model
 * @param {Place} place
 */
export function card(model, place) {
  const { columns } = factsOf(model);
  const list = h("span", { class: "list" });
  const element = h("span", { class: `row-card on-${place}`, role: "img" }, list);
  list.style.setProperty("--n", String(Math.min(columns.length, ROOM[place]) + Number(columns.length > ROOM[place])));
  /**
   * @param {(string | null)[]} cells
   * @param {(string | null)[] | null} [before] the cells that they are compared with
   */
  function draw(cells, before = null) {
    const changes = changesOf(before, cells);
    const shown = chosen(changes, ROOM[place]);
    list.replaceChildren(...shown.map((at) => {
      const was = changes[at] && before ? before[at] : null;
      const title = titled(columns[at], cells[at], was);
      return h("span", { class: changes[at] ? "of changed" : "of" },
        place === "line" ? null : h("span", { class: "name" }, columns[at]),
        h("span", { class: cells[at] ? "value" : "value nothing", title }, printed(cells[at])));
    }));
    const rest = columns.length - shown.length;
    if (rest && place !== "thumbnail") list.append(h("span", { class: "of more" }, `and ${rest} more columns`));
    set(element, "aria-label", spoken(columns, before, cells));
  }
  return { element, draw };
}

/** @param {string} name @param {string | null} cell @param {string | null} before */
function titled(name, cell, before) {
  const said = (/** @type {string | null} */ one) => (one === "" ? "empty" : printed(one));
  return `${name}: ${said(cell)}${before === null ? "" : `, was ${said(before)}`}`;
}

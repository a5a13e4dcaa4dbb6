// Rows of a table: a card of cells, with marks where they differ from those of the parent; cells are pinned by a click;
// typed in cell by cell, or brought as CSV; the candidates of a round below each other as a table.

/** @import { Viewer } from "./types.js" */

import { pastedText } from "./asking.js";
import { address } from "./remembered.js";
import { ratioOf } from "./tables/card.js";
import { difference } from "./tables/difference.js";
import { example, head, large, lined, live, read, thumbnail } from "./tables/display.js";
import { askRow } from "./tables/own.js";
import { pins } from "./tables/pins.js";
import { factsOf } from "./tables/reading.js";

/** @type {Viewer} */
export const tables = {
  styles: "viewers/tables.css",

  size: (model) => `${factsOf(model).columns.length} columns`,
  proportions: (model) => ({ ratio: ratioOf(model), whole: null, least: 150, most: 330 }),

  thumbnail,
  large,
  live,
  table: { head, live: lined },
  read,
  example,

  difference,
  differenceHint: "cells of the first, then those of the second; marked where they differ",
  surface: pins,

  own: {
    label: "Your own row",
    hint: "Type its cells, paste them, or drop a CSV file",
    accept: null,
    pasted: pastedText,
    ask: askRow,
  },

  files: (_, { id }) => [{ label: "This row, CSV", hint: "a row", address: address(id), suffix: ".csv" }],
  sheet: { label: "List of rows, text" },
  films: [{ label: "Table, CSV", name: "film.csv" }],
};

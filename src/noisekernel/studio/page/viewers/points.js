// Points, vectors of named numbers: two in a plot, more as a profile; painted on column by column, typed in.

/** @import { Viewer } from "./types.js" */

import { pastedText } from "./asking.js";
import { difference, example, large, live, read, thumbnail } from "./points/display.js";
import { ratioOf } from "./points/drawing.js";
import { askPoint } from "./points/own.js";
import { rows } from "./points/rows.js";
import { factsOf } from "./points/scale.js";
import { address } from "./remembered.js";

/** @type {Viewer} */
export const points = {
  styles: "viewers/points.css",

  size: (model) => `${factsOf(model).columns.length} columns`,
  proportions: (model) => ({ ratio: ratioOf(model), whole: null, least: 72, most: 320 }),

  thumbnail,
  large,
  live,
  read,
  example,

  difference,
  differenceHint: "hollow the first, filled the second",
  surface: rows,

  own: {
    label: "Your own point",
    hint: "Type its numbers, paste them, or drop a CSV file",
    accept: null,
    pasted: pastedText,
    ask: askPoint,
  },

  files: (_, { id }) => [{ label: "This point, CSV", hint: "a row", address: address(id), suffix: ".csv" }],
  sheet: { label: "Scatter plot, SVG" },
  films: [{ label: "Film, SVG", name: "film.svg" }, { label: "Table, CSV", name: "film.csv" }],
};

// Short strings: set in type, painted on letter by letter, typed in.

/** @import { Viewer } from "./types.js" */

import { pastedText } from "./asking.js";
import { address } from "./remembered.js";
import { difference } from "./text/difference.js";
import { example, large, lengthOf, live, ratioOf, read, thumbnail } from "./text/display.js";
import { letters } from "./text/letters.js";
import { askString } from "./text/own.js";

/** @type {Viewer} */
export const text = {
  styles: "viewers/text.css",

  size: (model) => `up to ${lengthOf(model)} characters`,
  proportions(model) {
    const long = lengthOf(model) > 24;
    return { ratio: ratioOf(model), whole: null, least: long ? 160 : 110, most: long ? 380 : 300 };
  },

  thumbnail,
  large,
  live,
  read,
  example,

  difference,
  differenceHint: "above the first, below the second, as their letters belong together",
  surface: letters,

  own: {
    label: "Your own string",
    hint: "Type it, paste it, or drop a text file",
    accept: null,
    pasted: pastedText,
    ask: askString,
  },

  files: (_, { id }) => [{ label: "This string, text", hint: "a line", address: address(id), suffix: ".txt" }],
  sheet: { label: "List of strings, text" },
  films: [{ label: "Film, text", name: "film.txt" }],
};

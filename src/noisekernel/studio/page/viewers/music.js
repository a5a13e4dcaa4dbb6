// Music in several voices: a piano roll that can be heard, painted on voice by voice, entered on a grid.

/** @import { Viewer } from "./types.js" */

import { address } from "./remembered.js";
import { board } from "./music/board.js";
import { formOf } from "./music/content.js";
import { difference } from "./music/difference.js";
import { example, large, live, read, thumbnail } from "./music/display.js";
import { ratioOf } from "./music/geometry.js";
import { listen } from "./music/hearing.js";
import { askMusic, musicIn } from "./music/own.js";
import { barsOf, factsOf } from "./music/piece.js";

/** @type {Viewer} */
export const music = {
  styles: "viewers/music.css",

  size(model) {
    const facts = factsOf(model);
    const bars = barsOf(facts);
    const many = facts.voices.length;
    return `${many === 1 ? "1 voice" : `${many} voices`}, ${bars === 1 ? "1 bar" : `${bars} bars`}`;
  },
  proportions: (model) => ({ ratio: ratioOf(factsOf(model)), whole: null, least: 150, most: 420 }),

  thumbnail,
  large,
  live,
  read,
  example,
  listen,

  difference,
  differenceHint: "grey where they agree; new notes in colour, those that are gone hollow or pale",
  surface: board,

  own: {
    label: "Your own music",
    hint: "Enter a melody, or drop a MIDI or MusicXML file",
    accept: null,
    pasted: (given) => musicIn([...given.files]),
    ask: askMusic,
  },

  files: (_, { id }) => [
    { label: "This piece, MIDI", hint: "for any music program", address: address(id), suffix: ".mid" },
    { label: "Sound, WAV", hint: "to listen to", address: formOf(id, "wav"), suffix: ".wav" },
    { label: "Piano roll, PNG", hint: "to look at", address: formOf(id, "png"), suffix: ".png" },
  ],
  sheet: { label: "Sheet of rolls, PNG" },
  films: [{ label: "Film, MIDI", name: "film.mid" }],
};

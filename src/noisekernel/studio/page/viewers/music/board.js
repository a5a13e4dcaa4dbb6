// A piece to paint on, with mouse, finger, pen or keys. A drag marks all voices and steps between where it began and
// where it is; the name of a voice stands for the whole voice, the number of a bar for that bar of all voices.

/** @import { Model } from "../../lib/types.js" */
/** @import { Painting, Surface } from "../types.js" */
/** @import { Region, Spot } from "./lanes.js" */
/** @import { Piece } from "./piece.js" */

import { h, set } from "../../lib/dom.js";
import { Marks } from "../../lib/marks.js";
import { latest } from "../remembered.js";
import { sheet } from "./canvas.js";
import { pieceAt } from "./content.js";
import { hearable, playButton } from "./hearing.js";
import { filled, joined, keyed, lanesOf, maskOf, regionAt, spanOf } from "./lanes.js";
import { paintLanes } from "./lanesheet.js";
import { heardOf } from "./mix.js";
import { factsOf, nameOf, noteAt, placeOf } from "./piece.js";

/** What a step is called, by how many of them make a quarter note. @type {Record<number, string>} */
const UNITS = { 1: "quarters", 2: "eighths", 4: "sixteenths", 8: "thirty-seconds" };

/**
 * @param {Model} model
 * @param {Painting} painting
 * @returns {Surface}
 */
export function board(model, { brush, changed, say }) {
  const facts = factsOf(model);
  const { voices, steps, perBeat, bar } = facts;
  /** @type {Piece | null} */
  let piece = null;
  let marks = new Marks(voices.length * steps);
  /** The node that the marks belong to. @type {string | null} */
  let of = null;
  /** The cell under the keys. @type {Spot} */
  let at = { voice: 0, step: 0 };
  /** What the pointer is over. @type {Region | null} */
  let over = null;
  /** Where the stroke began, and the cells without it. @type {{ from: Region, cells: Uint8Array } | null} */
  let stroke = null;
  /** @type {number | null} */
  let cursor = null;
  const wide = () => Math.max(1, Math.min(bar, Number(brush.size) || 1));
  const value = () => (brush.kind === "anew" ? 1 : 0);

  const { element: canvas, draw } = sheet((context, size, colours) => {
    const keys = element.matches(":focus-visible") ? region() : null;
    if (piece) paintLanes(context, size, colours, {
      facts, piece, cells: marks.cells, over: stroke ? null : over, keys, at: cursor, heard: heardOf(model),
    });
  });
  const element = h("div", {
    class: "music lanes", tabindex: "0", role: "application", "aria-roledescription": "painting",
  }, canvas);
  element.style.setProperty("--count", String(voices.length));
  const hearing = hearable(model, element, {
    piece: () => piece, id: () => of, pauses: true,
    moved(step) {
      cursor = step;
      draw();
    },
  });
  element.append(playButton(hearing));
  const content = latest(pieceAt, (loaded) => {
    piece = loaded;
    changed();
  });

  /** What the keys would mark. @returns {Region} */
  const region = () => ({ voices: [at.voice, at.voice + 1], steps: spanOf(at.step, wide(), steps) });

  /** @param {PointerEvent} event */
  function under({ clientX, clientY }) {
    const box = canvas.getBoundingClientRect();
    const size = { width: canvas.clientWidth, height: canvas.clientHeight };
    return regionAt({ x: clientX - box.left, y: clientY - box.top }, lanesOf(size, facts), facts, wide());
  }

  /** @param {Region} from */
  function begin(from) {
    marks.begin(brush.kind);
    stroke = { from, cells: marks.cells.slice() };
    go(from);
  }

  /** The stroke is there by now. @param {Region} to */
  function go(to) {
    if (!stroke) return;
    marks.cells = filled(stroke.cells, joined(stroke.from, to), value(), steps);
    changed();
  }

  /** @param {Spot} spot */
  function told({ voice, step }) {
    const note = piece && noteAt(piece.notes, voice, step);
    const [from, to] = spanOf(step, wide(), steps);
    const marked = marks.cells.subarray(voice * steps + from, voice * steps + to).includes(1);
    const sounds = note ? nameOf(note[1]) : "rest";
    return `${voices[voice]}, ${placeOf(from, facts)}, ${sounds}${marked ? ", made anew" : ""}.`;
  }

  canvas.addEventListener("pointerdown", (event) => {
    const from = event.button || !piece ? null : under(event);
    if (!from) return;
    canvas.setPointerCapture(event.pointerId);
    at = { voice: from.voices[0], step: from.steps[0] };
    begin(from);
  });
  canvas.addEventListener("pointermove", (event) => {
    over = under(event);
    if (!stroke) draw();
    else if (over) go(over);
  });
  for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, () => {
    stroke = null;
    draw();
  });
  canvas.addEventListener("pointerleave", () => {
    over = null;
    draw();
  });
  for (const change of ["focus", "blur"]) element.addEventListener(change, draw);
  element.addEventListener("keydown", (event) => {
    if (event.target !== element || event.ctrlKey || event.metaKey || event.altKey) return;
    const next = keyed(event.key, at, facts, wide());
    if (next) {
      at = next;
      say(told(at));
      draw();
    } else if (event.key === " " && piece) {
      begin(region());
      stroke = null;
      say(told(at));
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });

  return {
    element,
    get marks() {
      return marks;
    },
    sliders: [{ key: "size", label: "Brush width", min: 1, max: bar, unit: UNITS[perBeat] ?? "steps" }],
    start: { size: perBeat },
    show({ id }, words) {
      set(element, "aria-label", `${words}, a piece to paint on, a line for each voice. `
        + "Arrow keys move the brush, space paints.");
      if (of !== id) {
        hearing.end();
        piece = null;
        marks = new Marks(voices.length * steps);
        at = { voice: 0, step: 0 };
        stroke = null;
      }
      of = id;
      content.wish(id);
    },
    draw,
    request: async () => ({ mask: maskOf(marks.cells) }),
  };
}

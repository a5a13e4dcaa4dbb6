// The lanes of a piece that is painted on, drawn.

/** @import { Colours } from "./canvas.js" */
/** @import { Size } from "./geometry.js" */
/** @import { Lanes, Region } from "./lanes.js" */
/** @import { Facts, Ghost, Note, Piece } from "./piece.js" */

import { hue } from "./canvas.js";
import { lines, noteBox } from "./geometry.js";
import { lanesOf, rangeOf } from "./lanes.js";
import { ghosts, register } from "./piece.js";
import { label } from "./roll.js";
import { initial } from "./voices.js";

/**
 * What is to be seen: `cells` that are made anew, what the pointer is `over`, what the `keys` are at, the step `at`
 * which it plays.
 * @typedef {{ facts: Facts, piece: Piece, cells: Uint8Array, over: Region | null, keys: Region | null,
 *   at: number | null, heard: boolean[] }} LaneScene
 */

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Size} size
 * @param {Colours} colours
 * @param {LaneScene} scene
 */
export function paintLanes(context, size, colours, { facts, piece, cells, over, keys, at, heard }) {
  const lanes = lanesOf(size, facts);
  const open = ghosts(piece, facts);
  numbers(context, lanes, colours, facts, over);
  facts.voices.forEach((name, voice) => {
    const y = lanes.top + voice * lanes.every;
    context.fillStyle = colours.mat;
    context.beginPath();
    context.roundRect(lanes.left, y, lanes.width, lanes.lane, 5);
    context.fill();
    grid(context, lanes, colours, facts, y);
    const whole = over !== null && over.voices[0] <= voice && voice < over.voices[1] && spans(over, facts);
    context.fillStyle = whole ? colours.ink : colours.soft;
    const words = lanes.left < 60 ? initial(name) : name;
    label(context, words, lanes.left - 10, y + lanes.lane / 2, "right");
    context.fillStyle = hue(colours, voice);
    context.globalAlpha = 1;
    context.fillRect(lanes.left - 5, y + 3, 2.5, lanes.lane - 6);
    const own = open.filter((one) => one.voice === voice);
    marked(context, lanes, colours, cells, voice, facts.steps, y);
    line(context, lanes, colours, { facts, notes: piece.notes, open: own, voice, y, at, soft: !heard[voice] });
  });
  if (over) outline(context, lanes, colours.soft, over, 1.5);
  if (keys) outline(context, lanes, colours.ink, keys, 2);
  if (at === null) return;
  context.fillStyle = colours.ink;
  context.globalAlpha = 0.85;
  context.fillRect(lanes.left + at * lanes.step - 0.75, lanes.top - 4, 1.5, size.height - lanes.top);
  context.globalAlpha = 1;
}

/** Whether a region is whole voices. @param {Region} region @param {Facts} facts */
const spans = ({ steps: [from, to] }, { steps }) => from === 0 && to === steps;

/** @param {CanvasRenderingContext2D} context @param {Lanes} lanes @param {Colours} colours @param {Facts} facts
 * @param {Region | null} over */
function numbers(context, { left, top, step }, colours, facts, over) {
  for (let from = 0; from < facts.steps; from += facts.bar) {
    const within = over !== null && over.voices[1] - over.voices[0] === facts.voices.length && over.steps[0] === from;
    context.fillStyle = within ? colours.ink : colours.soft;
    label(context, String(from / facts.bar + 1), left + from * step + 5, top / 2, "left");
  }
  context.globalAlpha = 1;
}

/** @param {CanvasRenderingContext2D} context @param {Lanes} lanes @param {Colours} colours @param {Facts} facts
 * @param {number} y */
function grid(context, lanes, colours, facts, y) {
  const { bars, beats } = lines(facts, { ...lanes, height: 0, row: 0, high: 0, gutter: 0, ruler: 0 });
  context.fillStyle = colours.soft;
  for (const [alpha, some] of /** @type {[number, number[]][]} */ ([[0.14, beats], [0.45, bars.slice(1)]])) {
    context.globalAlpha = alpha;
    for (const at of some) context.fillRect(Math.round(lanes.left + at * lanes.step) - 0.5, y, 1, lanes.lane);
  }
  context.globalAlpha = 1;
}

/**
 * The notes of a voice, and dots where it is open.
 * @param {CanvasRenderingContext2D} context @param {Lanes} lanes @param {Colours} colours
 * @param {{ facts: Facts, notes: Note[], open: Ghost[], voice: number, y: number, at: number | null,
 *   soft: boolean }} own
 */
function line(context, lanes, colours, { facts, notes, open, voice, y, at, soft }) {
  const { low, high } = rangeOf(notes, voice, register(voice, facts));
  const row = lanes.lane / (high - low + 1);
  const frame = { ...lanes, top: y, height: lanes.lane, row, high, gutter: 0, ruler: 0 };
  context.fillStyle = hue(colours, voice);
  for (const note of notes.filter(([of]) => of === voice)) {
    const box = noteBox(note, frame);
    const tall = Math.max(5, Math.min(9, 1.6 * box.height));
    const struck = at !== null && note[2] <= at && at < note[2] + note[3];
    context.globalAlpha = soft ? 0.3 : 1;
    if (struck && !soft) [context.shadowColor, context.shadowBlur] = [hue(colours, voice), 14];
    context.beginPath();
    context.roundRect(box.x, box.y + (box.height - tall) / 2, box.width, tall, Math.min(3.5, box.width / 2));
    context.fill();
    context.shadowBlur = 0;
  }
  context.globalAlpha = 0.6;
  context.beginPath();
  for (const { start, length } of open)
    for (let step = start + 0.5; step < start + length; step++) {
      const [x, middle] = [lanes.left + step * lanes.step, y + lanes.lane / 2];
      context.moveTo(x + 2, middle);
      context.arc(x, middle, Math.min(2, lanes.step / 4), 0, 2 * Math.PI);
    }
  context.fill();
  context.globalAlpha = 1;
}

/** What is made anew of a voice. @param {CanvasRenderingContext2D} context @param {Lanes} lanes
 * @param {Colours} colours @param {Uint8Array} cells @param {number} voice @param {number} steps @param {number} y */
function marked(context, lanes, colours, cells, voice, steps, y) {
  context.fillStyle = context.strokeStyle = colours.veil;
  context.lineWidth = 1.5;
  for (let from = 0; from < steps; from++) {
    if (!cells[voice * steps + from]) continue;
    let to = from;
    while (to < steps && cells[voice * steps + to]) to++;
    context.beginPath();
    context.roundRect(lanes.left + from * lanes.step + 0.5, y, (to - from) * lanes.step - 1, lanes.lane, 4);
    context.globalAlpha = 0.36;
    context.fill();
    context.globalAlpha = 1;
    context.stroke();
    from = to;
  }
}

/** @param {CanvasRenderingContext2D} context @param {Lanes} lanes @param {string} colour @param {Region} region
 * @param {number} wide */
function outline(context, lanes, colour, { voices: [first, last], steps: [from, to] }, wide) {
  context.strokeStyle = colour;
  context.lineWidth = wide;
  context.beginPath();
  const high = (last - first) * lanes.every - (lanes.every - lanes.lane);
  context.roundRect(lanes.left + from * lanes.step, lanes.top + first * lanes.every, (to - from) * lanes.step, high, 4);
  context.stroke();
}

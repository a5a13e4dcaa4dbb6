// A piano roll, drawn.

/** @import { Colours } from "./canvas.js" */
/** @import { Frame, Place, Size } from "./geometry.js" */
/** @import { Facts, Ghost, Note, Piece, Share } from "./piece.js" */

import { hue } from "./canvas.js";
import { across, closer, frameOf, lines, middle, noteBox, octaves } from "./geometry.js";
import { ghosts, isBlack, nameOf, shares } from "./piece.js";

/** How a note is drawn where two pieces are compared. @typedef {"plain" | "same" | "gone"} Look */

/**
 * What is to be seen. `heard`: whether each voice is; `at`: the step under the cursor; `looks`: how each note is drawn.
 * @typedef {{ facts: Facts, place: Place, piece: Piece, heard?: boolean[], at?: number | null, looks?: Look[] }} Scene
 */

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Size} size
 * @param {Colours} colours
 * @param {Scene} scene
 */
export function paintRoll(context, size, colours, { facts, place, piece, heard, at = null, looks }) {
  const frame = frameOf(size, place === "thumbnail" ? closer(facts, piece.notes) : facts, place);
  if (place !== "thumbnail") ground(context, colours, facts, frame);
  const shown = (/** @type {number} */ voice) => (heard && !heard[voice] ? 0.2 : 1);
  for (const ghost of ghosts(piece, facts)) {
    context.globalAlpha = 0.65 * shown(ghost.voice);
    dots(context, frame, hue(colours, ghost.voice), ghost, frame.step < 2 ? 4 : frame.step < 5 ? 2 : 1);
  }
  const there = shares(piece.notes.filter((_, index) => looks?.[index] !== "gone"));
  piece.notes.forEach((note, index) => {
    const [voice, , start, length] = note;
    const look = looks?.[index] ?? "plain";
    const part = (look !== "gone" && there.shift()) || undefined;
    const struck = at !== null && start <= at && at < start + length && shown(voice) === 1;
    context.globalAlpha = shown(voice);
    bar(context, frame, colours, note, part, look, struck);
  });
  context.globalAlpha = 1;
  if (at !== null) cursor(context, frame, colours, at);
}

/** Rows, lines, names and numbers.
 * @param {CanvasRenderingContext2D} context @param {Colours} colours @param {Facts} facts @param {Frame} frame */
function ground(context, colours, facts, frame) {
  const { left, top, width, height, row } = frame;
  context.fillStyle = context.strokeStyle = colours.soft;
  if (row >= 3.5)
    for (let pitch = facts.low; pitch <= facts.high; pitch++)
      if (isBlack(pitch)) fill(context, 0.07, left, middle(pitch, frame) - row / 2, width, row);
  for (const pitch of octaves(facts)) {
    const y = Math.round(middle(pitch, frame) + row / 2);
    fill(context, frame.gutter ? 0.3 : 0.2, left, y - 0.5, width, 1);
    if (frame.gutter) label(context, nameOf(pitch), left - 7, middle(pitch, frame), "right");
  }
  const { bars, beats } = lines(facts, frame);
  for (const step of beats) fill(context, 0.13, Math.round(across(step, frame)) - 0.5, top, 1, height);
  for (const [number, step] of bars.entries()) {
    const x = Math.round(across(step, frame));
    const above = frame.ruler ? top - 6 : top;
    if (step) fill(context, frame.gutter ? 0.42 : 0.32, x - 0.5, above, 1, height + top - above);
    if (frame.ruler) label(context, String(number + 1), x + 4, top / 2 + 0.5, "left");
  }
}

/** @param {CanvasRenderingContext2D} context @param {number} alpha @param {number} x @param {number} y
 * @param {number} width @param {number} height */
function fill(context, alpha, x, y, width, height) {
  context.globalAlpha = alpha;
  context.fillRect(x, y, width, height);
}

/** @param {CanvasRenderingContext2D} context @param {string} words @param {number} x @param {number} y
 * @param {CanvasTextAlign} align */
export function label(context, words, x, y, align) {
  context.globalAlpha = 0.9;
  context.font = "11px system-ui, sans-serif";
  context.textAlign = align;
  context.textBaseline = "middle";
  context.fillText(words, x, y);
}

/** Open cells: a dot for each, or for every few.
 * @param {CanvasRenderingContext2D} context @param {Frame} frame @param {string} colour @param {Ghost} ghost
 * @param {number} every */
function dots(context, frame, colour, { start, length, from, to }, every) {
  const radius = Math.max(0.75, Math.min(2, 0.17 * frame.step * every));
  context.fillStyle = colour;
  context.beginPath();
  for (let step = 0.5; step < length; step += every) {
    const [x, y] = [across(start + step, frame), middle(from + ((to - from) * step) / length, frame)];
    context.moveTo(x + radius, y);
    context.arc(x, y, radius, 0, 2 * Math.PI);
  }
  context.fill();
}

/** @param {CanvasRenderingContext2D} context @param {Frame} frame @param {Colours} colours @param {Note} note
 * @param {Share | undefined} share @param {Look} look @param {boolean} struck */
function bar(context, frame, colours, note, share, look, struck) {
  const { x, y, width, height, radius } = noteBox(note, frame, share);
  const colour = hue(colours, note[0]);
  context.beginPath();
  context.fillStyle = look === "same" ? colours.soft : colour;
  if (look === "gone" && height < 5) context.globalAlpha *= 0.35; // too thin for an outline
  else if (look === "gone") {
    context.roundRect(x + 1, y + 1, Math.max(0.5, width - 2), Math.max(0.5, height - 2), radius);
    context.strokeStyle = colour;
    context.lineWidth = 1;
    context.setLineDash([3, 2]);
    context.stroke();
    context.setLineDash([]);
    return;
  }
  if (look === "same") context.globalAlpha *= 0.32;
  if (struck) [context.shadowColor, context.shadowBlur] = [colour, 14];
  context.roundRect(x, y, width, height, radius);
  context.fill();
  context.shadowBlur = 0;
  if (!struck) return;
  context.globalAlpha = 0.45;
  context.fillStyle = colours.ink;
  context.fill();
}

/** @param {CanvasRenderingContext2D} context @param {Frame} frame @param {Colours} colours @param {number} at */
function cursor(context, frame, colours, at) {
  context.fillStyle = colours.ink;
  const x = across(at, frame);
  fill(context, 0.05, frame.left, frame.top, x - frame.left, frame.height);
  fill(context, 0.85, x - 0.75, frame.top - (frame.ruler ? 6 : 0), 1.5, frame.height + (frame.ruler ? 6 : 0));
  context.globalAlpha = 1;
}

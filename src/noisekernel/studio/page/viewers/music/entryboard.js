// The grid on which notes are entered: a click puts a note or takes it away, a drag makes it longer or shorter.

/** @import { Model } from "../../lib/types.js" */
/** @import { Note, Piece } from "./piece.js" */

import { h } from "../../lib/dom.js";
import { say } from "../../lib/toast.js";
import { hue, sheet } from "./canvas.js";
import { keyedOn, noteOn, placed, snapped, without } from "./entry.js";
import { frameOf, noteBox, under } from "./geometry.js";
import { factsOf, nameOf, placeOf } from "./piece.js";
import { strike } from "./player.js";
import { paintRoll } from "./roll.js";

/** What is entered next. @typedef {{ voice: number, length: number }} Pen */

/**
 * @param {Model} model
 * @param {object} given
 * @param {Pen} given.pen
 * @param {() => Piece} given.piece what is drawn
 * @param {() => Note[]} given.notes what is entered by now
 * @param {(notes: Note[], begins: boolean) => void} given.change `begins`: it is to be undone as one from here on
 */
export function entryBoard(model, { pen, piece, notes, change }) {
  const facts = factsOf(model);
  /** @typedef {{ step: number, pitch: number }} Spot */
  /** Under the pointer. @type {Spot | null} */
  let over = null;
  /** Under the keys. @type {Spot} */
  let at = { step: 0, pitch: Math.round((facts.low + facts.high) / 2) + 12 };
  /** The note in hand, the notes without it, whether it was there, and whether it was changed since.
   * @type {{ note: Note, before: Note[], old: Note | null, moved: boolean } | null} */
  let held = null;
  /** @type {number | null} */
  let cursor = null;

  const { element: canvas, draw } = sheet((context, size, colours) => {
    const frame = frameOf(size, facts, "large");
    paintRoll(context, size, colours, { facts, place: "large", piece: piece(), at: cursor });
    const keys = element.matches(":focus-visible") ? at : null;
    const wished = held ? null : (over ?? keys);
    if (!wished) return;
    const box = noteBox(would(wished), frame);
    context.beginPath();
    context.roundRect(box.x, box.y, box.width, box.height, box.radius);
    context.fillStyle = hue(colours, pen.voice);
    context.globalAlpha = 0.35;
    context.fill();
    context.globalAlpha = 1;
    context.strokeStyle = keys && !over ? colours.ink : hue(colours, pen.voice);
    context.lineWidth = 1.5;
    context.stroke();
  });
  const element = h("div", {
    class: "music entering", tabindex: "0", role: "application",
    "aria-label": "Grid of notes. Arrow keys move, space puts a note or takes it away, "
      + "Shift with left and right makes it shorter or longer.",
  }, canvas);

  /** The note that would be put there. @param {Spot} spot @returns {Note} */
  function would({ step, pitch }) {
    const start = snapped(step, pen.length, facts);
    return [pen.voice, pitch, start, Math.min(pen.length, facts.steps - start)];
  }

  /** @param {MouseEvent} event */
  function spotOf({ clientX, clientY }) {
    const box = canvas.getBoundingClientRect();
    const frame = frameOf({ width: canvas.clientWidth, height: canvas.clientHeight }, facts, "large");
    return under({ x: clientX - box.left, y: clientY - box.top }, frame, facts);
  }

  /** Put a note, or take hold of the one that is there. @param {Spot} spot */
  function take(spot) {
    const old = noteOn(notes(), pen.voice, spot) ?? null;
    const note = old ?? would(spot);
    const before = old ? without(notes(), old) : notes();
    held = { note, before, old, moved: false };
    change(old ? notes() : placed(before, note, facts), true);
    strike(model, pen.voice, note[1]);
  }

  /** The note in hand ends with this step. @param {number} step */
  function stretch(step) {
    if (!held) return;
    const [voice, pitch, start, length] = held.note;
    const long = Math.max(1, step + 1 - start);
    if (long === length || (!held.moved && !held.old && long < length)) return; // a shaking hand shortens nothing
    held = { ...held, note: [voice, pitch, start, long], moved: true };
    change(placed(held.before, held.note, facts), false);
  }

  function release() {
    if (held?.old && !held.moved) change(held.before, false);
    held = null;
    draw();
  }

  canvas.addEventListener("pointerdown", (event) => {
    const spot = event.button ? null : spotOf(event);
    if (!spot) return;
    canvas.setPointerCapture(event.pointerId);
    at = spot;
    take(spot);
  });
  canvas.addEventListener("pointermove", (event) => {
    const before = over;
    over = spotOf(event);
    if (held && over) stretch(over.step);
    else if (before?.step !== over?.step || before?.pitch !== over?.pitch) draw();
  });
  for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, release);
  canvas.addEventListener("pointerleave", () => {
    over = null;
    draw();
  });
  for (const one of ["focus", "blur"]) element.addEventListener(one, draw);
  element.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const old = noteOn(notes(), pen.voice, at);
    const way = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const next = keyedOn(event.key, at, facts, Math.min(pen.length, facts.perBeat));
    over = null;
    if (event.shiftKey && way && old) {
      const [voice, pitch, start, length] = old;
      change(placed(without(notes(), old), [voice, pitch, start, Math.max(1, length + way)], facts), true);
    } else if (next) {
      at = next;
      say(`${nameOf(at.pitch)}, ${placeOf(at.step, facts)}${noteOn(notes(), pen.voice, at) ? ", a note" : ""}.`);
      draw();
    } else if (event.key === " ") {
      take(at);
      release();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });
  return {
    element, draw,
    /** The cursor of the player. @param {number | null} step */
    moved(step) {
      cursor = step;
      draw();
    },
  };
}

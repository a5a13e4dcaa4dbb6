// One piece on the page: small, large, or on its way. All but the smallest can be heard.

/** @import { FrameNews, Model } from "../../lib/types.js" */
/** @import { Display, LiveDisplay } from "../types.js" */
/** @import { Place } from "./geometry.js" */
/** @import { Piece } from "./piece.js" */

import { h, set } from "../../lib/dom.js";
import { latest } from "../remembered.js";
import { redraw, sheet } from "./canvas.js";
import { pieceAt } from "./content.js";
import { frameOf, under } from "./geometry.js";
import { badge, hearable, playButton } from "./hearing.js";
import { heardOf } from "./mix.js";
import { factsOf, pieceOf, spoken } from "./piece.js";
import { paintRoll } from "./roll.js";
import { chips } from "./voices.js";

/** Width by height of a large roll with its bar of buttons. */
const LARGE = 1.75;

/**
 * A roll of a piece that may change.
 * @param {Model} model
 * @param {Place} place
 */
export function roll(model, place) {
  const facts = factsOf(model);
  /** @type {Piece | null} */
  let piece = null;
  /** @type {number | null} */
  let at = null;
  const { element, draw } = sheet((context, size, colours) => {
    const heard = place === "thumbnail" ? undefined : heardOf(model);
    if (piece) paintRoll(context, size, colours, { facts, place, piece, heard, at });
  });
  set(element, "role", "img");
  /** @param {Piece} next */
  function put(next) {
    piece = next;
    set(element, "aria-label", spoken(piece, facts));
    draw();
  }
  /** The cursor is there. @param {number | null} step */
  function moved(step) {
    at = step;
    draw();
  }
  return { element, put, moved, piece: () => piece };
}

/** @param {HTMLElement} element @param {string} words */
function name(element, words) {
  set(element, "role", words ? "figure" : null);
  set(element, "aria-label", words || null);
}

/** @param {Model} model @returns {Display} */
export function thumbnail(model) {
  const shown = roll(model, "thumbnail");
  const element = h("span", { class: "music on-thumbnail" }, shown.element);
  const content = latest(pieceAt, shown.put);
  return {
    element,
    show({ id }, words) {
      name(element, words);
      content.wish(id);
    },
  };
}

/**
 * @param {Model} model
 * @param {"cell" | "large"} place
 * @param {boolean} [stage] whether it follows a walk
 * @returns {LiveDisplay & { put: (piece: Piece) => void }}
 */
function display(model, place, stage = false) {
  const shown = roll(model, place);
  const element = h("span", { class: `music on-${place}` });
  /** @type {string | null} */
  let of = null;
  const hearing = hearable(model, element, {
    piece: shown.piece, moved: shown.moved, id: () => of, stage, pauses: place === "large" && !stage,
  });
  if (place === "cell") element.append(shown.element, badge(hearing));
  else spread(model, element, shown.element, hearing);
  const content = latest(pieceAt, shown.put);
  return {
    element,
    put: shown.put,
    show({ id }, words) {
      name(element, words);
      if (of !== null && of !== id) hearing.end();
      of = id;
      content.wish(id);
    },
    frame({ clean, noisy }, index, withNoise) {
      content.forget();
      of = null;
      shown.put((withNoise ? noisy : clean)[index]);
    },
  };
}

/**
 * A large roll over its buttons. A click on it plays from there.
 * @param {Model} model
 * @param {HTMLElement} element
 * @param {HTMLCanvasElement} canvas
 * @param {import("./hearing.js").Hearing} hearing
 */
function spread(model, element, canvas, hearing) {
  const facts = factsOf(model);
  element.classList.add("large");
  for (const [key, value] of Object.entries({ ratio: LARGE, shape: LARGE, large: "980px" }))
    element.style.setProperty(`--${key}`, String(value));
  canvas.title = "A click plays from there";
  canvas.addEventListener("click", ({ offsetX: x, offsetY }) => {
    const frame = frameOf({ width: canvas.clientWidth, height: canvas.clientHeight }, facts, "large");
    const y = Math.max(offsetY, frame.top + frame.row); // the numbers of the bars as well
    const spot = under({ x, y }, frame, facts);
    if (spot) hearing.from(offsetY < frame.top ? spot.step - (spot.step % facts.bar) : spot.step);
  });
  element.append(h("span", { class: "plot" }, canvas),
    h("span", { class: "desk" }, playButton(hearing), chips(model, redraw)));
}

/** @param {Model} model @returns {Display} */
export const large = (model) => display(model, "large");
/** @param {Model} model @param {"cell" | "stage"} place @returns {LiveDisplay} */
export const live = (model, place) =>
  (place === "stage" ? display(model, "large", true) : display(model, "cell"));

/** @param {FrameNews} news */
export const read = async ({ clean, noisy }) => ({ clean: clean.map(pieceOf), noisy: noisy.map(pieceOf) });

/** @param {Model} model @param {{ shown: any }} example */
export function example(model, { shown }) {
  const { element, put } = display(model, "cell");
  put(pieceOf(shown));
  return element;
}

// What can be heard on the page: each display that can be played says so here, and the key finds the one that is meant.

/** @import { Model } from "../../lib/types.js" */
/** @import { Piece } from "./piece.js" */
/** @import { Performance } from "./player.js" */

import { h, icon, set } from "../../lib/dom.js";
import { pieceAt } from "./content.js";
import { plays, start, stop } from "./player.js";

/** `id`: the node that is shown, if it is one. @typedef {{ element: HTMLElement, stage: boolean,
 *   id: () => string | null, toggle: () => void }} Hearable */

const MARK = "hearable";

/** @type {WeakMap<Element, Hearable>} */
const known = new WeakMap();

/** @param {Element} element */
const seen = (element) => element.isConnected && element.getClientRects().length > 0;

/**
 * Make what an element shows something that can be heard.
 * @param {Model} model
 * @param {HTMLElement} element
 * @param {object} kind
 * @param {() => Piece | null} kind.piece what it shows now
 * @param {(step: number | null) => void} kind.moved the cursor is there
 * @param {() => string | null} kind.id
 * @param {boolean} [kind.stage] whether it changes while it is heard, again and again
 * @param {boolean} [kind.pauses] whether it goes on from where it was stopped
 */
export function hearable(model, element, { piece, moved, id, stage = false, pauses = false }) {
  let [last, paused] = [0, 0];
  /** @type {Performance} */
  const performance = {
    model, loops: stage,
    notes: () => piece()?.notes ?? [],
    there: () => seen(element),
    moved(step) {
      element.classList.toggle("playing", step !== null);
      last = step ?? 0;
      moved(step);
      show(step !== null);
    },
  };
  /** @type {Set<(on: boolean) => void>} */
  const watchers = new Set();
  let shown = false;
  /** @param {boolean} on */
  function show(on) {
    if (on === shown) return;
    shown = on;
    for (const run of watchers) run(on);
  }
  function own() {
    if (!piece()) return;
    const on = plays(performance);
    const step = on ? last : paused;
    paused = on && pauses ? step : 0;
    if (!on) return start(performance, step);
    stop();
    if (paused) moved(paused);
  }
  element.classList.add(MARK);
  known.set(element, { element, stage, id, toggle: own });
  return {
    toggle: own,
    /** From a step on. @param {number} step */
    from: (step) => piece() && start(performance, step),
    /** Something else is shown by now. */
    end() {
      paused = 0;
      if (plays(performance)) stop();
    },
    pauses,
    /** Told when playing begins and ends. @param {(on: boolean) => void} run */
    watch: (run) => watchers.add(run),
  };
}

/** @typedef {ReturnType<typeof hearable>} Hearing */

/** Of what is in sight: what plays again and again, what shows this node, what the pointer is over. Pure.
 * @template {{ stage: boolean, shows: boolean, pointed: boolean }} T @param {T[]} some @returns {T | null} */
export const meant = (some) =>
  some.find(({ stage }) => stage) ?? some.find(({ shows }) => shows) ?? some.find(({ pointed }) => pointed) ?? null;

/** Heard where it is shown nowhere. @type {Performance | null} */
let unseen = null;

/**
 * Play what is meant, or stop it: the display that shows a node, or the node alone where none does.
 * @param {Model} model
 * @param {string | null} id
 */
export async function listen(model, id) {
  const all = [...document.querySelectorAll(`.${MARK}`)].filter(seen).flatMap((one) => known.get(one) ?? []);
  const found = meant(all.map((one) => ({
    ...one, shows: id !== null && one.id() === id, pointed: one.element.matches(":hover"),
  })));
  if (found) return found.toggle();
  if (unseen && plays(unseen)) return stop();
  if (!id) return;
  const { notes } = await pieceAt(id);
  unseen = { model, notes: () => notes, there: () => true, moved() {} };
  start(unseen);
}

/** A button that plays and stops. @param {Hearing} hearing @param {string} [key] that does the same */
export function playButton(hearing, key = "H") {
  const button = h("button", { type: "button", class: "quiet play-music", onclick: hearing.toggle });
  /** @param {boolean} on */
  function draw(on) {
    const words = `${!on ? "Play" : hearing.pauses ? "Pause" : "Stop"}${key ? ` (${key})` : ""}`;
    button.replaceChildren(icon(!on ? "play" : hearing.pauses ? "pause" : "stop"));
    set(button, "aria-label", words);
    set(button, "title", words);
  }
  hearing.watch(draw);
  draw(false);
  return button;
}

/**
 * The same for the pointer alone, on what is a button itself. By key there is the page's own.
 * @param {Hearing} hearing
 */
export function badge(hearing) {
  const element = h("span", { class: "hear", "aria-hidden": "true", title: "Play (H)" }, icon("play"));
  element.addEventListener("mousedown", (event) => event.preventDefault()); // the focus stays where it is
  element.addEventListener("click", (event) => {
    event.preventDefault();
    event.stopPropagation();
    hearing.toggle();
  });
  hearing.watch((on) => element.replaceChildren(icon(on ? "stop" : "play")));
  return element;
}

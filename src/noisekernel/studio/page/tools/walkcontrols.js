// What the hand has of a walk: its pace, pause, keeping a frame, a film.

/** @import { Walker } from "./walk.js" */

import { h, icon, set, text } from "../lib/dom.js";
import { watch } from "../lib/state.js";
import { viewer, words } from "../viewers/index.js";
import { paceWords } from "./pace.js";
import { download } from "./takeaway.js";
import { walking } from "./walk.js";

/** @param {Walker} walk */
export function walkControls(walk) {
  /** @type {HTMLInputElement} */
  const pace = h("input", {
    type: "range", min: 0, max: 1, step: 0.01, "aria-label": "Pace", oninput: () => walk.pace(Number(pace.value)),
  });
  const out = h("span", { class: "out" });
  const play = h("button", { type: "button", class: "play", onclick: walk.toggle }, icon("play"), h("span", {}));
  const save = h("button", { type: "button", onclick: walk.save }, icon("save"), "Keep this frame", h("kbd", {}, "S"));
  const recording = h("span", {});
  const record = h("button", { type: "button", onclick: walk.record }, icon("record"), recording, h("kbd", {}, "R"));
  const hint = h("p", { class: "soft small" });
  const film = h("div", { class: "buttons" });
  const acts = h("div", { class: "stack" }, play, save, record);
  const ends = h("span", { class: "ends soft small" }, h("span", {}, "lingers"), h("span", {}, "roams"));
  const element = h("div", { class: "panel" },
    h("label", { class: "slide tall" }, h("span", {}, "Pace"), out, pace, ends), hint, acts, film);

  const show = () => {
    const { share, paused, recording: on } = walk.now;
    pace.value = String(share);
    text(out, paceWords(share));
    set(pace, "aria-valuetext", paceWords(share));
    const [shown, said] = paused ? ["play", "Go on"] : ["pause", "Pause"];
    play.replaceChildren(icon(shown), h("span", {}, said), h("kbd", {}, "Space"));
    hint.hidden = walking();
    acts.hidden = !walking();
    text(recording, on ? "Stop recording" : "Record a film");
    record.classList.toggle("live", on);
    film.hidden = !walk.now.film;
  };
  walk.watch(show);
  watch(["job", "present"], show);
  watch(["model"], () => {
    const { films } = viewer();
    const or = films.length ? ", or record a film" : "";
    text(hint, `The chain walks on from this ${words().one} until you end it. Keep any frame in the tree${or}.`);
    record.hidden = films.length === 0;
    film.replaceChildren(...films.map(({ label, name }) => {
      const onclick = () => download(`/api/jobs/${walk.now.film}/${name}`);
      return h("button", { type: "button", onclick }, icon("save"), label);
    }));
  });
  return element;
}

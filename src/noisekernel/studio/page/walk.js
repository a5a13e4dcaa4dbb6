// A live walk: the chain runs on under the hand. Pause it, change its pace, keep a frame, record a film.

import { picture, postNow } from "./api.js";
import { refresh } from "./design.js";
import { h, icon, set, text } from "./dom.js";
import { walk } from "./generate.js";
import { enlarge } from "./large.js";
import { running, state, update, watch } from "./state.js";
import { download } from "./takeaway.js";
import { toast, told } from "./toast.js";

// The slider is even in the logarithm: half as fast is the same turn anywhere.
const LOW = 0.01;
const HIGH = 0.5;
const paceAt = (share) => Number((LOW * (HIGH / LOW) ** share).toPrecision(3));
const shareOf = (pace) => Math.round(100 * Math.min(1, Math.max(0, Math.log(pace / LOW) / Math.log(HIGH / LOW)))) / 100;

export const walking = () => running() && state.job.task === "walk";

export function walker() {
  const canvas = h("canvas", { class: "large pixels", role: "img", "aria-label": "The walk" });
  const heading = h("h2", {}, "Live walk");
  const detail = h("span", { class: "soft small" });
  const noisy = h("button", { type: "button", role: "switch", class: "switch", onclick: () => update({ noisy: !state.noisy }) }, "Noisy state");
  const element = h("section", { class: "view", "aria-label": "Live walk" },
    h("div", { class: "bar" }, h("div", { class: "titles" }, heading, detail), h("span", { class: "grow" }), noisy),
    h("div", { class: "room centre" }, canvas));
  const self = { element, share: 0.6, paused: false, recording: false, film: null };
  const watchers = new Set();
  const changed = (changes) => (Object.assign(self, changes), watchers.forEach((run) => run()));

  const tell = () => text(detail, walking() ? `${self.paused ? "paused at" : "step"} ${state.job.step}` : "space starts it");
  watchers.add(tell);
  self.watch = (run) => watchers.add(run);
  self.play = async () => {
    changed({ paused: false, recording: false, film: null });
    await walk(paceAt(self.share));
  };
  self.toggle = told(async () => {
    if (!walking()) return self.play();
    changed({ paused: !self.paused });
    await send({ paused: self.paused });
  });
  self.pace = (share) => {
    changed({ share });
    if (walking()) send({ pace: paceAt(share) });
  };
  self.save = told(async () => {
    if (!walking()) return;
    await postNow(`/jobs/${state.job.id}/save`);
    await refresh();
    toast("Kept this frame in the tree.");
  });
  self.record = told(async () => {
    if (!walking()) return;
    const on = !self.recording;
    const job = state.job.id;
    changed({ recording: on, film: on ? null : job });
    await postNow(`/jobs/${job}/record`, { on });
    if (!on) toast("The film is ready: save it below the slider.");
  });

  // The hand is faster than the chain: the newest wish is sent when the last one has arrived.
  let sending = false;
  let wish = {};
  const send = told(async (wanted) => {
    Object.assign(wish, wanted);
    if (sending) return;
    sending = true;
    try {
      while (walking() && Object.keys(wish).length) {
        const sent = wish;
        wish = {};
        await postNow(`/jobs/${state.job.id}/walk`, sent);
      }
    } finally {
      sending = false;
      wish = {};
    }
  });

  // What the walk says of itself holds: it may have begun before a reload, or in another tab. The slider is the hand's
  // once it is there.
  let known = null;
  watch(["job"], () => {
    if (!walking() || state.job.pace === undefined) return;
    const { id, recording, film } = state.job;
    const paused = sending ? self.paused : state.job.paused;
    const share = known === id || sending ? self.share : shareOf(state.job.pace);
    known = id;
    changed({ share, paused, recording, film: film && !recording ? id : null });
  });

  let still = null;
  watch(["view", "frame", "noisy", "present", "job", "model"], () => {
    if (state.view !== "walk" || !state.model) return;
    enlarge(canvas);
    set(noisy, "aria-checked", String(state.noisy));
    const frame = state.job?.task === "walk" && state.frame?.round === state.job.round ? state.frame : null;
    noisy.hidden = !frame;
    tell();
    if (!walking() && self.recording) changed({ recording: false, film: state.job?.id ?? null });
    const sprite = frame && (state.noisy && frame.noisy ? frame.noisy : frame.clean);
    if (sprite) {
      put(sprite.image, sprite.width, sprite.height);
      still = null;
    } else if (state.present && still !== state.present) {
      const id = (still = state.present);
      const image = new Image();
      image.onload = () => still === id && put(image, image.naturalWidth, image.naturalHeight);
      image.src = picture(id);
    }
  });

  function put(image, width, height) {
    canvas.width = width;
    canvas.height = height;
    canvas.getContext("2d").drawImage(image, 0, 0, width, height, 0, 0, width, height);
  }
  return self;
}

export function walkControls(walker) {
  const pace = h("input", { type: "range", min: 0, max: 1, step: 0.01, "aria-label": "Pace", oninput: () => walker.pace(Number(pace.value)) });
  const out = h("span", { class: "out" });
  const play = h("button", { type: "button", class: "play", onclick: walker.toggle }, icon("play"), h("span", {}));
  const save = h("button", { type: "button", onclick: walker.save }, icon("save"), "Keep this frame", h("kbd", {}, "S"));
  const record = h("button", { type: "button", onclick: walker.record }, icon("record"), h("span", {}), h("kbd", {}, "R"));
  const hint = h("p", { class: "soft small" }, "The chain walks on from this picture until you end it. Keep any frame in the tree, or record a film.");
  const film = h("div", { class: "buttons" },
    h("button", { type: "button", onclick: () => download(`/api/jobs/${walker.film}/film.gif`) }, icon("save"), "Film, GIF"),
    h("button", { type: "button", onclick: () => download(`/api/jobs/${walker.film}/film.mp4`) }, icon("save"), "MP4"));
  const element = h("div", { class: "panel" },
    h("label", { class: "slide tall" }, h("span", {}, "Pace"), out, pace, h("span", { class: "ends soft small" }, h("span", {}, "lingers"), h("span", {}, "roams"))),
    hint, h("div", { class: "stack" }, play, save, record), film);
  const show = () => {
    const on = walking();
    const words = `${Number((100 * paceAt(walker.share)).toPrecision(2))} % a step`;
    pace.value = walker.share;
    text(out, words);
    set(pace, "aria-valuetext", words);
    play.replaceChildren(icon(walker.paused ? "play" : "pause"), h("span", {}, walker.paused ? "Go on" : "Pause"), h("kbd", {}, "Space"));
    hint.hidden = on;
    save.parentNode.hidden = !on;
    text(record.children[1], walker.recording ? "Stop recording" : "Record a film");
    record.classList.toggle("live", walker.recording);
    film.hidden = !walker.film;
  };
  walker.watch(show);
  watch(["job", "present"], show);
  return element;
}

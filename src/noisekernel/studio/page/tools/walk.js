// A live walk: the chain runs on under the hand. Pause it, change its pace, keep a frame, record a film.

import { postNow } from "../lib/api.js";
import { refresh } from "../lib/design.js";
import { h, set, switchButton, text } from "../lib/dom.js";
import { openJob, present, running, state, update, watch } from "../lib/state.js";
import { toast, told } from "../lib/toast.js";
import { slot } from "../viewers/index.js";
import { walk } from "./generate.js";
import { paceAt, shareOf } from "./pace.js";

export const walking = () => running() && state.job?.task === "walk";

/** @typedef {{ share: number, paused: boolean, recording: boolean, film: string | null }} Walk */
/** @typedef {ReturnType<typeof walker>} Walker */

export function walker() {
  const display = slot((its, model) => its.live(model, "stage"));
  const detail = h("span", { class: "soft small" });
  const noisy = switchButton("Noisy state", () => update({ noisy: !state.noisy }));
  const element = h("section", { class: "view", "aria-label": "Live walk" },
    h("div", { class: "bar" },
      h("div", { class: "titles" }, h("h2", {}, "Live walk"), detail), h("span", { class: "grow" }), noisy),
    h("div", { class: "room centre" }, display.element));
  /** `film`: the job that has one to be saved. @type {Walk} */
  const now = { share: 0.6, paused: false, recording: false, film: null };
  /** @type {Set<() => void>} */
  const watchers = new Set();
  /** @param {Partial<Walk>} changes */
  function changed(changes) {
    Object.assign(now, changes);
    for (const run of watchers) run();
  }

  const tell = () =>
    text(detail, walking() ? `${now.paused ? "paused at" : "step"} ${openJob().step}` : "space starts it");
  watchers.add(tell);

  async function play() {
    changed({ paused: false, recording: false, film: null });
    await walk(paceAt(now.share));
  }

  const toggle = told(async () => {
    if (!walking()) return play();
    changed({ paused: !now.paused });
    await send({ paused: now.paused });
  });

  /** @param {number} share */
  function pace(share) {
    changed({ share });
    if (walking()) send({ pace: paceAt(share) });
  }

  const save = told(async () => {
    if (!walking()) return;
    await postNow(`/jobs/${openJob().id}/save`);
    await refresh();
    toast("Kept this frame in the tree.");
  });

  const record = told(async () => {
    if (!walking()) return;
    const on = !now.recording;
    const job = openJob().id;
    changed({ recording: on, film: on ? null : job });
    await postNow(`/jobs/${job}/record`, { on });
    if (!on) toast("The film is ready: save it below the slider.");
  });

  // The hand is faster than the chain: the newest wish is sent when the last one has arrived.
  let sending = false;
  /** @type {{ pace?: number, paused?: boolean }} */
  let wish = {};
  const send = told(async (/** @type {typeof wish} */ wanted) => {
    Object.assign(wish, wanted);
    if (sending) return;
    sending = true;
    try {
      while (walking() && Object.keys(wish).length) {
        const sent = wish;
        wish = {};
        await postNow(`/jobs/${openJob().id}/walk`, sent);
      }
    } finally {
      sending = false;
      wish = {};
    }
  });

  // What the walk says of itself holds: it may have begun before a reload, or in another tab. The slider is the hand's
  // once it is there.
  /** @type {string | null} */
  let known = null;
  watch(["job"], () => {
    if (!walking() || state.job?.pace === undefined) return;
    const { id, recording = false, film } = state.job;
    const paused = sending ? now.paused : Boolean(state.job.paused);
    const share = known === id || sending ? now.share : shareOf(state.job.pace);
    known = id;
    changed({ share, paused, recording, film: film && !recording ? id : null });
  });

  watch(["view", "frame", "noisy", "present", "job", "model"], () => {
    if (state.view !== "walk" || !state.model) return;
    set(noisy, "aria-checked", String(state.noisy));
    const job = state.job?.task === "walk" ? state.job : null;
    const frame = job && state.frame?.round === job.round ? state.frame : null;
    noisy.hidden = !frame;
    tell();
    if (!walking() && now.recording) changed({ recording: false, film: state.job?.id ?? null });
    const shown = display.made;
    const node = present();
    if (shown) set(shown.element, "aria-label", "The walk");
    if (frame) shown?.frame(frame.content, 0, state.noisy);
    else if (node) shown?.show(node, "The walk");
  });

  /** @param {() => void} run */
  const whenChanged = (run) => watchers.add(run);
  return { element, now, play, toggle, pace, save, record, watch: whenChanged };
}

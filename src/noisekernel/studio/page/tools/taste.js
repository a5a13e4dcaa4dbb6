// Taste: what was liked and disliked, how sure the studio is of it, and how insistently it follows.

import { postNow } from "../lib/api.js";
import { dial } from "../lib/dial.js";
import { h, icon, set, text } from "../lib/dom.js";
import { readTaste } from "../lib/nodes.js";
import { wordFor } from "../lib/ring.js";
import { present, settings, state, watch } from "../lib/state.js";
import { told } from "../lib/toast.js";
import { steering } from "./generate.js";
import { duration } from "./progress.js";

const INSISTENCE = ["a hint", "a little", "clearly", "firmly", "insistently"];

export function tasteControls() {
  const insistence = dial({
    label: "Taste",
    words: (share) => wordFor(INSISTENCE, share),
    onchange: (share) => settings({ taste: share }),
  });
  const likes = h("strong", {});
  const dislikes = h("strong", {});
  const tally = h("p", { class: "tally", "aria-hidden": "true" }, icon("like"), likes, icon("dislike"), dislikes);
  insistence.middle.append(tally);
  const meter = h("i", {});
  const sure = h("div", {
    class: "meter", role: "meter", "aria-label": "How sure the studio is of your taste", "aria-valuemin": "0",
    "aria-valuemax": "100",
  }, meter);
  const howSure = h("output", { class: "sure" });
  const said = h("p", { class: "soft small", "aria-live": "polite" });
  const lasts = h("p", { class: "soft small lasts" });
  const what = "Like and dislike candidates: the studio learns what you are after, and walks towards it.";
  const element = h("div", { class: "panel" },
    h("p", { class: "soft small" }, what),
    h("div", { class: "row between small" }, h("span", {}, "How sure"), howSure), sure, said, lasts);

  watch(["settings"], () => insistence.show(state.settings.taste));
  watch(["taste"], () => {
    const taste = state.taste ?? { ready: false, likes: 0, dislikes: 0, sure: 0, said: "" };
    const share = Math.round(100 * (taste.sure ?? 0));
    text(likes, String(taste.likes));
    text(dislikes, String(taste.dislikes));
    text(said, taste.said ?? "");
    text(howSure, taste.ready ? `${share} %` : "not yet");
    meter.style.width = `${share}%`;
    set(sure, "aria-valuenow", share);
  });
  // The design object itself changes with every reading; only another design has another taste.
  /** @type {string | null} */
  let read = null;
  watch(["design", "tool"], () => {
    const id = state.design?.id ?? null;
    if (!id || (read === id && state.tool !== "taste")) return;
    read = id;
    told(readTaste)();
  });
  // How long a round would take is asked again when something changed that it depends on.
  let asked = "";
  watch(["taste", "settings", "present", "picked", "tool"], async () => {
    const { design, taste } = state;
    const node = present();
    if (state.tool !== "taste" || !taste?.ready || !node || !design) return;
    const body = steering(state.picked.size ? [...state.picked] : [node.id]);
    const { n, steps, beta, readout } = /** @type {Record<string, unknown>} */ (body);
    const depends = JSON.stringify([design.id, taste.likes + taste.dislikes, n, steps, beta, readout]);
    if (depends === asked) return;
    asked = depends;
    const answer = await postNow(`/designs/${design.id}/estimate`, body).catch(() => null);
    if (depends === asked) text(lasts, answer ? `A round takes about ${duration(answer.seconds)}.` : "");
  });
  return { dial: insistence.element, panel: element };
}

// Taste: what was liked and disliked, how sure the studio is of it, and how insistently it follows.

import { dial } from "./dial.js";
import { postNow } from "./api.js";
import { readTaste } from "./design.js";
import { h, icon, text } from "./dom.js";
import { steering } from "./generate.js";
import { present, settings, state, watch } from "./state.js";
import { told } from "./toast.js";

export function tasteControls() {
  const insistence = dial({ label: "Taste", words: (share) => ["a hint", "a little", "clearly", "firmly", "insistently"][Math.min(4, Math.floor(share * 5))], onchange: (share) => settings({ taste: share }) });
  const likes = h("strong", {});
  const dislikes = h("strong", {});
  insistence.middle.append(h("p", { class: "tally", "aria-hidden": "true" }, icon("like"), likes, icon("dislike"), dislikes));
  const meter = h("i", {});
  const sure = h("div", { class: "meter", role: "meter", "aria-label": "How sure the studio is of your taste", "aria-valuemin": "0", "aria-valuemax": "100" }, meter);
  const said = h("p", { class: "soft small", "aria-live": "polite" });
  const lasts = h("p", { class: "soft small lasts" });
  const element = h("div", { class: "panel" }, h("p", { class: "soft small" }, "Like and dislike candidates: the studio learns what you are after, and walks towards it."), h("div", { class: "row between small" }, h("span", {}, "How sure"), h("output", { class: "sure" })), sure, said, lasts);

  watch(["settings"], () => insistence.show(state.settings.taste));
  watch(["taste"], () => {
    const taste = state.taste ?? { likes: 0, dislikes: 0, sure: 0, said: "" };
    const share = Math.round(100 * (taste.sure ?? 0));
    text(likes, String(taste.likes));
    text(dislikes, String(taste.dislikes));
    text(said, taste.said ?? "");
    text(element.querySelector(".sure"), taste.ready ? `${share} %` : "not yet");
    meter.style.width = `${share}%`;
    sure.setAttribute("aria-valuenow", share);
  });
  // The design object itself changes with every reading; only another design has another taste.
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
    if (state.tool !== "taste" || !state.taste?.ready || !present()) return;
    const body = steering(state.picked.size ? [...state.picked] : [state.present]);
    const depends = JSON.stringify([state.design.id, state.taste.likes + state.taste.dislikes, body.n, body.steps, body.beta, body.readout]);
    if (depends === asked) return;
    asked = depends;
    const told = await postNow(`/designs/${state.design.id}/estimate`, body).catch(() => null);
    if (depends === asked) text(lasts, told ? `A round takes about ${duration(told.seconds)}.` : "");
  });
  return { dial: insistence.element, panel: element };
}

const duration = (seconds) => (seconds < 1.5 ? "a second" : seconds < 90 ? `${Math.round(seconds)} seconds` : `${Math.round(seconds / 60)} minutes`);

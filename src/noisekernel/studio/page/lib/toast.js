// Short messages: what happened, what went wrong in the server's own words, and a way back where there is one.

import { h, icon } from "./dom.js";
import { sentenceOf, statusOf } from "./refusal.js";

const SECONDS = 8;

const place = () => /** @type {HTMLElement} */ (document.getElementById("toasts"));

/**
 * @param {string} words
 * @param {{ kind?: "note" | "error", action?: { label: string, run: () => unknown } | null }} [options]
 */
export function toast(words, { kind = "note", action = null } = {}) {
  const close = () => element.remove();
  /** @type {HTMLElement} */
  const element = h(
    "div",
    { class: `toast ${kind}`, role: kind === "error" ? "alert" : undefined },
    h("p", {}, words),
    action && h("button", { type: "button", class: "link", onclick: () => (close(), action.run()) }, action.label),
    h("button", { type: "button", class: "quiet", "aria-label": "Dismiss", onclick: close }, icon("close")),
  );
  // A note takes the place of the last one; what went wrong stays its time. The same sentence twice is one message.
  /** @param {Element} other */
  const stale = (other) =>
    other.querySelector("p")?.textContent === words || (kind === "note" && other.matches(".note"));
  const all = place();
  for (const other of [...all.children]) if (stale(other)) other.remove();
  while (all.children.length > 2) all.firstElementChild?.remove();
  all.append(element);
  let timer = setTimeout(close, SECONDS * 1000);
  element.addEventListener("pointerenter", () => clearTimeout(timer));
  element.addEventListener("pointerleave", () => (timer = setTimeout(close, SECONDS * 1000)));
  return element;
}

/** Messages have a strip of the stage to themselves, below what is shown; where they need more, that makes room. */
export function makeRoom() {
  const watcher = new ResizeObserver(() => document.body.style.setProperty("--said", `${place().offsetHeight}px`));
  watcher.observe(place());
}

/**
 * Wrap a handler: what it throws is shown, not lost.
 * @template {any[]} A
 * @template R
 * @param {(...given: A) => R | Promise<R>} run
 * @returns {(...given: A) => Promise<R | undefined>}
 */
export function told(run) {
  return async (...given) => {
    try {
      return await run(...given);
    } catch (error) {
      // A server that is away has its own sign in the head.
      if (statusOf(error) !== 0) toast(sentenceOf(error), { kind: "error" });
      if (statusOf(error) === undefined) console.error(error);
    }
  };
}

/** For screen readers alone. @param {string} words */
export function say(words) {
  /** @type {HTMLElement} */ (document.getElementById("spoken")).textContent = words;
}

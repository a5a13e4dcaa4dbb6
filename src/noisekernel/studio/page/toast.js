// Short messages: what happened, what went wrong in the server's own words, and a way back where there is one.

import { h, icon } from "./dom.js";

const SECONDS = 8;

export function toast(words, { kind = "note", action = null } = {}) {
  const place = document.getElementById("toasts");
  const close = () => element.remove();
  const element = h(
    "div",
    { class: `toast ${kind}`, role: kind === "error" ? "alert" : undefined },
    h("p", {}, words),
    action && h("button", { type: "button", class: "link", onclick: () => (close(), action.run()) }, action.label),
    h("button", { type: "button", class: "quiet", "aria-label": "Dismiss", onclick: close }, icon("close")),
  );
  // A note takes the place of the last one; what went wrong stays its time. The same sentence twice is one message.
  const stale = (other) => other.querySelector("p").textContent === words || (kind === "note" && other.matches(".note"));
  for (const other of [...place.children]) if (stale(other)) other.remove();
  while (place.children.length > 2) place.firstElementChild.remove();
  place.append(element);
  let timer = setTimeout(close, SECONDS * 1000);
  element.addEventListener("pointerenter", () => clearTimeout(timer));
  element.addEventListener("pointerleave", () => (timer = setTimeout(close, SECONDS * 1000)));
  return element;
}

// Messages have a strip of the stage to themselves, below the pictures; where they need more, the pictures make room.
new ResizeObserver(([{ target }]) => {
  document.body.style.setProperty("--said", `${target.offsetHeight}px`);
}).observe(document.getElementById("toasts"));

/** Wrap a handler: what it throws is shown, not lost. */
export function told(run) {
  return async (...given) => {
    try {
      return await run(...given);
    } catch (error) {
      // A server that is away has its own sign in the head.
      if (error.status !== 0) toast(error.message, { kind: "error" });
      if (error.status === undefined) console.error(error);
    }
  };
}

/** For screen readers alone. */
export function say(words) {
  document.getElementById("spoken").textContent = words;
}

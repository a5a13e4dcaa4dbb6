// Requests to the server. A failure is always a Refusal with a sentence to show.

import { Refusal } from "./refusal.js";
import { state, update } from "./state.js";

/** Random for each tab: the queue is fair between clients. */
export const client = crypto.randomUUID ? crypto.randomUUID() : String(Math.random()).slice(2);

/**
 * @param {string} method
 * @param {string} path
 * @param {unknown} [body] a form, or what is sent as JSON
 * @returns {Promise<any>}
 */
export async function request(method, path, body) {
  /** @type {{ method: string, headers: Record<string, string>, body?: string | FormData }} */
  const options = { method, headers: { "X-Client": client } };
  if (body instanceof FormData) options.body = body;
  else if (body !== undefined) {
    options.body = JSON.stringify(body);
    options.headers["Content-Type"] = "application/json";
  }
  let response;
  try {
    response = await fetch(`/api${path}`, options);
  } catch {
    away();
    throw new Refusal("The server does not answer.", 0);
  }
  const answer = (response.headers.get("content-type") ?? "").includes("json") ? await response.json() : null;
  if (!response.ok) throw new Refusal(sentence(answer, response.status), response.status);
  return answer;
}

/** @param {string} path */
export const get = (path) => request("GET", path);
/** To a job under way, or a question: at once, past the changes that wait (changes.js).
 * @param {string} path
 * @param {unknown} [body] */
export const postNow = (path, body) => request("POST", path, body);

/**
 * What a refusal of the server says, for people.
 * @param {any} answer
 * @param {number} status
 */
export function sentence(answer, status) {
  const detail = answer?.detail;
  if (typeof detail === "string") return detail;
  if (Array.isArray(detail))
    return detail.map((one) => `${(one.loc ?? []).slice(1).join(".")}: ${one.msg}`).join("; ");
  return status === 413 ? "That is too large for the server." : `The server refused (${status}).`;
}

// The server went away: ask for its health until it is back, then let those who wait know.

/** @type {Set<() => unknown>} */
const returns = new Set();
/** @type {((value?: unknown) => void)[]} */
let waiting = [];
let asking = false;

/** Run when the server answers again after it was away. @param {() => unknown} run */
export function onReturn(run) {
  returns.add(run);
}

/** When it answers again. */
export const returned = () => new Promise((wake) => waiting.push(wake));

export async function away() {
  if (asking) return;
  asking = true;
  update({ online: false });
  for (let pause = 300; ; pause = Math.min(pause * 1.5, 3000)) {
    await new Promise((wake) => setTimeout(wake, pause));
    try {
      await fetch("/api/health", { cache: "no-store" });
      break; // any answer is one: a refusal is told by whoever asks next
    } catch {
      // still away
    }
  }
  asking = false;
  update({ online: true });
  const woken = waiting;
  waiting = [];
  for (const wake of woken) wake();
  for (const run of returns) run();
}

/** A sign of life every few seconds while the page is looked at, so that an absence is noticed without a click. */
export function keepWatch(seconds = 5) {
  setInterval(async () => {
    if (document.hidden || !state.online) return;
    try {
      await fetch("/api/health", { cache: "no-store" });
    } catch {
      away();
    }
  }, seconds * 1000);
}

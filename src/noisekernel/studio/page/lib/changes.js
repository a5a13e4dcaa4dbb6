// Changes on their way to the server: one by one, in the order in which they were made. Of two on their way at once the
// later may arrive first, and be refused because of what the earlier was to take away.

import { request, returned } from "./api.js";
import { statusOf } from "./refusal.js";

/** @typedef {[method: string, path: string, body?: unknown]} Change */

/** @type {Promise<unknown>} */
let last = Promise.resolve();
let made = 0;

/** @param {() => Promise<any>} send */
function inOrder(send) {
  made += 1;
  const turn = last.then(send);
  last = turn.catch(() => {});
  return turn;
}

/**
 * What `read` finds after all changes; read again if one was made meanwhile, which its answer would take back.
 * @template T
 * @param {() => Promise<T>} read
 * @returns {Promise<T>}
 */
export async function settled(read) {
  for (;;) {
    const before = made;
    await last;
    if (made !== before) continue;
    const found = await read();
    if (made === before) return found;
  }
}

/** @param {string} path @param {unknown} [body] */
export const post = (path, body) => inOrder(() => request("POST", path, body));
/** @param {string} path */
export const remove = (path) => inOrder(() => request("DELETE", path));
/** @param {string} path @param {unknown} body */
export const patch = (path, body) => setting(["PATCH", path, body]);
/** @param {string} path @param {unknown} body */
export const put = (path, body) => setting(["PUT", path, body]);

// What sets something shows at once, so it must outlast a reload, or a server that is away, before it has been heard:
// this tab remembers it until it is answered, and sends it again. To set it twice does no harm.

const KEY = "nk-changes";
/** @type {Change[]} */
let unanswered = [];
const write = () => sessionStorage.setItem(KEY, JSON.stringify(unanswered));

/** @param {Change} change */
async function setting(change) {
  unanswered.push(change);
  write();
  try {
    return await inOrder(() => answered(change));
  } finally {
    unanswered = unanswered.filter((one) => one !== change);
    write();
  }
}

/** @param {Change} change */
async function answered(change) {
  for (;;) {
    try {
      return await request(...change);
    } catch (error) {
      if (statusOf(error) !== 0) throw error;
      await returned();
    }
  }
}

/** Send what an earlier page of this tab could not. The server's refusals are for nobody any more. */
export async function sendAgain() {
  for (const change of JSON.parse(sessionStorage.getItem(KEY) ?? "[]")) {
    await inOrder(() => request(.../** @type {Change} */ (change))).catch((error) => {
      if (statusOf(error) === 0) throw error; // away: all of it again when it is back
    });
  }
  write();
}

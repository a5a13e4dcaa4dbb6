// Changes on their way to the server: one by one, in the order in which they were made. Of two on their way at once the
// later may arrive first, and be refused because of what the earlier was to take away.

import { request, returned } from "./api.js";

let last = Promise.resolve();
let made = 0;

function inOrder(send) {
  made += 1;
  const turn = last.then(send);
  last = turn.catch(() => {});
  return turn;
}

/** What `read` finds after all changes; read again if one was made meanwhile, which its answer would take back. */
export async function settled(read) {
  for (;;) {
    const before = made;
    await last;
    if (made !== before) continue;
    const found = await read();
    if (made === before) return found;
  }
}

export const post = (path, body) => inOrder(() => request("POST", path, body));
export const remove = (path) => inOrder(() => request("DELETE", path));
export const patch = (path, body) => setting(["PATCH", path, body]);
export const put = (path, body) => setting(["PUT", path, body]);

// What sets something shows at once, so it must outlast a reload, or a server that is away, before it has been heard:
// this tab remembers it until it is answered, and sends it again. To set it twice does no harm.

const KEY = "nk-changes";
let unanswered = [];
const write = () => sessionStorage.setItem(KEY, JSON.stringify(unanswered));

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

async function answered(change) {
  for (;;) {
    try {
      return await request(...change);
    } catch (error) {
      if (error.status !== 0) throw error;
      await returned();
    }
  }
}

/** Send what an earlier page of this tab could not. The server's refusals are for nobody any more. */
export async function sendAgain() {
  for (const change of JSON.parse(sessionStorage.getItem(KEY) ?? "[]")) {
    await inOrder(() => request(...change)).catch((error) => {
      if (error.status === 0) throw error; // away: all of it again when it is back
    });
  }
  write();
}

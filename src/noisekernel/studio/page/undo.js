// What can be taken back, newest last. Each entry knows how to undo itself on the server.

import { toast, told } from "./toast.js";

const done = [];

export function remember(label, run) {
  const entry = { label, run };
  done.push(entry);
  if (done.length > 100) done.shift();
  return entry;
}

/** Do what shows at once and can be taken back: from that moment on, even before the server has answered. Both send all
 *  their changes at once, so that whatever is done next comes after them. */
export async function act(label, doing, run) {
  const going = doing();
  const entry = remember(label, run);
  try {
    await going;
  } catch (error) {
    if (done.includes(entry)) done.splice(done.indexOf(entry), 1);
    throw error;
  }
  return entry;
}

export const undo = told(async (entry = done.at(-1)) => {
  if (!entry) return toast("There is nothing to undo.");
  const at = done.indexOf(entry);
  if (at < 0) return;
  done.splice(at, 1);
  await entry.run();
  toast(`Undone: ${entry.label}.`);
});

export function forget() {
  done.length = 0;
}

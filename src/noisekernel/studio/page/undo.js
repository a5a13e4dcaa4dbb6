// What was done and what was taken back, each newest last. An entry knows how to undo itself on the server, and how to
// do itself again.

import { toast, told } from "./toast.js";

const done = [];
const undone = []; // until something new is done

const drop = (list, entry) => list.includes(entry) && list.splice(list.indexOf(entry), 1);

export function remember(label, back, again) {
  const entry = { label, back, again };
  done.push(entry);
  if (done.length > 100) done.shift();
  undone.length = 0;
  return entry;
}

/** Do what shows at once and can be taken back: from that moment on, even before the server has answered. Both send all
 *  their changes at once, so that whatever is done next comes after them. `doing` is run again to redo it. */
export async function act(label, doing, back) {
  const going = doing();
  const entry = remember(label, back, doing);
  try {
    await going;
  } catch (error) {
    drop(done, entry);
    throw error;
  }
  return entry;
}

/** From one list to the other, at once; what the server refuses is in neither. */
async function move(entry, from, to, run) {
  drop(from, entry);
  to.push(entry);
  try {
    await run();
  } catch (error) {
    drop(to, entry);
    throw error;
  }
}

export const undo = told(async (entry = done.at(-1)) => {
  if (!entry) return toast("There is nothing to undo.");
  if (!done.includes(entry)) return;
  await move(entry, done, undone, entry.back);
  toast(`Undone: ${entry.label}.`, { action: { label: "Redo", run: () => redo(entry) } });
});

export const redo = told(async (entry = undone.at(-1)) => {
  if (!entry) return toast("There is nothing to redo.");
  if (!undone.includes(entry)) return;
  await move(entry, undone, done, entry.again);
  toast(`Done again: ${entry.label}.`, { action: { label: "Undo", run: () => undo(entry) } });
});

export function forget() {
  done.length = 0;
  undone.length = 0;
}

// The page's list of what can be taken back, and what it says when that happens.

/** @import { Entry } from "./undo.js" */

import { toast, told } from "./toast.js";
import { UndoList } from "./undo.js";

const list = new UndoList();

export const remember = list.remember.bind(list);
export const act = list.act.bind(list);
export const forget = list.forget.bind(list);

export const undo = told(async (/** @type {Entry} */ given = /** @type {any} */ (undefined)) => {
  if (!given && !list.done.length) return void toast("There is nothing to undo.");
  const entry = await list.undo(given);
  if (entry) toast(`Undone: ${entry.label}.`, { action: { label: "Redo", run: () => redo(entry) } });
});

export const redo = told(async (/** @type {Entry} */ given = /** @type {any} */ (undefined)) => {
  if (!given && !list.undone.length) return void toast("There is nothing to redo.");
  const entry = await list.redo(given);
  if (entry) toast(`Done again: ${entry.label}.`, { action: { label: "Undo", run: () => undo(entry) } });
});

// Everything that leaves the studio as a file.

/** @import { FileChoice } from "../viewers/types.js" */

import { settled } from "../lib/changes.js";
import { h } from "../lib/dom.js";
import { Refusal } from "../lib/refusal.js";
import { openDesign, present, state } from "../lib/state.js";
import { told } from "../lib/toast.js";
import { viewerOf } from "../viewers/index.js";
import { fileName, title } from "./naming.js";

/** Save what an address gives. Fetched first, so that a refusal is a sentence and not a broken file. */
export const download = told(async (/** @type {string} */ address, /** @type {string | null} */ name = null) => {
  const response = await settled(() => fetch(address));
  if (!response.ok) throw new Refusal((await response.json()).detail, response.status);
  const given = response.headers.get("Content-Disposition")?.match(/filename="(.+)"/)?.[1];
  const place = URL.createObjectURL(await response.blob());
  h("a", { href: place, download: name ?? given ?? "download" }).click();
  // The browser has taken hold of it by then.
  setTimeout(() => URL.revokeObjectURL(place), 60_000);
});

/** What the present node can be saved as. @returns {FileChoice[]} */
export function choices() {
  const node = present();
  return node && state.model ? viewerOf(state.model).files(state.model, node) : [];
}

/** The present node as a file; the first choice unless another is given. @param {FileChoice} [choice] */
export function saveNode(choice = choices()[0]) {
  const node = present();
  if (node && choice) download(choice.address, `${fileName(title(node), node.id)}${choice.suffix}`);
}

/** Several nodes in one file. @param {string[]} ids */
export async function sheetOf(ids) {
  await download(`/api/designs/${openDesign().id}/sheet?nodes=${ids.join(",")}`);
}

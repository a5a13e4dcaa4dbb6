// Everything that leaves the studio as a file.

import { Refusal } from "./api.js";
import { settled } from "./changes.js";
import { h } from "./dom.js";
import { state } from "./state.js";
import { told } from "./toast.js";

/** Save what an address gives. Fetched first, so that a refusal is a sentence and not a broken file. */
export const download = told(async (address, name = null) => {
  const response = await settled(() => fetch(address));
  if (!response.ok) throw new Refusal((await response.json()).detail, response.status);
  const given = response.headers.get("Content-Disposition")?.match(/filename="(.+)"/)?.[1];
  const place = URL.createObjectURL(await response.blob());
  h("a", { href: place, download: name ?? given ?? "download" }).click();
  // The browser has taken hold of it by then.
  setTimeout(() => URL.revokeObjectURL(place), 60_000);
});

export function sheetOf(ids) {
  return download(`/api/designs/${state.design.id}/sheet.png?nodes=${ids.join(",")}`);
}

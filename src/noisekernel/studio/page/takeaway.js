// Everything that leaves the studio as a file.

import { h } from "./dom.js";
import { state } from "./state.js";

/** Let the browser save what an address gives. */
export function download(address) {
  const link = h("a", { href: address, download: "" });
  document.body.append(link);
  link.click();
  link.remove();
}

export function sheetOf(ids) {
  download(`/api/designs/${state.design.id}/sheet.png?nodes=${ids.join(",")}`);
}

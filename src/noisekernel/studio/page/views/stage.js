// The middle of the page shows one view at a time. Files dropped or pasted anywhere are welcome.

import { h, set, targetOf, text } from "../lib/dom.js";
import { state, watch } from "../lib/state.js";
import { viewer, words } from "../viewers/index.js";
import { useFile } from "./start.js";

/**
 * @param {HTMLElement} place
 * @param {Record<string, HTMLElement>} views by name
 * @param {HTMLElement} selection
 */
export function stage(place, views, selection) {
  place.append(...Object.values(views), selection);
  watch(["view", "design"], () => {
    for (const [name, element] of Object.entries(views)) element.hidden = name !== state.view;
    set(document.body, "data-view", state.view);
  });

  /** @param {DragEvent} event */
  const carriesFile = (event) => Boolean(viewer().own) && [...(event.dataTransfer?.types ?? [])].includes("Files");
  const sentence = h("p", {});
  const hint = h("div", { class: "dropping", hidden: true }, sentence);
  document.body.append(hint);
  watch(["model"], () => text(sentence, `Let go to start from this ${words().one}`));
  addEventListener("dragover", (event) => {
    if (!carriesFile(event)) return;
    event.preventDefault();
    hint.hidden = false;
  });
  addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) hint.hidden = true;
  });
  addEventListener("drop", (event) => {
    hint.hidden = true;
    if (!carriesFile(event)) return;
    event.preventDefault();
    const file = event.dataTransfer?.files[0];
    if (file) useFile(file);
  });
  addEventListener("paste", (event) => {
    const given = event.clipboardData;
    // Text that is pasted into a field is the field's own.
    const typing = given?.types.includes("text/plain") && targetOf(event).closest("input, textarea");
    const file = given && !typing ? viewer().own?.pasted(given) : null;
    if (!file) return;
    event.preventDefault();
    useFile(file);
  });
}

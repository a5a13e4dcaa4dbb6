// The middle of the page shows one view at a time. Pictures dropped or pasted anywhere are welcome.

import { h, set } from "./dom.js";
import { useFile } from "./start.js";
import { state, watch } from "./state.js";

/** views: name -> element */
export function stage(place, views, selection) {
  place.append(...Object.values(views), selection);
  watch(["view", "design"], () => {
    for (const [name, element] of Object.entries(views)) element.hidden = name !== state.view;
    set(document.body, "data-view", state.view);
  });

  const carriesFile = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
  const hint = h("div", { class: "dropping", hidden: true }, h("p", {}, "Let go to start from this picture"));
  document.body.append(hint);
  addEventListener("dragover", (event) => {
    if (!carriesFile(event)) return;
    event.preventDefault();
    hint.hidden = false;
  });
  addEventListener("dragleave", (event) => event.relatedTarget === null && (hint.hidden = true));
  addEventListener("drop", (event) => {
    hint.hidden = true;
    if (!carriesFile(event)) return;
    event.preventDefault();
    const [file] = event.dataTransfer.files;
    if (file) useFile(file);
  });
  addEventListener("paste", (event) => {
    const file = [...(event.clipboardData?.files ?? [])].find((one) => one.type.startsWith("image/"));
    if (file) (event.preventDefault(), useFile(file));
  });
}

// The head: which design this is, taking it away, and how the page looks.

import { post } from "./changes.js";
import { leave, list, open, removeDesign, rename } from "./design.js";
import { h, icon, iconButton, set, text } from "./dom.js";
import { savePicture } from "./inspector.js";
import { sheet } from "./keys.js";
import { menu } from "./menu.js";
import { keptOf } from "./treelayout.js";
import { present, state, watch } from "./state.js";
import { download, sheetOf } from "./takeaway.js";
import { theme, turn } from "./theme.js";
import { toast, told } from "./toast.js";

const MOST_SIDE = 4096; // pixels, to which the server enlarges

export function head(place) {
  const home = h("button", { type: "button", class: "brand", title: "All designs", onclick: told(leave) },
    h("img", { src: "icon.svg", alt: "", width: "24", height: "24" }), h("span", {}, "studio"));
  const name = h("input", { type: "text", class: "title", maxlength: "200", "aria-label": "Name of the design", onchange: told(async () => {
    await rename(name.value.trim());
    if (document.activeElement !== name) name.value = state.design?.name ?? ""; // what is empty is no name
  }), onkeydown: (event) => event.key === "Enter" && name.blur() });
  const model = h("span", { class: "badge" });
  const lost = h("p", { class: "lost", role: "alert", hidden: true }, "The server is away. Trying to reach it again…");
  const look = iconButton("moon", "Dark or light", () => (turn(), showLook()));
  const designs = menu("Designs", () => [
    ...state.designs.slice(0, 12).map((one) => ({ label: one.name, hint: one.model, run: told(() => open(one.id)) })),
    { label: "New design…", run: told(leave) },
    { label: "Delete this design", run: told(() => removeDesign(state.design.id)) },
  ], { align: "left" });
  designs.button.addEventListener("click", told(list));
  watch(["designs"], designs.refresh);
  const chooseFile = h("input", { type: "file", accept: ".nkd,.zip", hidden: true, onchange: told(importDesign) });
  const away = menu("Take away", takeaway, { name: "save" });

  place.append(home, name, model, designs.element, h("span", { class: "grow" }), lost, away.element, look,
    h("button", { type: "button", class: "quiet", "aria-label": "Keys (?)", title: "Keys (?)", onclick: sheet }, "?"), chooseFile);

  function takeaway() {
    const id = state.design?.id;
    const node = present();
    const starred = [...state.nodes.values()].filter((one) => one.starred).map((one) => one.id);
    const times = Math.min(8, Math.floor(MOST_SIDE / Math.max(...(state.model?.shape.slice(-2) ?? [1]))));
    const all = () => keptOf(state.nodes).map((one) => one.id);
    const [shown, words] = state.picked.size
      ? [[...state.picked], "picked"]
      : starred.length ? [starred, "starred"] : [all(), "in the tree"];
    return [
      { label: "This picture, PNG", hint: "its settings inside", disabled: !node, run: () => savePicture() },
      { label: "The same, large", hint: `${times} times`, disabled: !node || times < 2, run: () => savePicture(times) },
      { label: "Contact sheet", hint: `${shown.length} ${words}`, disabled: !shown.length, run: () => sheetOf(shown) },
      { label: "The tree, as a page", hint: "one HTML file", disabled: !id, run: () => download(`/api/designs/${id}/tree.html`) },
      { label: "Design file", hint: "for nk replay", disabled: !id, run: () => download(`/api/designs/${id}/design.nkd`) },
      { label: "Open a design file…", hint: ".nkd", run: () => chooseFile.click() },
    ];
  }

  async function importDesign() {
    const [file] = chooseFile.files;
    chooseFile.value = "";
    if (!file) return;
    const form = new FormData();
    form.append("file", file);
    const made = await post("/designs/import", form);
    await open(made.id);
    toast(`Opened ${file.name}.`);
  }

  function showLook() {
    look.replaceChildren(icon(theme() === "dark" ? "sun" : "moon"));
  }

  showLook();
  watch(["design", "model"], () => {
    const open = Boolean(state.design);
    name.hidden = model.hidden = !open;
    designs.element.hidden = !open;
    document.body.classList.toggle("bare", !open);
    if (!open) return;
    if (document.activeElement !== name) name.value = state.design.name;
    set(name, "size", Math.max(8, Math.min(28, state.design.name.length)));
    text(model, state.model ? `${state.model.id} ${state.model.shape.slice(-2).join("×")}` : state.design.model);
  });
  watch(["online"], () => {
    lost.hidden = state.online;
    document.body.classList.toggle("offline", !state.online);
  });
}

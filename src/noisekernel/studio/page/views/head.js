// The head: which design this is, taking it away, and how the page looks.

import { post } from "../lib/changes.js";
import { leave, list, open, removeDesign, rename } from "../lib/design.js";
import { h, icon, iconButton, set, text } from "../lib/dom.js";
import { menu } from "../lib/menu.js";
import { openDesign, state, watch } from "../lib/state.js";
import { theme, turn } from "../lib/theme.js";
import { toast, told } from "../lib/toast.js";
import { keptOf } from "../lib/treelayout.js";
import { choices, download, saveNode, sheetOf } from "../tools/takeaway.js";
import { viewer } from "../viewers/index.js";
import { sheet } from "./keysheet.js";

/** @param {HTMLElement} place */
export function head(place) {
  const home = h("button", { type: "button", class: "brand", title: "All designs", onclick: told(leave) },
    h("img", { src: "icon.svg", alt: "", width: "24", height: "24" }), h("span", {}, "studio"));
  const name = h("input", { type: "text", class: "title", maxlength: "200", "aria-label": "Name of the design" });
  name.addEventListener("change", told(async () => {
    await rename(name.value.trim());
    if (document.activeElement !== name) name.value = state.design?.name ?? ""; // what is empty is no name
  }));
  name.addEventListener("keydown", (event) => event.key === "Enter" && name.blur());
  const model = h("span", { class: "badge" });
  const lost = h("p", { class: "lost", role: "alert", hidden: true }, "The server is away. Trying to reach it again…");
  const look = iconButton("moon", "Dark or light", () => (turn(), showLook()));
  const designs = menu("Designs", known, { align: "left" });
  designs.button.addEventListener("click", told(list));
  watch(["designs"], designs.refresh);
  const chooseFile = h("input", { type: "file", accept: ".nkd,.zip", hidden: true });
  chooseFile.addEventListener("change", told(() => importDesign(chooseFile)));
  const away = menu("Take away", () => takeaway(chooseFile), { name: "save" });
  const named = { "aria-label": "Keys (?)", title: "Keys (?)" };
  const help = h("button", { type: "button", class: "quiet", ...named, onclick: sheet }, "?");

  place.append(home, name, model, designs.element, h("span", { class: "grow" }), lost, away.element, look, help,
    chooseFile);

  function showLook() {
    look.replaceChildren(icon(theme() === "dark" ? "sun" : "moon"));
  }

  showLook();
  watch(["design", "model"], () => {
    const { design } = state;
    name.hidden = model.hidden = !design;
    designs.element.hidden = !design;
    document.body.classList.toggle("bare", !design);
    if (!design) return;
    if (document.activeElement !== name) name.value = design.name;
    set(name, "size", Math.max(8, Math.min(28, design.name.length)));
    text(model, state.model ? `${state.model.id} ${viewer().size(state.model)}` : design.model);
  });
  watch(["online"], () => {
    lost.hidden = state.online;
    document.body.classList.toggle("offline", !state.online);
  });
}

function known() {
  const others = state.designs.slice(0, 12);
  return [
    ...others.map((one) => ({ label: one.name, hint: one.model, run: told(() => open(one.id)) })),
    { label: "New design…", run: told(leave) },
    { label: "Delete this design", run: told(() => removeDesign(openDesign().id)) },
  ];
}

/** What can be taken away. @param {HTMLInputElement} chooseFile */
function takeaway(chooseFile) {
  const id = state.design?.id;
  const all = keptOf(state.nodes);
  const starred = all.filter((one) => one.starred).map((one) => one.id);
  const [shown, words] = state.picked.size
    ? [[...state.picked], "picked"]
    : starred.length ? [starred, "starred"] : [all.map((one) => one.id), "in the tree"];
  const several = viewer().sheet;
  const files = choices().map((choice) => ({ label: choice.label, hint: choice.hint, run: () => saveNode(choice) }));
  const sheets = several
    ? [{ label: several.label, hint: `${shown.length} ${words}`, disabled: !shown.length, run: () => sheetOf(shown) }]
    : [];
  /** @param {string} name */
  const save = (name) => () => download(`/api/designs/${id}/${name}`);
  return [
    ...files,
    ...sheets,
    { label: "The tree, as a page", hint: "one HTML file", disabled: !id, run: save("tree.html") },
    { label: "Design file", hint: "for nk replay", disabled: !id, run: save("design.nkd") },
    { label: "Open a design file…", hint: ".nkd", run: () => chooseFile.click() },
  ];
}

/** @param {HTMLInputElement} chosen */
async function importDesign(chosen) {
  const file = chosen.files?.[0];
  chosen.value = "";
  if (!file) return;
  const form = new FormData();
  form.append("file", file);
  const made = await post("/designs/import", form);
  await open(made.id);
  toast(`Opened ${file.name}.`);
}

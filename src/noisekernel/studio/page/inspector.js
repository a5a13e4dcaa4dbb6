// What there is to know and do about the present node, under the tree.

import { picture } from "./api.js";
import { nameNode, removeNode, star, title } from "./design.js";
import { h, iconButton, set, text } from "./dom.js";
import { present, state, update, watch } from "./state.js";
import { told } from "./toast.js";
import { download } from "./takeaway.js";

export function inspector() {
  const name = h("input", {
    type: "text",
    class: "name",
    maxlength: "200",
    "aria-label": "Name of this picture",
    onchange: told(() => nameNode(state.present, name.value.trim())),
    onkeydown: (event) => event.key === "Enter" && name.blur(),
  });
  const starred = iconButton("star", "Star (S)", told(() => star(state.present)));
  const facts = h("p", { class: "soft small facts" });
  const place = h(
    "div",
    { class: "inspector" },
    name,
    facts,
    h(
      "div",
      { class: "row" },
      starred,
      iconButton("compare", "Compare with another (C)", () => compareWith()),
      iconButton("save", "Save as PNG (P)", () => savePicture()),
      h("span", { class: "grow" }),
      iconButton("trash", "Delete (Delete)", told(() => removeNode(state.present))),
    ),
  );
  watch(["nodes", "present", "rounds"], () => {
    const node = present();
    place.hidden = !node;
    if (!node) return;
    set(starred, "aria-pressed", String(Boolean(node.starred)));
    if (document.activeElement !== name) name.value = node.name ?? "";
    name.placeholder = `${capital(title({ ...node, name: null }))}: name it`;
    text(facts, describe(node));
    set(facts, "title", node.round ? `seed ${node.seed}` : null);
  });
  return place;
}

/** The present picture as a file, its settings inside. */
export function savePicture(scale) {
  const node = present();
  if (!node) return;
  const name = title(node).replace(/[^\p{L}\p{M}\p{N}_ -]+/gu, "").trim() || node.id;
  download(picture(node.id, scale), `${name}${scale ? ` ${scale}x` : ""}.png`);
}

/** The settings of a node in a line. */
export function describe(node) {
  const settings = { ...(state.rounds.get(node.round)?.settings ?? {}), ...(node.settings ?? {}) };
  const parts = [];
  if (typeof settings.strength === "number") parts.push(`strength ${Math.round(100 * settings.strength)}`);
  if (typeof settings.beta === "number") parts.push(`beta ${settings.beta.toPrecision(2)}`);
  if (settings.steps) parts.push(`${settings.steps} steps`);
  if (typeof settings.taste === "number") parts.push(`taste ${Math.round(100 * settings.taste)}`);
  if (settings.label) parts.push(String(settings.label));
  return parts.join(" · ") || (node.round ? "from noise" : "where it began");
}

const capital = (words) => words.charAt(0).toUpperCase() + words.slice(1);

/** With one more picked: with that one. Otherwise with its parent. */
export function compareWith() {
  const picked = [...state.picked];
  const node = present();
  const pair = picked.length >= 2 ? picked.slice(0, 2) : [picked[0] ?? node?.parent, node?.id];
  const ids = pair.filter((id) => id && state.nodes.has(id));
  if (new Set(ids).size === 2) update({ compared: ids, view: "compare" });
  else told(() => { throw Object.assign(new Error("Pick two pictures to compare: Ctrl-click in the tree, or the tick under a candidate."), { status: 400 }); })();
}

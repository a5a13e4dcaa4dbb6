// Two pictures side by side, and what differs between them.

import { picture } from "./api.js";
import { choose, title } from "./design.js";
import { h, iconButton, set, text } from "./dom.js";
import { describe } from "./inspector.js";
import { enlarge } from "./large.js";
import { state, update, watch } from "./state.js";
import { told } from "./toast.js";

export function compareView() {
  const sides = [side(), side()];
  const difference = h("canvas", { class: "large", role: "img", "aria-label": "The difference of the two, grey where they agree" });
  const third = h("figure", { class: "side" }, difference, h("figcaption", {}, h("strong", {}, "Difference"), h("span", { class: "soft small" }, "grey where they agree")));
  third.hidden = true;
  const differ = h("button", { type: "button", role: "switch", class: "switch", "aria-checked": "false", onclick: () => ((third.hidden = !third.hidden), set(differ, "aria-checked", String(!third.hidden)), told(show)()) }, "Difference");
  const element = h("section", { class: "view", "aria-label": "Two pictures side by side" },
    h("div", { class: "bar" }, h("div", { class: "titles" }, h("h2", {}, "Side by side")), h("span", { class: "grow" }), differ, iconButton("close", "Close (Esc)", closeCompare)),
    h("div", { class: "room pair" }, sides.map((one) => one.element), third));

  async function show() {
    if (state.view !== "compare") return;
    const nodes = state.compared.map((id) => state.nodes.get(id));
    if (nodes.length !== 2 || nodes.includes(undefined)) return closeCompare();
    nodes.forEach((node, at) => sides[at].show(node));
    if (!third.hidden) await drawDifference(difference, nodes);
  }
  watch(["view", "compared", "nodes", "present", "model"], () => told(show)());
  return element;
}

export function closeCompare() {
  update({ view: state.shown ? "grid" : "node", compared: [] });
}

function side() {
  const image = h("img", { class: "large" });
  const name = h("strong", {});
  const facts = h("span", { class: "soft small" });
  let node = null;
  const take = h("button", { type: "button", onclick: told(() => choose(node.id)) }, "Go on from this");
  const element = h("figure", { class: "side" }, image, h("figcaption", {}, name, facts, take));
  function show(newNode) {
    node = newNode;
    set(image, "src", picture(node.id));
    set(image, "alt", title(node));
    enlarge(image);
    text(name, title(node));
    text(facts, describe(node));
    const here = node.id === state.present;
    take.disabled = here;
    text(take, here ? "Present" : "Go on from this");
  }
  return { element, show };
}

async function drawDifference(canvas, nodes) {
  const [a, b] = await Promise.all(nodes.map(async (node) => pixels(picture(node.id))));
  canvas.width = a.width;
  canvas.height = a.height;
  enlarge(canvas);
  const out = new ImageData(a.width, a.height);
  for (let at = 0; at < out.data.length; at++) out.data[at] = at % 4 === 3 ? 255 : 128 + (b.data[at] - a.data[at]) / 2;
  canvas.getContext("2d").putImageData(out, 0, 0);
}

async function pixels(address) {
  const image = new Image();
  image.src = address;
  await image.decode();
  const canvas = new OffscreenCanvas(image.naturalWidth, image.naturalHeight);
  const context = canvas.getContext("2d");
  context.drawImage(image, 0, 0);
  return context.getImageData(0, 0, canvas.width, canvas.height);
}

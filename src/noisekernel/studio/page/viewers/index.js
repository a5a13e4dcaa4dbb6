// The viewers by kind of data: the one place that knows which there are. What a viewer is stands in types.js.

/** @import { Model } from "../lib/types.js" */
/** @import { Display, Viewer } from "./types.js" */

import { h } from "../lib/dom.js";
import { state } from "../lib/state.js";
import { music } from "./music.js";
import { pictures } from "./pictures.js";
import { points } from "./points.js";
import { tables } from "./tables.js";
import { text } from "./text.js";
import { unknown } from "./unknown.js";

/** @type {Record<string, Viewer>} */
const VIEWERS = { pictures, text, points, tables, music };

/** Those that kinds of data brought along, by the addresses of their scripts. @type {Map<string, Viewer>} */
const brought = new Map();

/**
 * Fetch the viewers that the kinds of these models bring along. What cannot be had is told when its model is opened.
 * @param {Model[]} models
 */
export async function bring(models) {
  const addresses = new Set(models.flatMap(({ viewer_module: address }) => address ?? []));
  await Promise.all([...addresses].map(async (address) => {
    try {
      const { viewer: its } = await import(address);
      if (its) brought.set(address, its);
    } catch (error) {
      console.error(error);
    }
  }));
}

/** @param {Model | null | undefined} model @returns {Viewer | null} */
function known(model) {
  if (!model) return null;
  if (model.viewer_module) return brought.get(model.viewer_module) ?? null;
  return Object.hasOwn(VIEWERS, model.kind) ? VIEWERS[model.kind] : null;
}

/** @param {Model | null | undefined} model */
export const viewerOf = (model) => known(model) ?? unknown(model?.kind ?? "");

/** Why a model's data cannot be shown; null: they can. @param {Model | null} model */
export function unshown(model) {
  if (!model || known(model)) return null;
  const { kind, many, viewer_module: address } = model;
  if (address) return `This page cannot show ${many}: ${address} has no viewer that works. The console says more.`;
  return `This page cannot show data of the kind ${kind}: it knows ${Object.keys(VIEWERS).join(", ")}.`;
}

/** The viewer of the open model. */
export const viewer = () => viewerOf(state.model);

/** What an example of the open model is called, and several. */
export const words = () => state.model ?? { one: "example", many: "examples" };

/** Put the viewers' style sheets on the page. */
export function dress() {
  for (const { styles } of Object.values(VIEWERS))
    if (styles) document.head.append(h("link", { rel: "stylesheet", href: styles }));
}

/**
 * A thumbnail of a model's; blank where the model is not served, for then nothing can be shown.
 * @param {Model | null | undefined} model
 * @returns {Display}
 */
export function thumbnailOf(model) {
  return model ? viewerOf(model).thumbnail(model) : { element: h("span", { class: "blank" }), show() {} };
}

/**
 * A place in a view for something of the open model's viewer. Where another model is opened, it is made anew and takes
 * the place of the old one. `element` is what the view puts down first; `made` is null where the kind has no such
 * thing.
 * @template {{ element: HTMLElement }} T
 * @param {(viewer: Viewer, model: Model) => T | null} make
 */
export function slot(make) {
  const empty = h("span", { hidden: true });
  /** @type {Model | null} */
  let of = null;
  /** @type {T | null} */
  let made = null;
  return {
    element: empty,
    /** @returns {T | null} */
    get made() {
      if (!state.model || state.model === of) return made;
      const before = made?.element ?? empty;
      of = state.model;
      made = make(viewerOf(of), of);
      before.replaceWith(made?.element ?? empty);
      return made;
    },
  };
}

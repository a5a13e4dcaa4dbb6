// What nodes are called, and their settings in a line.

/** @import { DesignNode } from "../lib/types.js" */

import { state } from "../lib/state.js";
import { words } from "../viewers/index.js";

/** @type {Record<string, string>} */
const TASKS = {
  example: "an example",
  sample: "new sample",
  vary: "variant",
  fill: "filled in",
  steer: "towards taste",
  walk: "frame of a walk",
};

/** What a person would call it. @param {Pick<DesignNode, "name" | "task" | "round" | "index"> | null} node */
export function title(node) {
  if (!node) return "nothing yet";
  if (node.name) return node.name;
  const made = node.task === "upload" ? `your ${words().one}` : (TASKS[node.task] ?? node.task);
  return node.round && node.task !== "walk" ? `${made} ${node.index + 1}` : made;
}

/** The settings of a node in a line. @param {DesignNode} node */
export function describe(node) {
  const round = node.round ? state.rounds.get(node.round) : null;
  const settings = { ...(round?.settings ?? {}), ...(node.settings ?? {}) };
  const parts = [];
  if (typeof settings.strength === "number") parts.push(`strength ${Math.round(100 * settings.strength)}`);
  if (typeof settings.beta === "number") parts.push(`beta ${settings.beta.toPrecision(2)}`);
  if (settings.steps) parts.push(`${settings.steps} steps`);
  if (typeof settings.taste === "number") parts.push(`taste ${Math.round(100 * settings.taste)}`);
  if (settings.label) parts.push(String(settings.label));
  return parts.join(" · ") || (node.round ? "from noise" : "where it began");
}

/** @param {string} some */
export const capital = (some) => some.charAt(0).toUpperCase() + some.slice(1);

/** A name as a file may have it; `otherwise` where nothing is left of it.
 * @param {string} name
 * @param {string} otherwise */
export const fileName = (name, otherwise) => name.replace(/[^\p{L}\p{M}\p{N}_ -]+/gu, "").trim() || otherwise;

/** @type {Record<string, string>} */
const ROUNDS = {
  sample: "new samples",
  vary: "variants",
  fill: "ways to fill it in",
  steer: "variants towards your taste",
};

/** A round's heading. @param {string | undefined} task @param {number} n */
export function heading(task, n) {
  const what = (task && ROUNDS[task]) ?? words().many;
  return `${n} ${n === 1 ? what.replace(/s\b/, "") : what}`;
}

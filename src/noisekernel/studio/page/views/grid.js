// The candidates of a round: streamed while the chain walks, then there to be chosen.

/** @import { Round } from "../lib/types.js" */
/** @import { Cell } from "./cell.js" */

import { fitCells } from "../lib/cells.js";
import { h, icon, set, switchButton, targetOf, text } from "../lib/dom.js";
import { candidates, openModel, running, state, update, watch } from "../lib/state.js";
import { told } from "../lib/toast.js";
import { again, cancel } from "../tools/jobs.js";
import { describe, heading } from "../tools/naming.js";
import { progress } from "../tools/progress.js";
import { viewer } from "../viewers/index.js";
import { cell } from "./cell.js";

/** @type {Record<string, string>} */
const UNFINISHED = {
  interrupted: "This round was interrupted: the server stopped in the middle of it.",
  cancelled: "This round was cancelled.",
  failed: "This round failed.",
};

export function grid() {
  const list = h("ol", { class: "cells", "aria-label": "Candidates" });
  const head = h("div", { class: "table-head", hidden: true });
  const room = h("div", { class: "room" }, head, list);
  const title = h("h2", {});
  const detail = h("span", { class: "soft small" });
  const done = h("i", {});
  const bar = h("div", {
    class: "progress", role: "progressbar", "aria-label": "Progress of the round", "aria-valuemin": "0",
    "aria-valuemax": "100",
  }, done);
  const stop = h("button", { type: "button", class: "small-button", onclick: cancel }, "Cancel", h("kbd", {}, "Esc"));
  const noisy = switchButton("Noisy state", () => update({ noisy: !state.noisy }),
    { title: "Show the noisy state of the chain (V)" });
  let lined = false;
  const tabled = switchButton("Table", () => {
    lined = !lined;
    built = "";
    draw();
  }, { title: "Candidates below each other" });
  const banner = h("div", { class: "banner", role: "status" });
  const element = h("section", { class: "view", "aria-label": "Candidates of the round" },
    h("div", { class: "bar" },
      h("div", { class: "titles" }, title, detail), h("span", { class: "grow" }), tabled, noisy, stop),
    bar, banner, room);
  /** @type {Cell[]} */
  let cells = [];
  let built = "";

  /** @param {string} round @param {number} n */
  function build(round, n) {
    built = `${round} ${n} ${state.model?.id}`;
    const at = focused();
    const table = lined ? viewer().table : undefined;
    cells = Array.from({ length: n }, (_, index) => cell(index, lined));
    list.classList.toggle("tabled", Boolean(table));
    head.hidden = !table;
    head.replaceChildren(...(table ? [table.head(openModel())] : []));
    list.replaceChildren(...cells.map((one) => one.element));
    list.dataset.round = round;
    fit();
    if (at >= 0) cells[Math.min(at, n - 1)]?.focus(); // who goes among the candidates by key stays among them
  }

  /** As large as fits. */
  function fit() {
    if (!cells.length || !room.clientWidth) return;
    if (list.classList.contains("tabled")) {
      list.classList.remove("compact");
      list.dataset.columns = "1";
      return;
    }
    const { paddingLeft, paddingRight, paddingTop, paddingBottom } = getComputedStyle(room);
    const across = room.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
    const down = room.clientHeight - parseFloat(paddingTop) - parseFloat(paddingBottom);
    const proportions = viewer().proportions(openModel());
    const { columns, size } = fitCells(cells.length, { across, down }, proportions);
    list.classList.toggle("compact", size < 116);
    list.style.setProperty("--columns", String(columns));
    list.style.setProperty("--size", `${size}px`);
    list.style.setProperty("--ratio", String(proportions.ratio));
    list.dataset.columns = String(columns);
  }
  new ResizeObserver(fit).observe(room);

  function draw() {
    if (state.view !== "grid" || !state.shown || !state.model) return;
    const round = state.rounds.get(state.shown);
    const job = state.job?.round === state.shown ? state.job : null;
    const nodes = candidates(state.shown);
    const n = nodes.length ? Math.max(...nodes.map((node) => node.index)) + 1 : (job?.n ?? round?.n ?? 0);
    if (built !== `${state.shown} ${n} ${state.model.id}`) build(state.shown, n);
    const byIndex = new Map(nodes.map((node) => [node.index, node]));
    const frame = state.frame?.round === state.shown ? state.frame : null;
    cells.forEach((one, index) => one.show(byIndex.get(index) ?? null, frame));

    const active = running() ? job : null;
    text(title, heading(job?.task ?? round?.task, n));
    text(detail, active ? progress(active) : nodes[0] ? describe(nodes[0]) : "");
    stop.hidden = !active;
    bar.classList.toggle("idle", !active);
    const share = active?.steps ? Math.round((100 * active.step) / active.steps) : 0;
    done.style.width = `${share}%`;
    set(bar, "aria-valuenow", active ? share : null);
    set(bar, "aria-hidden", active ? null : "true");
    set(noisy, "aria-checked", String(state.noisy));
    noisy.hidden = !frame;
    set(tabled, "aria-checked", String(lined));
    tabled.hidden = !viewer().table;
    tellUnfinished(active ? null : (job?.status ?? round?.status), round, nodes.length);
  }

  /**
   * A round that did not end says so and offers to run again.
   * @param {string | null | undefined} status
   * @param {Round | undefined} round
   * @param {number} made
   */
  function tellUnfinished(status, round, made) {
    const sentence = status && UNFINISHED[status];
    const key = sentence && !made ? `${round?.id} ${status}` : "";
    if (banner.dataset.key === key) return;
    banner.dataset.key = key;
    banner.replaceChildren();
    if (!key || !sentence) return;
    banner.append(h("p", {}, sentence));
    const runAgain = told(async () => round && again(round));
    if (round) banner.append(h("button", { type: "button", onclick: runAgain }, icon("again"), "Run it again"));
  }

  // The seconds go on where no step does.
  setInterval(() => {
    if (running() && state.job && state.job.round === state.shown) text(detail, progress(state.job));
  }, 1000);

  watch(["view", "shown", "rounds", "nodes", "job", "frame", "noisy", "present", "picked", "opinions", "model"], draw);

  // Keys mean the candidate under the pointer, if the pointer was moved there, else the one that has the focus. A
  // pointer that merely lies on a candidate means nothing.
  /** @type {Element | null} */
  let pointed = null;
  list.addEventListener("pointermove", (event) => (pointed = targetOf(event).closest(".cell")));
  list.addEventListener("pointerleave", () => (pointed = null));
  const meant = () => (pointed ? cells.find((one) => one.element === pointed) : cells[focused()])?.node() ?? null;

  /** @param {number} index */
  function chooseNumber(index) {
    pointed = null;
    leave();
    return cells[index]?.choose();
  }

  return { element, choose: chooseNumber, meant, enter, move, leave };

  /** The index of the candidate that has the focus, or -1. */
  function focused() {
    return cells.findIndex((one) => one.element.contains(document.activeElement));
  }

  /** Go among the candidates: to the chosen one, else to the first. */
  function enter() {
    pointed = null;
    (cells.find((one) => one.element.classList.contains("chosen")) ?? cells[0])?.focus();
  }

  /** Arrow keys among the candidates; whether one was there. @param {string} key */
  function move(key) {
    const at = focused();
    if (at < 0) return false;
    pointed = null;
    const columns = Number(list.dataset.columns);
    const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns }[key] ?? 0;
    cells[at + by]?.focus();
    return true;
  }

  /** Whether one was among the candidates. */
  function leave() {
    const held = document.activeElement;
    const was = list.contains(held);
    if (was && held instanceof HTMLElement) held.blur();
    return was;
  }
}

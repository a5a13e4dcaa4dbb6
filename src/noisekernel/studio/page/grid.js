// The candidates of a round: streamed while the chain walks, then there to be chosen.

import { picture } from "./api.js";
import { choose, pick, setOpinion, star } from "./design.js";
import { h, icon, iconButton, set, text } from "./dom.js";
import { vary } from "./generate.js";
import { describe } from "./inspector.js";
import { again, cancel } from "./jobs.js";
import { candidates, running, state, update, watch } from "./state.js";
import { told } from "./toast.js";

export function grid() {
  const list = h("ol", { class: "cells", "aria-label": "Candidates" });
  const room = h("div", { class: "room" }, list);
  const heading = h("h2", {});
  const detail = h("span", { class: "soft small" });
  const bar = h("div", {
    class: "progress", role: "progressbar", "aria-label": "Progress of the round", "aria-valuemin": "0", "aria-valuemax": "100",
  }, h("i", {}));
  const stop = h("button", { type: "button", class: "small-button", onclick: cancel }, "Cancel", h("kbd", {}, "Esc"));
  const noisy = h("button", {
    type: "button", role: "switch", class: "switch", title: "Show the noisy state of the chain (V)",
    onclick: () => update({ noisy: !state.noisy }),
  }, "Noisy state");
  const banner = h("div", { class: "banner", role: "status" });
  const element = h("section", { class: "view", "aria-label": "Candidates of the round" },
    h("div", { class: "bar" }, h("div", { class: "titles" }, heading, detail), h("span", { class: "grow" }), noisy, stop),
    bar, banner, room);
  let cells = [];
  let built = null;

  function build(round, n) {
    built = `${round} ${n} ${state.model?.id}`;
    const at = focused();
    cells = Array.from({ length: n }, (_, index) => cell(index));
    list.replaceChildren(...cells.map((one) => one.element));
    list.dataset.round = round;
    fit();
    if (at >= 0) cells[Math.min(at, n - 1)]?.focus(); // who goes among the candidates by key stays among them
  }

  /** As large as fits, by whole multiples of the picture's own pixels where that costs little. */
  function fit() {
    const n = cells.length;
    if (!n || !room.clientWidth) return;
    const [height, width] = state.model.shape.slice(-2);
    const [gap, foot] = [14, 34];
    const { paddingLeft, paddingRight, paddingTop, paddingBottom } = getComputedStyle(room);
    const across = room.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
    const down = room.clientHeight - parseFloat(paddingTop) - parseFloat(paddingBottom);
    let best = { size: 0, columns: 1 };
    for (let columns = 1; columns <= n; columns++) {
      const rows = Math.ceil(n / columns);
      const byWidth = (across - gap * (columns - 1)) / columns;
      const byHeight = ((down - (gap + foot) * rows + gap) / rows) * (width / height);
      const size = Math.min(byWidth, byHeight);
      if (size > best.size) best = { size, columns };
    }
    let size = Math.max(56, Math.min(best.size, 320));
    if (best.size < 56) best.columns = Math.max(1, Math.floor((across + gap) / (56 + gap)));
    const whole = Math.floor(size / width) * width;
    if (width <= 64 && whole >= 0.85 * size) size = whole;
    list.classList.toggle("compact", size < 116);
    list.style.setProperty("--columns", best.columns);
    list.style.setProperty("--size", `${Math.floor(size)}px`);
    list.style.setProperty("--ratio", `${width} / ${height}`);
    list.dataset.columns = best.columns;
  }
  new ResizeObserver(fit).observe(room);

  function draw() {
    if (state.view !== "grid" || !state.shown) return;
    const round = state.rounds.get(state.shown);
    const job = state.job?.round === state.shown ? state.job : null;
    const nodes = candidates(state.shown);
    const n = nodes.length ? Math.max(...nodes.map((node) => node.index)) + 1 : (job?.n ?? round?.n ?? 0);
    if (built !== `${state.shown} ${n} ${state.model?.id}`) build(state.shown, n);
    const byIndex = new Map(nodes.map((node) => [node.index, node]));
    const frame = state.frame?.round === state.shown ? state.frame : null;
    cells.forEach((one, index) => one.show(byIndex.get(index) ?? null, frame));

    const active = job && running();
    text(heading, words(job?.task ?? round?.task, n));
    text(detail, active ? progress(job) : nodes[0] ? describe(nodes[0]) : "");
    stop.hidden = !active;
    bar.classList.toggle("idle", !active);
    const share = active && job.steps ? Math.round((100 * job.step) / job.steps) : 0;
    bar.firstChild.style.width = `${share}%`;
    set(bar, "aria-valuenow", active ? share : null);
    set(bar, "aria-hidden", active ? null : "true");
    set(noisy, "aria-checked", String(state.noisy));
    noisy.hidden = !frame;
    tellUnfinished(active ? null : (job?.status ?? round?.status), round, nodes.length);
  }

  /** A round that did not end says so and offers to run again. */
  function tellUnfinished(status, round, made) {
    const sentence = {
      interrupted: "This round was interrupted: the server stopped in the middle of it.",
      cancelled: "This round was cancelled.",
      failed: "This round failed.",
    }[status];
    const key = sentence && !made ? `${round?.id} ${status}` : "";
    if (banner.dataset.key === key) return;
    banner.dataset.key = key;
    banner.replaceChildren();
    if (!key) return;
    const runAgain = told(() => again(state.rounds.get(state.shown)));
    banner.append(h("p", {}, sentence));
    if (round) banner.append(h("button", { type: "button", onclick: runAgain }, icon("again"), "Run it again"));
  }

  // The seconds go on where no step does.
  setInterval(() => running() && state.job.round === state.shown && text(detail, progress(state.job)), 1000);

  watch(["view", "shown", "rounds", "nodes", "job", "frame", "noisy", "present", "picked", "opinions", "model"], draw);

  // Keys mean the candidate under the pointer, if the pointer was moved there, else the one that has the focus. A pointer
  // that merely lies on a candidate means nothing.
  let pointed = null;
  list.addEventListener("pointermove", (event) => (pointed = event.target.closest(".cell")));
  list.addEventListener("pointerleave", () => (pointed = null));
  const meant = () => (pointed ? cells.find((one) => one.element === pointed) : cells[focused()])?.node() ?? null;

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

  /** Arrow keys among the candidates; whether one was there. */
  function move(key) {
    const at = focused();
    if (at < 0) return false;
    pointed = null;
    const columns = Number(list.dataset.columns);
    cells[at + { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns }[key]]?.focus();
    return true;
  }

  /** Whether one was among the candidates. */
  function leave() {
    const was = list.contains(document.activeElement);
    if (was) document.activeElement.blur();
    return was;
  }
}

function cell(index) {
  const canvas = h("canvas", { width: 1, height: 1 });
  let node = null;
  let loaded = null;
  const chooseIt = told(async () => {
    if (!node) return;
    await choose(node.id);
    if (state.settings.onwards) await vary();
  });
  const face = h("button", { type: "button", class: "face", onclick: onClick }, canvas);

  function onClick(event) {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return node && pick(node.id);
    return chooseIt();
  }

  const act = (name, label, run) => iconButton(name, label, told(() => node && run(node.id)));
  const liked = act("like", `Like candidate ${index + 1}`, (id) => setOpinion(id, 1));
  const disliked = act("dislike", `Dislike candidate ${index + 1}`, (id) => setOpinion(id, -1));
  const starred = act("star", `Star candidate ${index + 1}`, star);
  const picked = act("pick", `Pick candidate ${index + 1}`, async (id) => pick(id));
  picked.classList.add("tick");
  const number = h("span", { class: "number", "aria-hidden": "true" }, String(index + 1));
  const element = h("li", { class: "cell" }, face,
    h("div", { class: "foot" }, number, h("div", { class: "acts" }, liked, disliked, starred, picked)));

  function show(newNode, frame) {
    node = newNode;
    const opinion = node ? (state.opinions.get(node.id) ?? 0) : 0;
    const isPicked = Boolean(node && state.picked.has(node.id));
    const chosen = Boolean(node && node.id === state.present);
    element.classList.toggle("chosen", chosen);
    element.classList.toggle("waiting", !node);
    set(face, "aria-pressed", String(chosen));
    const said = [`Candidate ${index + 1}`, node?.name, chosen && "chosen", !node && "on its way"];
    set(face, "aria-label", said.filter(Boolean).join(", "));
    set(face, "aria-disabled", node ? null : "true");
    const isStarred = Boolean(node?.starred);
    for (const [button, on] of [[liked, opinion === 1], [disliked, opinion === -1], [starred, isStarred], [picked, isPicked]]) {
      set(button, "aria-pressed", String(on));
      button.disabled = !node;
    }
    paint(frame);
  }

  function paint(frame) {
    const sprite = frame && (state.noisy ? (frame.noisy ?? frame.clean) : frame.clean);
    if (sprite && (!node || state.noisy)) {
      const { image, columns, width, height } = sprite;
      size(width, height);
      const [left, top] = [(index % columns) * width, Math.floor(index / columns) * height];
      canvas.getContext("2d").drawImage(image, left, top, width, height, 0, 0, width, height);
      loaded = null;
    } else if (node && loaded !== node.id) {
      const id = (loaded = node.id);
      const image = new Image();
      image.onload = () => {
        if (loaded !== id) return;
        size(image.naturalWidth, image.naturalHeight);
        canvas.getContext("2d").drawImage(image, 0, 0);
      };
      image.src = picture(id);
    }
  }

  function size(width, height) {
    if (canvas.width === width && canvas.height === height) return canvas.getContext("2d").clearRect(0, 0, width, height);
    canvas.width = width;
    canvas.height = height;
    canvas.classList.toggle("pixels", width <= 64);
  }

  return { element, show, choose: chooseIt, focus: () => face.focus(), node: () => node };
}

const WORDS = {
  sample: "new samples",
  vary: "variants",
  inpaint: "ways to fill it in",
  steer: "variants towards your taste",
};

function words(task, n) {
  const what = WORDS[task] ?? "pictures";
  return `${n} ${n === 1 ? what.replace(/s\b/, "") : what}`;
}

/** How far a round is; from two seconds on, how long it has taken. */
function progress(job) {
  const seconds = job.began === null ? 0 : Math.floor((Date.now() - job.began) / 1000);
  const spent = seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return seconds < 2 ? howFar(job) : `${howFar(job)} · ${spent}`;
}

function howFar({ status, position, step, steps, task }) {
  if (status === "waiting" && position) return `waiting, ${position} before it`;
  if (steps) return `step ${step} of ${steps}`;
  return task === "steer" ? "learning your taste" : "starting";
}

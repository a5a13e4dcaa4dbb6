// Rounds on their way: starting them, following their frames, cancelling, and finding them again after an absence.

import { away, get, onReturn, postNow, Refusal } from "./api.js";
import { post } from "./changes.js";
import { announce, refresh } from "./design.js";
import { running, state, update, watch } from "./state.js";
import { say, toast, told } from "./toast.js";

const streams = new Map(); // job -> {source, design, task, own}: a round that nobody listens to is cancelled

export async function begin(body) {
  await take(body.task, body.n ?? 1, () => post(`/designs/${state.design.id}/rounds`, body));
}

/** A round that did not come to its end, once more: same settings, same seed, same candidates. */
export async function again({ id, task, n }) {
  await take(task, n, () => post(`/rounds/${id}/again`));
}

let asking = false;

async function take(task, n, ask) {
  if (running() || asking) throw new Refusal("A round is on its way: cancel it first.", 409);
  const design = state.design.id;
  asking = true;
  const { job, round } = await ask().finally(() => (asking = false));
  listen(job, { design, task, own: true });
  if (state.design?.id !== design) return leaveWalks();
  update({
    job: { id: job, round, task, n, status: "waiting", step: 0, steps: 0, began: Date.now() },
    frame: null,
    // A walk is no round to look at afterwards: the stage goes back to the last one.
    ...(task === "walk" ? { view: "walk" } : { view: "grid", shown: round }),
    picked: new Set(),
  });
  say("The round has begun.");
}

export const cancel = told(async () => {
  if (running()) await postNow(`/jobs/${state.job.id}/cancel`);
});

/** Listen to a job until it ends, whichever design is looked at meanwhile. Only the present job is shown. */
function listen(job, about) {
  hangUp(job);
  const source = new EventSource(`/api/jobs/${job}/events`);
  streams.set(job, { ...about, source });
  for (const [name, handler] of Object.entries({ state: onState, frame: onFrame, done: onDone, failed: onFailed })) {
    source.addEventListener(name, (event) => {
      const news = JSON.parse(event.data);
      if (name === "done" || name === "failed" || news.status === "cancelled") hangUp(job);
      if (state.job?.id === job) handler(news);
    });
  }
  // A stream that breaks is not trusted to mend itself: ask how things stand, then listen anew.
  source.onerror = () => {
    source.close();
    away();
  };
}

function hangUp(job) {
  streams.get(job)?.source.close();
  streams.delete(job);
}

/** A walk is there to be looked at: it ends when its design is left. One that is not this tab's is left to those who look on. */
function leaveWalks() {
  for (const [job, { design, task, own }] of streams) {
    if (task !== "walk" || design === state.design?.id) continue;
    hangUp(job);
    if (own) told(postNow)(`/jobs/${job}/cancel`);
  }
}

function onState({ status, position }) {
  update({ job: { ...state.job, status, position: position ?? null } });
  if (status === "cancelled") {
    say("Cancelled.");
    end(status);
  }
}

async function onFrame(frame) {
  const { round } = state.job;
  const { step, steps, paused, recording, film, pace } = frame; // the last four of walks
  update({ job: { ...state.job, status: "running", step, steps: steps ?? state.job.steps, paused, recording, film, pace } });
  quarter(frame);
  const [clean, noisy] = await Promise.all([sprite(frame.clean, frame), sprite(frame.noisy, frame)]);
  const newer = state.frame?.round === round && state.frame.step > frame.step;
  if (state.job?.round === round && !newer) update({ frame: { ...frame, round, clean, noisy } });
}

/** Screen readers hear of every quarter, not of every step. */
function quarter({ step, steps }) {
  if (steps && step && Math.floor((4 * step) / steps) > Math.floor((4 * (step - 1)) / steps)) say(`Step ${step} of ${steps}.`);
}

/** All pictures of a frame come as one: cell by cell, row by row. */
async function sprite(address, { columns, cell: [width, height] }) {
  const image = new Image();
  image.src = address;
  await image.decode();
  return { image, columns, width, height };
}

async function onDone() {
  say("The round is finished: choose one.");
  await end("done");
}

function onFailed({ detail }) {
  toast(detail, { kind: "error" });
  return end("failed");
}

async function end(status) {
  update({ job: { ...state.job, status } });
  await told(refresh)();
  if (state.design) announce(state.design.id);
}

const unfinished = (round) => ["running", "waiting"].includes(round?.status);

/** A round that is under way: this tab's before a reload, or another's. */
function findRunning() {
  const round = [...state.rounds.values()].findLast((one) => unfinished(one) && one.job);
  if (!round) return;
  const { id, task, n, job } = round;
  update({
    job: { id: job, round: id, task, n, status: "waiting", step: 0, steps: 0, began: null }, // nobody here saw it begin
    ...(task === "walk" ? { view: "walk", tool: "walk" } : { view: "grid", shown: id }),
  });
  listen(job, { design: state.design.id, task, own: streams.get(job)?.own ?? false });
}

let opened = null;
watch(["design"], () => {
  const id = state.design?.id ?? null;
  if (id === opened) return;
  opened = id;
  leaveWalks();
  if (id) findRunning();
});

/** Rounds of other designs whose streams broke. */
async function listenAgain() {
  for (const [job, about] of [...streams]) {
    if (job === state.job?.id) continue;
    const found = await get(`/jobs/${job}`).catch(() => null);
    if (unfinished(found)) listen(job, about);
    else hangUp(job);
  }
}

onReturn(
  told(async () => {
    await listenAgain();
    if (!state.design) return;
    await refresh();
    const job = state.job;
    if (!job || !running()) return;
    const round = state.rounds.get(job.round);
    if (unfinished(round)) return listen(job.id, streams.get(job.id));
    hangUp(job.id);
    update({ job: { ...job, status: round?.status ?? "interrupted" } });
  }),
);

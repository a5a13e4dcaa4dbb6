// Rounds on their way: starting them, following their frames, cancelling, and finding them again after an absence.

/** @import { FrameNews, Job, Round } from "../lib/types.js" */

import { away, get, onReturn, postNow } from "../lib/api.js";
import { post } from "../lib/changes.js";
import { announce, refresh } from "../lib/design.js";
import { Refusal } from "../lib/refusal.js";
import { openDesign, openJob, running, state, update, watch } from "../lib/state.js";
import { say, toast, told } from "../lib/toast.js";
import { viewer } from "../viewers/index.js";
import { quarter } from "./progress.js";

/** @typedef {{ design: string, task: string, own: boolean }} About */

/** By job: a round that nobody listens to is cancelled. @type {Map<string, About & { source: EventSource }>} */
const streams = new Map();

/** @param {{ task: string, n?: number } & Record<string, unknown>} body */
export async function begin(body) {
  await take(body.task, body.n ?? 1, () => post(`/designs/${openDesign().id}/rounds`, body));
}

/** A round that did not come to its end, once more: same settings, same seed, same candidates. @param {Round} round */
export async function again({ id, task, n }) {
  await take(task, n, () => post(`/rounds/${id}/again`));
}

let asking = false;

/** @param {string} task @param {number} n @param {() => Promise<{ job: string, round: string }>} ask */
async function take(task, n, ask) {
  if (running() || asking) throw new Refusal("A round is on its way: cancel it first.", 409);
  const design = openDesign().id;
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
  if (running()) await postNow(`/jobs/${openJob().id}/cancel`);
});

/**
 * Listen to a job until it ends, whichever design is looked at meanwhile. Only the present job is shown.
 * @param {string} job
 * @param {About} about
 */
function listen(job, about) {
  hangUp(job);
  const source = new EventSource(`/api/jobs/${job}/events`);
  streams.set(job, { ...about, source });
  /** @type {Record<string, (news: any) => unknown>} */
  const handlers = { state: onState, frame: told(onFrame), done: onDone, failed: onFailed };
  for (const [name, handler] of Object.entries(handlers)) {
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

/** @param {string} job */
function hangUp(job) {
  streams.get(job)?.source.close();
  streams.delete(job);
}

/** A walk is there to be looked at: it ends when its design is left. One that is not this tab's is left to those who
 * look on. */
function leaveWalks() {
  for (const [job, { design, task, own }] of streams) {
    if (task !== "walk" || design === state.design?.id) continue;
    hangUp(job);
    if (own) told(postNow)(`/jobs/${job}/cancel`);
  }
}

/** @param {{ status: string, position?: number }} news */
function onState({ status, position }) {
  update({ job: { ...openJob(), status, position: position ?? null } });
  if (status === "cancelled") {
    say("Cancelled.");
    end(status);
  }
}

/** @param {FrameNews} news */
async function onFrame(news) {
  const job = openJob();
  const { round } = job;
  const { step, steps, paused, recording, film, pace } = news; // the last four of walks
  update({ job: { ...job, status: "running", step, steps: steps ?? job.steps, paused, recording, film, pace } });
  if (quarter(step, steps)) say(`Step ${step} of ${steps}.`);
  const content = await viewer().read(news);
  const newer = state.frame?.round === round && state.frame.step > step;
  if (state.job?.round === round && !newer) update({ frame: { round, step, content } });
}

async function onDone() {
  say("The round is finished: choose one.");
  await end("done");
}

/** @param {{ detail: string }} news */
function onFailed({ detail }) {
  toast(detail, { kind: "error" });
  return end("failed");
}

/** @param {string} status */
async function end(status) {
  update({ job: { ...openJob(), status } });
  await told(refresh)();
  if (state.design) announce(state.design.id);
}

/** @param {{ status: string } | null | undefined} round */
const unfinished = (round) => Boolean(round && ["running", "waiting"].includes(round.status));

/** A round that is under way: this tab's before a reload, or another's. */
function findRunning() {
  const round = [...state.rounds.values()].findLast((one) => unfinished(one) && one.job);
  if (!round?.job || !state.design) return;
  const { id, task, n, job } = round;
  /** Nobody here saw it begin. @type {Job} */
  const known = { id: job, round: id, task, n, status: "waiting", step: 0, steps: 0, began: null };
  update({
    job: known,
    ...(task === "walk" ? { view: "walk", tool: "walk" } : { view: "grid", shown: id }),
  });
  listen(job, { design: state.design.id, task, own: streams.get(job)?.own ?? false });
}

/** @type {string | null} */
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
    const about = streams.get(job.id) ?? { design: state.design.id, task: job.task, own: false };
    if (unfinished(round)) return listen(job.id, about);
    hangUp(job.id);
    update({ job: { ...job, status: round?.status ?? "interrupted" } });
  }),
);

// Rounds on their way: starting them, following their frames, cancelling, and finding them again after an absence.

import { client, away, onReturn, post, Refusal } from "./api.js";
import { announce, refresh } from "./design.js";
import { running, state, update } from "./state.js";
import { say, toast, told } from "./toast.js";

let source = null; // the one event stream of this page

export async function begin(body) {
  await take(body.task, body.n ?? 1, () => post(`/designs/${state.design.id}/rounds`, body));
}

/** A round that did not come to its end, once more: same settings, same seed, same candidates. */
export async function again({ id, task, n }) {
  await take(task, n, () => post(`/rounds/${id}/again`));
}

async function take(task, n, ask) {
  if (running()) throw new Refusal("A round is on its way: cancel it first.", 409);
  const { job, round } = await ask();
  update({
    job: { id: job, round, task, n, status: "waiting", step: 0, steps: 0 },
    frame: null,
    // A walk is no round to look at afterwards: the stage goes back to the last one.
    ...(task === "walk" ? { view: "walk" } : { view: "grid", shown: round }),
    picked: new Set(),
  });
  say("The round has begun.");
  follow();
}

export const cancel = told(async () => {
  if (running()) await post(`/jobs/${state.job.id}/cancel`);
});

/** Listen to the present job until it ends. */
export function follow() {
  source?.close();
  const job = state.job.id;
  const stream = (source = new EventSource(`/api/jobs/${job}/events?client=${client}`));
  const mine = (handler) => (event) => state.job?.id === job && handler(JSON.parse(event.data));
  stream.addEventListener("state", mine(onState));
  stream.addEventListener("frame", mine(onFrame));
  stream.addEventListener("done", mine(onDone));
  stream.addEventListener("failed", mine(({ detail }) => (toast(detail, { kind: "error" }), end("failed"))));
  // A stream that breaks is not trusted to mend itself: ask how things stand, then listen anew.
  stream.onerror = () => {
    stream.close();
    if (state.job?.id === job && running()) away();
  };
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
  update({ job: { ...state.job, status: "running", step: frame.step, steps: frame.steps ?? state.job.steps } });
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

async function end(status) {
  source?.close();
  source = null;
  update({ job: { ...state.job, status } });
  await told(refresh)();
  if (state.design) announce();
}

const unfinished = (round) => ["running", "waiting"].includes(round?.status);

/** A round that is under way: this tab's before a reload, or another's. */
export function findRunning() {
  const round = [...state.rounds.values()].findLast((one) => unfinished(one) && one.job);
  if (!round) return;
  const { id, task, n, job } = round;
  update({
    job: { id: job, round: id, task, n, status: "waiting", step: 0, steps: 0 },
    ...(task === "walk" ? { view: "walk", tool: "walk" } : { view: "grid", shown: id }),
  });
  follow();
}

onReturn(
  told(async () => {
    if (!state.design) return;
    await refresh();
    const job = state.job;
    if (!job || !running()) return;
    const round = state.rounds.get(job.round);
    if (unfinished(round)) follow();
    else update({ job: { ...job, status: round?.status ?? "interrupted" } });
  }),
);

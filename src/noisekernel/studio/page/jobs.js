// Rounds on their way: starting them, following their frames, cancelling, and finding them again after an absence.

import { client, away, onReturn, post, Refusal } from "./api.js";
import { refresh } from "./design.js";
import { running, state, update } from "./state.js";
import { say, toast, told } from "./toast.js";

let source = null; // the one event stream of this page

export async function begin(body) {
  if (running()) throw new Refusal("A round is on its way: cancel it first.", 409);
  const { job, round } = await post(`/designs/${state.design.id}/rounds`, body);
  const id = round.id ?? round;
  update({
    job: { id: job.id ?? job, round: id, task: body.task, n: body.n ?? 1, status: "waiting", step: 0, steps: body.steps ?? 0 },
    frame: null,
    shown: id,
    view: body.task === "walk" ? "walk" : "grid",
    picked: new Set(),
  });
  say("The round has begun.");
  follow();
  return id;
}

export const cancel = told(async () => {
  if (running()) await post(`/jobs/${state.job.id}/cancel`);
});

/** Listen to the present job until it ends. */
export function follow() {
  source?.close();
  const job = state.job.id;
  source = new EventSource(`/api/jobs/${job}/events?client=${client}`);
  const mine = (handler) => (event) => state.job?.id === job && handler(JSON.parse(event.data));
  source.addEventListener("state", mine(onState));
  source.addEventListener("frame", mine(onFrame));
  source.addEventListener("done", mine(onDone));
  source.addEventListener("failed", mine(({ detail }) => (toast(detail, { kind: "error" }), end("failed"))));
  // A stream that breaks is not trusted to mend itself: ask how things stand, then listen anew.
  source.onerror = () => state.job?.id === job && (source.close(), away());
}

function onState({ status, position }) {
  update({ job: { ...state.job, status, position: position ?? null } });
  if (status === "cancelled") {
    say("Cancelled.");
    end(status);
  } else if (status === "failed") end(status);
}

async function onFrame(frame) {
  const { round } = state.job;
  update({ job: { ...state.job, status: "running", step: frame.step, steps: frame.steps ?? state.job.steps } });
  quarter(frame);
  const [clean, noisy] = await Promise.all([sprite(frame.clean, frame), frame.noisy ? sprite(frame.noisy, frame) : null]);
  const newer = state.frame?.round === round && state.frame.step > frame.step;
  if (state.shown === round && !newer) update({ frame: { ...frame, round, clean, noisy } });
}

/** Screen readers hear of every quarter, not of every step. */
function quarter({ step, steps }) {
  if (steps && step && Math.floor((4 * step) / steps) > Math.floor((4 * (step - 1)) / steps)) say(`Step ${step} of ${steps}.`);
}

async function sprite(sent, frame) {
  const url = typeof sent === "string" ? sent : Array.isArray(sent) ? sent[0] : (sent.png ?? sent.url);
  const image = new Image();
  image.src = url;
  await image.decode();
  const columns = sent.columns ?? frame.columns ?? 1;
  const [width, height] = sent.cell ?? frame.cell ?? [image.naturalWidth, image.naturalHeight];
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
}

/** A round that another tab, or this one before a reload, has under way. */
export function findRunning() {
  for (const round of state.rounds.values()) {
    if (!["running", "waiting"].includes(round.status) || !round.job) continue;
    const { task, n, steps } = round;
    update({
      job: { id: round.job, round: round.id, task, n, status: "waiting", step: 0, steps: steps ?? 0 },
      shown: round.id,
      view: task === "walk" ? "walk" : "grid",
      tool: task === "walk" ? "walk" : state.tool,
    });
    return follow();
  }
}

onReturn(
  told(async () => {
    if (!state.design) return;
    await refresh();
    const job = state.job;
    if (!job || !running()) return;
    const round = state.rounds.get(job.round);
    if (round && round.job === job.id && ["running", "waiting"].includes(round.status)) follow();
    else update({ job: { ...job, status: round?.status ?? "interrupted" } });
  }),
);

// How far a round is, in words. Pure.

/** @import { Job } from "../lib/types.js" */

/**
 * From two seconds on, how long it has taken too.
 * @param {Job} job
 * @param {number} [now] milliseconds
 */
export function progress(job, now = Date.now()) {
  const seconds = job.began === null ? 0 : Math.floor((now - job.began) / 1000);
  const spent = seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return seconds < 2 ? howFar(job) : `${howFar(job)} · ${spent}`;
}

/** @param {Job} job */
function howFar({ status, position, step, steps, task }) {
  if (status === "waiting" && position) return `waiting, ${position} before it`;
  if (steps) return `step ${step} of ${steps}`;
  return task === "steer" ? "learning your taste" : "starting";
}

/** How long something will take, roughly. @param {number} seconds */
export function duration(seconds) {
  if (seconds < 1.5) return "a second";
  return seconds < 90 ? `${Math.round(seconds)} seconds` : `${Math.round(seconds / 60)} minutes`;
}

/** Whether a step brought a round past a quarter of its way: screen readers hear of those, not of every step.
 * @param {number} step
 * @param {number | undefined} steps */
export const quarter = (step, steps) =>
  Boolean(steps && step && Math.floor((4 * step) / steps) > Math.floor((4 * (step - 1)) / steps));

// Which notes sound when: what the player hands to the synthesiser, and where its cursor is. Pure; times are seconds.

/** @import { Facts, Note } from "./piece.js" */

/** A note to be played; `at` counts from the beginning of the piece, or is a time of the audio clock.
 * @typedef {{ voice: number, pitch: number, at: number, lasts: number }} Sounding */

/** @param {Pick<Facts, "tempo" | "perBeat">} facts */
export const secondsPerStep = ({ tempo, perBeat }) => 60 / (tempo * perBeat);

/**
 * The notes that begin from one moment of the piece up to another, which is left out; in the order of their times.
 * @param {Note[]} notes
 * @param {number} perStep seconds
 * @param {number} from
 * @param {number} to
 * @param {boolean} [entering] whether playing begins at `from`, so that what sounds there by then begins there too
 * @returns {Sounding[]}
 */
export function due(notes, perStep, from, to, entering = false) {
  const found = notes.flatMap(([voice, pitch, start, length]) => {
    const [begins, ends] = [start * perStep, (start + length) * perStep];
    const at = entering && begins < from && ends > from + 1e-6 ? from : begins;
    return at >= from && at < to ? [{ voice, pitch, at, lasts: ends - at }] : [];
  });
  return found.sort((a, b) => a.at - b.at || a.voice - b.voice);
}

/**
 * A piece on its way. `origin`: the time on the audio clock of its first step; `done`: how much of it has been handed
 * over; `entering`: whether nothing has been yet.
 * @typedef {{ origin: number, done: number, length: number, loops: boolean, entering: boolean }} Run
 */

/**
 * A run that begins now, at a step.
 * @param {{ now: number, step: number, steps: number, perStep: number, loops: boolean }} start
 * @returns {Run}
 */
export function begun({ now, step, steps, perStep, loops }) {
  const done = step * perStep;
  return { origin: now - done, done, length: steps * perStep, loops, entering: true };
}

/**
 * What has to be handed over so that all is there until a time of the clock, and the run after that.
 * @param {Run} run
 * @param {Note[]} notes
 * @param {number} perStep
 * @param {number} until
 * @returns {{ run: Run, soundings: Sounding[] }}
 */
export function upcoming(run, notes, perStep, until) {
  let { origin, done, entering } = run;
  /** @type {Sounding[]} */
  const soundings = [];
  while (origin + done < until) {
    if (done >= run.length) {
      if (!run.loops || !run.length) break;
      origin += run.length;
      done = 0;
      continue;
    }
    const to = Math.min(run.length, until - origin);
    const next = due(notes, perStep, done, to, entering);
    soundings.push(...next.map((one) => ({ ...one, at: origin + one.at })));
    done = to;
    entering = false;
    if (done < run.length) break; // not by the clock alone: origin + done may fall short of it by a rounding
  }
  return { run: { ...run, origin, done, entering }, soundings };
}

/**
 * The step that is heard now; null where the piece is over.
 * @param {Run} run
 * @param {number} perStep
 * @param {number} now
 */
export function heardAt({ origin, length, loops }, perStep, now) {
  let since = now - origin;
  if (loops && since < 0) since += length; // the next time round has been handed over already
  if (since >= length) return loops ? (since % length) / perStep : null;
  return Math.max(0, since) / perStep;
}

/** Which voices are turned off, and which are alone. @typedef {{ muted: Set<number>, alone: Set<number> }} Mix */

/**
 * Whether each voice is heard: those that are alone, where there are any; else those that are not muted.
 * @param {number} voices
 * @param {Mix} mix
 */
export const audible = (voices, { muted, alone }) =>
  Array.from({ length: voices }, (_, voice) => (alone.size ? alone.has(voice) : !muted.has(voice)));

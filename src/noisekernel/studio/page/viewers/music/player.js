// The player: one thing plays at a time in the page. Notes are handed to the synthesiser a little ahead of the audio
// clock; the cursor follows that clock. The clock begins with the first gesture, as browsers want it.

/** @import { Model } from "../../lib/types.js" */
/** @import { Note } from "./piece.js" */
/** @import { Run } from "./schedule.js" */
/** @import { Session, Synth } from "./synth.js" */

import { heardOf, onMix } from "./mix.js";
import { factsOf } from "./piece.js";
import { begun, heardAt, secondsPerStep, upcoming } from "./schedule.js";
import { synth } from "./synth.js";

/**
 * What is played. `notes` is asked for again and again, so that what changes is heard as it is by then. `moved` is told
 * the step that is heard, and null at the end. It ends where it is no longer `there`.
 * @typedef {{ model: Model, notes: () => Note[], moved: (step: number | null) => void, there: () => boolean,
 *   loops?: boolean }} Performance
 */

const AHEAD = 0.25; // seconds
const AHEAD_HIDDEN = 1.6; // where the page is in the background, its timers are slow
const EVERY = 60; // milliseconds
const LEAD = 0.06; // seconds before the first note
const IDLE = 5000; // milliseconds of silence after which the audio clock is stopped

/** @type {{ context: AudioContext, instrument: Synth } | null} */
let audio = null;
/** @type {{ of: Performance, session: Session, run: Run, timer: number } | null} */
let current = null;
let idle = 0;

/** The clock goes, as long as something plays and a little longer. */
function awake() {
  clearTimeout(idle);
  if (!audio) {
    const context = new AudioContext({ latencyHint: "interactive" });
    audio = { context, instrument: synth(context) };
    onMix(() => current?.session.mix(heardOf(current.of.model)));
  }
  if (audio.context.state !== "running") audio.context.resume();
  return audio;
}

function rest() {
  clearTimeout(idle);
  idle = Number(setTimeout(() => current || audio?.context.suspend(), IDLE));
}

/** @param {Performance} performance */
export const plays = (performance) => current?.of === performance;

export function stop() {
  if (!current) return;
  const { of, session, timer } = current;
  current = null;
  clearInterval(timer);
  session.stop();
  rest();
  of.moved(null);
}

/**
 * Play from a step on.
 * @param {Performance} performance
 * @param {number} [step]
 */
export function start(performance, step = 0) {
  stop();
  const { context, instrument } = awake();
  const facts = factsOf(performance.model);
  const perStep = secondsPerStep(facts);
  const { loops = false } = performance;
  const run = begun({ now: context.currentTime + LEAD, step, steps: facts.steps, perStep, loops });
  const mine = { of: performance, session: instrument.session(heardOf(performance.model)), run, timer: 0 };
  current = mine;

  function hand() {
    const until = context.currentTime + (document.hidden ? AHEAD_HIDDEN : AHEAD);
    const next = upcoming(mine.run, performance.notes(), perStep, until);
    mine.run = next.run;
    next.soundings.forEach(mine.session.play);
  }

  function follow() {
    if (current !== mine) return;
    const now = context.currentTime - (context.outputLatency || 0);
    const at = heardAt(mine.run, perStep, now);
    if (at === null || !performance.there()) return stop();
    performance.moved(at);
    requestAnimationFrame(follow);
  }
  hand();
  mine.timer = Number(setInterval(hand, EVERY));
  follow();
}

/** A single note, to hear what one enters. @param {Model} model @param {number} voice @param {number} pitch */
export function strike(model, voice, pitch) {
  const { context, instrument } = awake();
  const session = instrument.session(factsOf(model).voices.map(() => true));
  session.play({ voice, pitch, at: context.currentTime, lasts: 0.35 });
  setTimeout(session.stop, 1200);
  rest();
}

import assert from "node:assert/strict";
import test from "node:test";

import { meant } from "../../src/noisekernel/studio/page/viewers/music/hearing.js";
import { heardOf, onMix, turn } from "../../src/noisekernel/studio/page/viewers/music/mix.js";
import { factsOf } from "../../src/noisekernel/studio/page/viewers/music/piece.js";
import * as schedule from "../../src/noisekernel/studio/page/viewers/music/schedule.js";
import * as timbre from "../../src/noisekernel/studio/page/viewers/music/timbre.js";

/** @import { Note } from "../../src/noisekernel/studio/page/viewers/music/piece.js" */

const view = { voices: ["soprano", "alto"], steps: 32, per_beat: 4, bar: 16, low: 48, high: 71, tempo: 120 };
const facts = factsOf({ view });
/** @type {any} */
const model = { id: "m", view };
/** Two notes above, with a rest between them; one below. @type {Note[]} */
const NOTES = [[0, 67, 0, 4], [0, 69, 8, 8], [1, 60, 2, 30]];

test("notes are due when they begin; where playing begins, also what sounds there", () => {
  const perStep = schedule.secondsPerStep(facts);
  assert.equal(perStep, 0.125);
  const starts = (/** @type {[number, number, boolean?]} */ ...span) =>
    schedule.due(NOTES, perStep, ...span).map(({ voice, at, lasts }) => [voice, at, lasts]);
  assert.deepEqual(starts(0, 1), [[0, 0, 0.5], [1, 0.25, 3.75]]);
  assert.deepEqual(starts(1, 4), [[0, 1, 1]]);
  assert.deepEqual(starts(0.3, 0.4), []);
  assert.deepEqual(starts(0.375, 0.5, true), [[0, 0.375, 0.125], [1, 0.375, 3.625]]);
});

test("a run hands over every note once, however often it is asked, and ends", () => {
  const perStep = schedule.secondsPerStep(facts);
  for (const [step, expected] of [[0, 3], [4, 2], [5, 2], [16, 1], [32, 0]]) {
    let run = schedule.begun({ now: 10.1, step, steps: 32, perStep, loops: false });
    const all = [];
    for (let now = 10.1; now < 16; now += 0.0617) {
      const next = schedule.upcoming(run, NOTES, perStep, now + 0.25);
      run = next.run;
      all.push(...next.soundings);
    }
    assert.equal(all.length, expected);
    assert.ok(all.every(({ at, lasts }) => at >= 10.1 - 1e-9 && lasts > 0));
    assert.equal(schedule.heardAt(run, perStep, 10.1), step === 32 ? null : step);
    assert.equal(schedule.heardAt(run, perStep, 16), null);
  }
});

test("a run that loops plays what the piece is by then", () => {
  const perStep = schedule.secondsPerStep(facts); // 4 seconds in all
  let run = schedule.begun({ now: 0, step: 0, steps: 32, perStep, loops: true });
  const pitches = [];
  for (let now = 0; now < 11; now += 0.1) {
    /** @type {Note[]} */
    const notes = [[0, now < 5 ? 60 : 65, 0, 4]];
    const next = schedule.upcoming(run, notes, perStep, now + 0.2);
    run = next.run;
    pitches.push(...next.soundings.map(({ pitch, at }) => [pitch, at]));
    const heard = schedule.heardAt(run, perStep, now) ?? -1;
    assert.ok(Math.abs(heard - ((now / perStep) % 32)) < 1e-6, `${now}`);
  }
  assert.deepEqual(pitches, [[60, 0], [60, 4], [65, 8]]);
  const none = schedule.begun({ now: 0, step: 0, steps: 0, perStep, loops: true });
  assert.deepEqual(schedule.upcoming(none, [], perStep, 1).soundings, []);
});

test("voices are muted, or heard alone, for all pieces of a model", () => {
  let told = 0;
  onMix(() => (told += 1));
  assert.deepEqual(heardOf(model), [true, true]);
  turn("m", "muted", 0);
  assert.deepEqual(heardOf(model), [false, true]);
  turn("m", "alone", 0);
  assert.deepEqual(heardOf(model), [true, false]); // alone is stronger
  turn("m", "alone", 0);
  turn("m", "muted", 0);
  assert.deepEqual([heardOf(model), heardOf({ id: "other", view }), told], [[true, true], [true, true], 4]);
});

test("voices sound different, low ones louder, and the room dies away", () => {
  const [first, second, last] = [0, 1, 3].map((voice) => timbre.partials(voice, 4));
  for (const [loudest, ...others] of [first, second, last])
    assert.ok(loudest === 1 && others.every((one) => one < 1 && one > 0));
  assert.ok(first[2] < second[2] && second[2] < last[2] && timbre.partials(0, 1).every(Number.isFinite));
  assert.ok(timbre.level(36) > timbre.level(60) && timbre.level(60) > timbre.level(84));
  assert.equal(timbre.frequency(69), 440);
  assert.ok(4 * timbre.level(36) < 1);
  const [left, right] = timbre.room(8000, 1);
  const energy = (/** @type {Float32Array} */ some) => some.reduce((sum, one) => sum + one * one, 0);
  assert.ok(Math.abs(energy(left) - 1) < 1e-3 && left.every(Number.isFinite));
  assert.ok(left.some((one, at) => one !== right[at]));
  assert.ok(energy(left.slice(6000)) < 1e-3 * energy(left.slice(0, 2000)));
  assert.deepEqual(left, timbre.room(8000, 1)[0]);
  assert.ok(timbre.bend().every((one, at, all) => Math.abs(one) < 1 && (at === 0 || one > all[at - 1])));
});

test("the key plays what walks, else what shows the node, else what the pointer is over", () => {
  const some = (/** @type {string[]} */ ...kinds) => kinds.map((kind, at) =>
    ({ at, stage: kind === "stage", shows: kind === "shows", pointed: kind === "pointed" }));
  assert.equal(meant(some("", "pointed", "shows", "stage"))?.at, 3);
  assert.equal(meant(some("", "pointed", "shows"))?.at, 2);
  assert.equal(meant(some("", "pointed"))?.at, 1);
  assert.equal(meant(some("", "")), null);
});

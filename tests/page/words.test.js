import assert from "node:assert/strict";
import test from "node:test";

import { sentence } from "../../src/noisekernel/studio/page/lib/api.js";
import { nameOf } from "../../src/noisekernel/studio/page/lib/keys.js";
import { Refusal, sentenceOf, statusOf } from "../../src/noisekernel/studio/page/lib/refusal.js";
import { state, update } from "../../src/noisekernel/studio/page/lib/state.js";
import { capital, describe, fileName, heading, title } from "../../src/noisekernel/studio/page/tools/naming.js";
import { paceAt, paceWords, shareOf } from "../../src/noisekernel/studio/page/tools/pace.js";
import { duration, progress, quarter } from "../../src/noisekernel/studio/page/tools/progress.js";

const MODEL = {
  id: "m", kind: "text", one: "string", many: "strings", view: {}, viewer_module: null, classes: [], parameters: 1,
  strength: { measured: true },
};
const NODE = {
  id: "n", parent: null, round: "r", index: 2, task: "vary", kept: true, starred: false, name: null, created: 0,
};

test("a node is called by its name, else by how it was made", () => {
  assert.equal(title({ ...NODE, name: "mine" }), "mine");
  assert.equal(title(NODE), "variant 3");
  assert.equal(title({ ...NODE, task: "walk" }), "frame of a walk");
  assert.equal(title({ ...NODE, task: "upload", round: null }), "your example");
  state.model = MODEL;
  assert.equal(title({ ...NODE, task: "upload", round: null }), "your string");
  state.model = null;
  assert.equal(title({ ...NODE, task: "of tomorrow" }), "of tomorrow 3");
  assert.equal(title(null), "nothing yet");
});

test("settings of the round and of the node are one line", () => {
  const round = { id: "r", task: "vary", n: 4, status: "done", settings: { strength: 0.3, steps: 20 } };
  update({ rounds: new Map([["r", round]]) });
  assert.equal(describe(NODE), "strength 30 · 20 steps");
  assert.equal(describe({ ...NODE, settings: { strength: 0, label: "7" } }), "strength 0 · 20 steps · 7");
  assert.equal(describe({ ...NODE, round: "unknown" }), "from noise");
  assert.equal(describe({ ...NODE, round: null }), "where it began");
  assert.equal(state.rounds.get("r"), round);
});

test("headings count", () => {
  assert.equal(heading("vary", 4), "4 variants");
  assert.equal(heading("vary", 1), "1 variant");
  assert.equal(heading("fill", 1), "1 way to fill it in");
  assert.equal(heading("steer", 1), "1 variant towards your taste");
  assert.equal(heading(undefined, 2), "2 examples");
});

test("names of files have no characters that a file cannot have", () => {
  assert.equal(fileName("a/b\\c: d?", "id"), "abc d");
  assert.equal(fileName("Übergröße 字_1-2", "id"), "Übergröße 字_1-2");
  assert.equal(fileName("../..", "id"), "id");
  assert.equal(capital("éa"), "Éa");
  assert.equal(capital(""), "");
});

test("how far a round is, and from two seconds on how long it has taken", () => {
  const job = { id: "j", round: "r", task: "vary", n: 1, status: "running", step: 3, steps: 10, began: 0 };
  assert.equal(progress(job, 1999), "step 3 of 10");
  assert.equal(progress(job, 2000), "step 3 of 10 · 2 s");
  assert.equal(progress(job, 61_500), "step 3 of 10 · 1 min 1 s");
  assert.equal(progress({ ...job, began: null }, 61_500), "step 3 of 10");
  assert.equal(progress({ ...job, status: "waiting", position: 2 }, 0), "waiting, 2 before it");
  assert.equal(progress({ ...job, steps: 0 }, 0), "starting");
  assert.equal(progress({ ...job, steps: 0, task: "steer" }, 0), "learning your taste");
});

test("durations are round", () => {
  assert.deepEqual([0.2, 1.4, 1.6, 89, 95].map(duration),
    ["a second", "a second", "2 seconds", "89 seconds", "2 minutes"]);
});

test("four steps of any round are told to screen readers, the last among them", () => {
  for (const steps of [4, 10, 37, 5000]) {
    const told = Array.from({ length: steps + 1 }, (_, step) => step).filter((step) => quarter(step, steps));
    assert.equal(told.length, 4, `${steps} steps`);
    assert.equal(told.at(-1), steps);
  }
  assert.equal(quarter(3, undefined), false);
  assert.equal(quarter(0, 0), false);
});

test("the slider of the pace is even in the logarithm, and reads what it wrote", () => {
  assert.deepEqual([paceAt(0), paceAt(1)], [0.01, 0.5]);
  for (let at = 0; at <= 100; at++) assert.equal(shareOf(paceAt(at / 100)), at / 100);
  assert.deepEqual([shareOf(0), shareOf(1)], [0, 1]);
  assert.equal(paceWords(0), "1 % a step");
});

test("keys have names without Shift, and Command is Ctrl", () => {
  const plain = { ctrlKey: false, metaKey: false, shiftKey: false };
  assert.equal(nameOf({ ...plain, key: "Z", shiftKey: true }), "z");
  assert.equal(nameOf({ ...plain, key: "z", metaKey: true }), "Ctrl+z");
  assert.equal(nameOf({ ...plain, key: "Z", ctrlKey: true, shiftKey: true }), "Ctrl+Shift+z");
  assert.equal(nameOf({ ...plain, key: "ArrowUp" }), "ArrowUp");
});

test("what the server refuses is a sentence", () => {
  assert.equal(sentence({ detail: "too many" }, 429), "too many");
  const detail = [{ loc: ["body", "n"], msg: "is wrong" }, { msg: "so" }];
  assert.equal(sentence({ detail }, 422), "n: is wrong; : so");
  assert.equal(sentence(null, 413), "That is too large for the server.");
  assert.equal(sentence({}, 500), "The server refused (500).");
});

test("refusals have a status, mistakes have none", () => {
  assert.deepEqual([statusOf(new Refusal("no", 0)), statusOf(new Refusal("no"))], [0, 400]);
  assert.deepEqual([statusOf(new Error("oh")), sentenceOf(new Error("oh")), sentenceOf("oh")], [undefined, "oh", "oh"]);
});

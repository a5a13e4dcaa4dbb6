import assert from "node:assert/strict";
import test from "node:test";

import { music } from "../../src/noisekernel/studio/page/viewers/music.js";
import { overlaid, toldOf } from "../../src/noisekernel/studio/page/viewers/music/changes.js";
import * as entry from "../../src/noisekernel/studio/page/viewers/music/entry.js";
import * as geometry from "../../src/noisekernel/studio/page/viewers/music/geometry.js";
import * as lanes from "../../src/noisekernel/studio/page/viewers/music/lanes.js";
import { formOf, musicIn } from "../../src/noisekernel/studio/page/viewers/music/own.js";
import * as pieces from "../../src/noisekernel/studio/page/viewers/music/piece.js";
import { initial } from "../../src/noisekernel/studio/page/viewers/music/voices.js";

/** @import { Note } from "../../src/noisekernel/studio/page/viewers/music/piece.js" */

const view = {
  voices: ["soprano", "alto"], steps: 32, per_beat: 4, bar: 16, low: 48, high: 71, tempo: 120, feather: false,
};
/** @type {any} */
const model = { id: "m", kind: "music", one: "piece", many: "pieces", view };
const facts = pieces.factsOf(model);
/** Two notes above, with a rest between them; one below. @type {Note[]} */
const NOTES = [[0, 67, 0, 4], [0, 69, 8, 8], [1, 60, 2, 30]];

test("the server says what a model's pieces are like", () => {
  assert.deepEqual([facts.perBeat, facts.voices.length, pieces.barsOf(facts)], [4, 2, 2]);
  assert.equal(music.size(model), "2 voices, 2 bars");
  assert.deepEqual(pieces.pieceOf({ notes: NOTES, steps: 32 }), { notes: NOTES, open: [] });
  assert.deepEqual([60, 61, 69, 36].map(pieces.nameOf), ["C4", "C♯4", "A4", "C2"]);
  assert.deepEqual([0, 4, 22].map((step) => pieces.placeOf(step, facts)),
    ["bar 1, beat 1", "bar 1, beat 2", "bar 2, beat 2 and 2/4"]);
  assert.equal(pieces.spoken({ notes: NOTES, open: [[1, 0, 2]] }, facts),
    "2 bars: soprano 2 notes, G4 to A4; alto 1 note, C4 to C4, 6 % open");
  assert.deepEqual([pieces.noteAt(NOTES, 0, 15), pieces.noteAt(NOTES, 0, 4)], [NOTES[1], null]);
});

test("gaps are drawn from the note before to the note after, and by the voice's place where it has none", () => {
  const [between, last] = pieces.ghosts({ notes: NOTES, open: [[0, 4, 4], [0, 16, 16]] }, facts);
  assert.deepEqual([between.from, between.to, last.from, last.to], [67, 69, 69, 69]);
  const [high, low] = pieces.ghosts({ notes: [], open: [[0, 0, 32], [1, 0, 32]] }, facts);
  assert.ok(high.from > low.from && low.from > 48 && high.from < 71);
  assert.deepEqual(pieces.gapsAround(NOTES, facts), [[0, 4, 4], [0, 16, 16], [1, 0, 2]]);
});

test("voices in unison share a row, the first above", () => {
  /** @type {Note[]} */
  const notes = [[1, 60, 0, 8], [0, 60, 4, 2], [0, 60, 8, 2], [0, 62, 0, 4]];
  assert.deepEqual(pieces.shares(notes).map(({ slot, of }) => [slot, of]), [[1, 2], [0, 2], [0, 1], [0, 1]]);
});

test("a roll fits its size, and finds what is under a place", () => {
  for (const [place, width] of /** @type {["cell" | "large", number][]} */ ([["cell", 200], ["large", 900]])) {
    const frame = geometry.frameOf({ width, height: width / 2 }, facts, place);
    assert.equal(frame.gutter > 0, place === "large");
    for (const [step, pitch] of [[0, 71], [31, 48], [7, 60]]) {
      const box = geometry.noteBox([0, pitch, step, 1], frame);
      const middle = { x: box.x + 0.5 * frame.step, y: geometry.middle(pitch, frame) };
      assert.deepEqual(geometry.under(middle, frame, facts), { step, pitch });
      assert.ok(box.y >= frame.top && box.y + box.height <= frame.top + frame.height + 1e-9);
      assert.ok(box.width < frame.step && Math.abs(box.y + box.height / 2 - middle.y) < 1e-9);
    }
    assert.equal(geometry.under({ x: 1, y: 1 }, frame, facts), null);
  }
  const frame = geometry.frameOf({ width: 900, height: 450 }, facts, "large");
  const [above, below] = [0, 1].map((slot) => geometry.noteBox([0, 60, 0, 4], frame, { slot, of: 2 }));
  assert.ok(Math.abs(above.y + above.height - below.y) < 1e-9);
  assert.deepEqual(geometry.lines(facts, frame), { bars: [0, 16], beats: [4, 8, 12, 20, 24, 28] });
  assert.deepEqual(geometry.lines(facts, { ...frame, step: 1 }).beats, []);
  assert.deepEqual(geometry.octaves(facts), [48, 60]);
  assert.deepEqual(geometry.octaves({ low: 61, high: 70 }), []);
});

test("longer pieces are wider, and a thumbnail comes closer", () => {
  const ratios = [16, 64, 512].map((steps) => geometry.ratioOf({ steps, perBeat: 4, low: 36, high: 81 }));
  assert.deepEqual(ratios, [1.2, 1.6, 2.6]);
  const { low, high } = geometry.closer(facts, NOTES);
  assert.ok(low < 60 && high > 69 && high - low >= 18);
  assert.equal(geometry.closer(facts, []), facts);
});

test("what is marked is a cell, a voice by its name, or a bar by its number", () => {
  const frame = lanes.lanesOf({ width: 900, height: 424 }, facts);
  const at = (/** @type {number} */ x, /** @type {number} */ y, wide = 4) =>
    lanes.regionAt({ x, y }, frame, facts, wide);
  const [x, y] = [frame.left + 6.5 * frame.step, frame.top + 1.5 * frame.every];
  assert.deepEqual(at(x, y), { voices: [1, 2], steps: [4, 8] });
  assert.deepEqual(at(x, y, 1), { voices: [1, 2], steps: [6, 7] });
  assert.deepEqual(at(5, y), { voices: [1, 2], steps: [0, 32] });
  assert.deepEqual(at(x + 16 * frame.step, 3), { voices: [0, 2], steps: [16, 32] });
  assert.equal(at(3, 3), null);
  assert.deepEqual(at(5000, 5000, 5), { voices: [1, 2], steps: [30, 32] }); // a drag that leaves the surface
  const joined = lanes.joined({ voices: [1, 2], steps: [4, 8] }, { voices: [0, 1], steps: [6, 12] });
  assert.deepEqual(joined, { voices: [0, 2], steps: [4, 12] });
  const cells = lanes.filled(new Uint8Array(8), { voices: [1, 2], steps: [1, 3] }, 1, 4);
  assert.equal(lanes.maskOf(cells), "00000110");
  assert.equal(lanes.maskOf(lanes.filled(cells, { voices: [0, 2], steps: [0, 2] }, 0, 4)), "00000010");
});

test("keys lead along a voice and to the others", () => {
  const lead = (/** @type {string} */ key, voice = 0, step = 8, wide = 4) =>
    lanes.keyed(key, { voice, step }, facts, wide);
  assert.deepEqual(lead("ArrowRight"), { voice: 0, step: 12 });
  assert.deepEqual(lead("ArrowLeft", 0, 2), { voice: 0, step: 0 });
  assert.deepEqual(lead("PageDown"), { voice: 0, step: 24 });
  assert.deepEqual([lead("End")?.step, lead("End", 0, 0, 5)?.step, lead("Home")?.step], [28, 30, 0]);
  assert.deepEqual([lead("ArrowDown")?.voice, lead("ArrowDown", 1)?.voice, lead("ArrowUp")?.voice], [1, 1, 0]);
  assert.equal(lead("a"), null);
  const ranges = [lanes.rangeOf(NOTES, 0, 60), lanes.rangeOf([], 0, 60)];
  assert.deepEqual(ranges, [{ low: 62, high: 74 }, { low: 54, high: 66 }]);
});

test("two pieces differ note by note", () => {
  /** @type {Note[]} */
  const after = [[0, 67, 0, 4], [0, 71, 8, 8], NOTES[2]];
  const [one, other] = [{ notes: NOTES, open: [] }, { notes: after, open: [] }];
  const { piece, looks } = overlaid(one, other);
  assert.deepEqual([looks, piece.notes[2], piece.notes[3]], [["same", "same", "gone", "plain"], NOTES[1], after[1]]);
  assert.equal(toldOf(one, other, facts), "changed notes: soprano 1 new, 1 gone");
  assert.equal(toldOf(one, one, facts), "nothing changed");
});

test("notes are entered one at a time in each voice", () => {
  assert.deepEqual(entry.lengthsOf(facts).map(({ steps }) => steps), [1, 2, 4, 8]);
  assert.deepEqual(entry.lengthsOf({ perBeat: 2 }).map(({ label }) => label), ["1/8", "1/4", "1/2"]);
  assert.deepEqual([4, 2, 1, 8].map((long) => entry.snapped(7, long, facts)), [4, 6, 7, 4]);
  const put = (/** @type {Note[]} */ ...notes) =>
    notes.reduce((all, note) => entry.placed(all, note, facts), /** @type {Note[]} */ ([]));
  assert.deepEqual(put([0, 60, 0, 8], [0, 62, 4, 4]), [[0, 60, 0, 4], [0, 62, 4, 4]]); // cut off
  assert.deepEqual(put([0, 60, 4, 2], [1, 50, 0, 8], [0, 62, 0, 8]), [[0, 62, 0, 8], [1, 50, 0, 8]]); // replaced
  assert.deepEqual(put([0, 60, 30, 8]), [[0, 60, 30, 2]]);
  assert.equal(entry.noteOn(NOTES, 0, { step: 9, pitch: 69 }), NOTES[1]);
  assert.equal(entry.noteOn(NOTES, 1, { step: 9, pitch: 69 }), undefined);
  assert.deepEqual(entry.without(NOTES, NOTES[0]), NOTES.slice(1));
});

test("what is not entered is open, or a rest between the notes of a voice", () => {
  const notes = NOTES.slice(0, 2);
  assert.deepEqual(entry.entered(notes, facts, true).open, [[0, 4, 4], [0, 16, 16], [1, 0, 32]]);
  assert.deepEqual(entry.entered(notes, facts, false), { notes, open: [[1, 0, 32]] });
  assert.deepEqual([0, 1].map((voice) => entry.sung(notes, voice)), [12, 0]);
});

test("keys lead on the grid", () => {
  const lead = (/** @type {string} */ key, step = 8, pitch = 60) => entry.keyedOn(key, { step, pitch }, facts, 4);
  assert.deepEqual([lead("ArrowRight")?.step, lead("ArrowRight", 28)?.step, lead("ArrowLeft", 2)?.step], [12, 28, 0]);
  assert.deepEqual([lead("ArrowUp")?.pitch, lead("PageUp")?.pitch, lead("PageDown", 0, 50)?.pitch], [61, 71, 48]);
  assert.deepEqual([lead("Home")?.step, lead("End")?.step, lead(" ")], [0, 28, null]);
});

test("what is sent is the file, or the notes", async () => {
  const file = new File(["MThd"], "tune.mid");
  assert.equal(/** @type {File} */ (formOf(file).get("file")).name, "tune.mid");
  const sent = /** @type {File} */ (formOf({ notes: NOTES, open: [[1, 0, 2]] }).get("file"));
  assert.equal(sent.name, "own.json");
  assert.deepEqual(JSON.parse(await sent.text()), { notes: NOTES, open: [[1, 0, 2]] });
  const named = (/** @type {string[]} */ ...names) => musicIn(names.map((name) => new File([], name)))?.name;
  assert.deepEqual([named("a.txt", "b.MXL", "c.mid"), named("a.png")], ["b.MXL", undefined]);
});

test("a piece is saved as MIDI first", () => {
  const choices = music.files(model, { id: "n" }).map(({ address, suffix }) => [address, suffix]);
  assert.deepEqual(choices, [
    ["/api/nodes/n/show", ".mid"], ["/api/nodes/n/show?as=wav", ".wav"], ["/api/nodes/n/show?as=png", ".png"],
  ]);
  assert.deepEqual([initial("soprano"), initial("")], ["S", ""]);
});

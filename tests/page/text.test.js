import assert from "node:assert/strict";
import test from "node:test";

import { text } from "../../src/noisekernel/studio/page/viewers/text.js";
import { align, sizeOf, told } from "../../src/noisekernel/studio/page/viewers/text/align.js";
import { glyphs, seen } from "../../src/noisekernel/studio/page/viewers/text/glyphs.js";
import { pattern } from "../../src/noisekernel/studio/page/viewers/text/letters.js";
import { linesOf } from "../../src/noisekernel/studio/page/viewers/text/own.js";
import { LEADING, setting, wrapped } from "../../src/noisekernel/studio/page/viewers/text/setting.js";

/** @import { Glyph } from "../../src/noisekernel/studio/page/viewers/text/glyphs.js" */

/** @param {number} length */
const model = (length) => /** @type {any} */ ({ id: "m", kind: "text", view: { length } });
/** @param {Glyph[]} line */
const written = (line) => line.map(({ shown }) => shown).join("");

test("white space is seen where it would be overlooked, and is a space between words", () => {
  const shown = (/** @type {string} */ string) => written(glyphs(string));
  assert.equal(shown("two words"), "two words");
  assert.equal(shown(" two  words "), "␣two␣␣words␣");
  assert.equal(shown("a\tb\u00a0c"), "a⇥b⍽c");
  assert.equal(shown(""), "");
  assert.deepEqual(glyphs("a ").map(({ role }) => role), ["", "blank"]);
  assert.deepEqual([..."a \t"].map(seen), ["a", "␣", "⇥"]);
});

test("characters are code points, as the server counts them", () => {
  assert.equal(glyphs("a😀b").length, 3);
  assert.equal(align("😀", "😁").length, 1);
});

test("dots are holes in a noisy state alone, where every place is kept", () => {
  assert.deepEqual(glyphs("a·", { noisy: true })[1], { shown: "·", role: "hole" });
  assert.deepEqual(glyphs("a·")[1], { shown: "·", role: "" });
  assert.equal(written(glyphs("·  a ·", { noisy: true })), "·\u00a0\u00a0a\u00a0·");
});

const BOX = { ratio: 2, most: 0.2, least: 0.02, broken: 0.1 };
const half = () => 0.5;
/** @param {string} string @param {Partial<typeof BOX>} [box] */
const put = (string, box = {}) => {
  const { lines, size } = setting(glyphs(string), { ...BOX, ...box }, half);
  return { lines: lines.map(written), size };
};

test("short strings are set in the largest size, on one line", () => {
  assert.deepEqual(put("emma"), { lines: ["emma"], size: 0.2 });
  assert.deepEqual(put("a"), { lines: ["a"], size: 0.2 });
});

test("whatever is set fits its box", () => {
  for (const string of ["a quick brown fox jumps over", "x".repeat(80), "ab ".repeat(60).trim(), "a".repeat(256)]) {
    const { lines, size } = put(string);
    assert.equal(lines.join("").replaceAll(" ", ""), string.replaceAll(" ", ""));
    assert.ok(Math.max(...lines.map((line) => line.length)) * 0.5 * size <= 1);
    assert.ok(lines.length * LEADING * size <= 1 / BOX.ratio);
  }
});

test("words stay whole unless they would be too small, and then break into even pieces", () => {
  assert.deepEqual(put("isabella maximilian").lines, ["isabella", "maximilian"]);
  const word = "abcdefghijklmnopqrstuvwxyzabcd";
  const { lines, size } = put(word);
  assert.ok(size <= BOX.broken && lines.length === 2);
  assert.ok(Math.abs(lines[0].length - lines[1].length) <= 2);
  assert.equal(put(word, { broken: 0.02 }).lines.length, 1);
});

test("of what does not fit at the smallest size, the beginning is shown", () => {
  const { lines, size } = put("x".repeat(256), { least: 0.15, broken: 0.15 });
  assert.equal(size, 0.15);
  assert.ok(lines.length === 2 && lines[1].endsWith("…"));
});

test("lines are as full as they can be, and none is empty", () => {
  const room = { wide: (/** @type {Glyph[]} */ some) => some.length, across: 5, breaks: true };
  assert.deepEqual(wrapped(glyphs("ab cd abcdefgh i"), room)?.map(written), ["ab cd", "abcde", "fgh i"]);
  assert.equal(wrapped(glyphs("abcdefgh"), { ...room, breaks: false }), null);
});

/** Levenshtein's distance by its definition. @param {string} a @param {string} b @returns {number} */
function distance(a, b) {
  if (!a || !b) return a.length + b.length;
  if (a[0] === b[0]) return distance(a.slice(1), b.slice(1));
  return 1 + Math.min(distance(a.slice(1), b), distance(a, b.slice(1)), distance(a.slice(1), b.slice(1)));
}

/** All strings of two letters, up to four long. */
const STRINGS = [0, 1, 2, 3, 4].flatMap((length) =>
  Array.from({ length: 2 ** length }, (_, at) => [...at.toString(2).padStart(length, "0")].slice(0, length).join("")));

test("an alignment leads from one string to the other in the fewest changes", () => {
  for (const before of STRINGS)
    for (const after of STRINGS) {
      const steps = align(before, after);
      assert.equal(steps.map((step) => step.before ?? "").join(""), before);
      assert.equal(steps.map((step) => step.after ?? "").join(""), after);
      assert.equal(steps.filter(({ kind }) => kind !== "same").length, distance(before, after));
      for (const { kind, before: a, after: b } of steps)
        assert.equal(kind, a === null ? "added" : b === null ? "removed" : a === b ? "same" : "changed");
    }
});

/** @param {string} before @param {string} after */
const kinds = (before, after) => align(before, after).map(({ kind }) => kind[0]).join("");

test("letters are compared as they belong together, not place by place", () => {
  assert.equal(kinds("emma", "gemma"), "assss");
  assert.equal(kinds("gemma", "emma"), "rssss");
  assert.equal(kinds("anna", "hannah"), "assssa");
  assert.equal(kinds("isabella", "annabelle"), "ccasssssc");
});

test("of equally many changes, those in the fewest pieces are taken", () => {
  assert.equal(kinds("abcd", "abxbcd"), "ssaass");
  assert.equal(kinds("aa", "aaaaa"), "ssaaa");
});

test("an alignment is said in a sentence", () => {
  assert.equal(told(align("emma", "gemmo")), "From emma to gemmo: 1 letter changed, 1 letter added.");
  assert.equal(told(align("ab", "")), "From ab to empty: 2 letters removed.");
  assert.equal(told(align("emma", "emma")), "Both are emma.");
});

test("an alignment is as large as fits", () => {
  const box = { ratio: 2, column: 0.5, pair: 2.5, most: 0.15, least: 0.01 };
  assert.equal(sizeOf(4, box), 0.15);
  for (const n of [14, 40, 200]) {
    const size = sizeOf(n, box);
    const lines = Math.ceil(n / Math.floor(0.9 / (box.column * size)));
    assert.ok(size < 0.15 && lines * box.pair * size <= 1 / box.ratio);
  }
  assert.equal(sizeOf(100_000, box), 0.01);
});

test("the mask is a pattern of what is made anew; the last mark is that of the rest", () => {
  assert.equal(pattern([0, 1, 1, 0, 0]), ".__.");
  assert.equal(pattern([0, 0, 1]), "..*");
  assert.equal(pattern([1]), "*");
  assert.equal(pattern([0]), "");
});

test("of a text, the lines that hold anything can be chosen, as they are", () => {
  assert.deepEqual(linesOf("a\r\n\n  \n b \n"), ["a", " b "]);
  assert.deepEqual(linesOf("\n"), []);
});

test("strings are taken away as text, and long ones have larger cells", () => {
  const [file, ...more] = text.files(model(8), { id: "n" });
  assert.deepEqual([file.address, file.suffix, more], ["/api/nodes/n/show", ".txt", []]);
  assert.equal(text.size(model(8)), "up to 8 characters");
  const [short, long] = [8, 200].map((length) => text.proportions(model(length)));
  assert.ok(long.least > short.least && long.most > short.most);
});

test("what is pasted is a string, if it is text", () => {
  /** @param {string} words @param {File[]} [files] */
  const pasted = (words, files = []) => text.own?.pasted(/** @type {any} */ ({ files, getData: () => words }));
  assert.equal(pasted("emma")?.type, "text/plain");
  assert.equal(pasted(" \n"), null);
  const file = new File(["x"], "x.txt", { type: "text/plain" });
  assert.equal(pasted("", [file]), file);
  assert.equal(pasted("", [new File([""], "x.png", { type: "image/png" })]), null);
});

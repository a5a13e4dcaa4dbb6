import assert from "node:assert/strict";
import test from "node:test";

import { state } from "../../src/noisekernel/studio/page/lib/state.js";
import { bring, slot, thumbnailOf, unshown, viewerOf } from "../../src/noisekernel/studio/page/viewers/index.js";
import { largestScale, pictures } from "../../src/noisekernel/studio/page/viewers/pictures.js";
import { differences } from "../../src/noisekernel/studio/page/viewers/pictures/difference.js";
import { few, sizeOf, widthFor } from "../../src/noisekernel/studio/page/viewers/pictures/scale.js";
import { cellAt } from "../../src/noisekernel/studio/page/viewers/pictures/sprites.js";

/** @param {number} height @param {number} width @param {string} [kind] */
const model = (height, width, kind = "pictures") => ({
  id: "m", kind, one: "picture", many: "pictures", view: { width, height }, viewer_module: null, classes: [],
  parameters: 1, strength: { measured: true },
});
const wide = model(32, 64);

test("a model's kind says who shows it", () => {
  assert.equal(viewerOf(wide), pictures);
  assert.equal(viewerOf(null).surface, null);
});

test("a kind may bring a viewer along, which is fetched once and serves its own models alone", async () => {
  const theirs = { size: () => "of theirs" };
  Object.assign(globalThis, { theirs });
  const module = (/** @type {string} */ code) => `data:text/javascript,${encodeURIComponent(code)}`;
  const good = { ...model(1, 1), viewer_module: module("export const viewer = globalThis.theirs") };
  const empty = { ...model(1, 1), viewer_module: module("export const other = 1") };
  const broken = { ...model(1, 1), viewer_module: module("throw new Error('no')") };
  assert.match(unshown(good) ?? "", /^This page cannot show pictures: data:/);
  const { error } = console;
  const said = [];
  console.error = (/** @type {unknown} */ one) => said.push(one);
  await bring([wide, good, empty, broken, good]);
  console.error = error;
  assert.equal(viewerOf(good), theirs);
  assert.equal(viewerOf(wide), pictures);
  assert.deepEqual([unshown(good), said.length], [null, 1]);
  for (const lacking of [empty, broken]) {
    assert.match(unshown(lacking) ?? "", /has no viewer that works/);
    assert.equal(viewerOf(lacking).surface, null);
  }
});

test("a kind that the page does not know is told in a sentence, and has a viewer that shows nothing", () => {
  for (const kind of ["smells", "toString"]) {
    const said = unshown(model(1, 1, kind)) ?? "";
    assert.ok(said.startsWith(`This page cannot show data of the kind ${kind}: it knows pictures`));
    const { size, surface, files } = viewerOf(model(1, 1, kind));
    assert.deepEqual([size(wide), surface, files(wide, { id: "n" })], [kind, null, []]);
  }
  assert.equal(unshown(wide), null);
  assert.equal(unshown(null), null);
});

test("pictures are as wide and as high as the server says", () => {
  assert.deepEqual(sizeOf(wide), { width: 64, height: 32 });
  assert.equal(pictures.size(wide), "64×32");
  assert.deepEqual(pictures.proportions(wide), { ratio: 2, whole: 64, least: 56, most: 320 });
  assert.equal(pictures.proportions(model(65, 65)).whole, null);
  assert.deepEqual([few(wide), few(model(64, 65))], [true, false]);
});

test("a single picture is a whole multiple of its pixels while those are few", () => {
  assert.equal(widthFor({ width: 28, height: 28 }, 560), 560);
  assert.equal(widthFor({ width: 8, height: 8 }, 300), 296);
  assert.equal(widthFor({ width: 16, height: 64 }, 560), 8 * 16); // by its longer side
  assert.equal(widthFor({ width: 64, height: 900 }, 560), 64); // never nothing
  assert.equal(widthFor({ width: 100, height: 100 }, 560), 560);
});

test("pictures are saved as they are, and larger as far as the server goes", () => {
  const sizes = [[32, 64], [1024, 1024], [4096, 8]];
  assert.deepEqual(sizes.map(([height, width]) => largestScale(model(height, width))), [8, 4, 1]);
  const [plain, large, ...more] = pictures.files(wide, { id: "n" });
  assert.deepEqual([plain.address, plain.suffix], ["/api/nodes/n/show", ".png"]);
  assert.deepEqual([large.address, large.suffix, more], ["/api/nodes/n/show?scale=8", " 8x.png", []]);
  assert.equal(pictures.files(model(3000, 3000), { id: "n" }).length, 1);
});

test("the pictures of a frame lie in rows", () => {
  const sprite = { columns: 3, width: 8, height: 10 };
  assert.deepEqual([0, 2, 3, 7].map((index) => cellAt(sprite, index)),
    [{ left: 0, top: 0 }, { left: 16, top: 0 }, { left: 0, top: 10 }, { left: 8, top: 20 }]);
});

test("the difference is grey where two pictures agree, brighter where the second is", () => {
  assert.deepEqual([...differences([7, 0, 255, 9], [7, 255, 0, 200])], [128, 255, 0, 255]);
});

test("of what was pasted, the first picture is taken", () => {
  const file = (/** @type {string} */ type) => ({ type });
  const pasted = (/** @type {string[]} */ ...types) =>
    pictures.own?.pasted(/** @type {any} */ ({ files: types.map(file) }));
  assert.equal(pasted("text/plain", "image/webp", "image/png")?.type, "image/webp");
  assert.equal(pasted("text/plain"), null);
  assert.equal(pasted(), null);
});

/** As much of a document as a slot needs. */
function blank() {
  /** @type {any} */
  const element = { attributes: {}, place: null, append() {} };
  /** @param {string} name @param {string} value */
  element.setAttribute = (name, value) => (element.attributes[name] = value);
  element.replaceWith = (/** @type {any} */ other) => {
    other.place = element.place;
    if (other !== element) element.place = null;
  };
  return element;
}

test("a slot holds something of the open model's, made once for each model", () => {
  globalThis.document = /** @type {any} */ ({ createElement: blank });
  /** @type {string[]} */
  const made = [];
  const place = slot((_, { id }) => (id === "none" ? null : (made.push(id), { element: blank(), id })));
  const empty = /** @type {any} */ (place.element);
  empty.place = "here";
  const where = (/** @type {any} */ one) => one?.element.place;

  assert.equal(place.made, null);
  state.model = { ...wide, id: "a" };
  const first = place.made;
  assert.deepEqual([where(first), empty.place, place.made === first, made], ["here", null, true, ["a"]]);
  state.model = { ...wide, id: "b" };
  const second = place.made;
  assert.deepEqual([where(first), where(second), made], [null, "here", ["a", "b"]]);
  state.model = { ...wide, id: "none" };
  assert.deepEqual([place.made, where(second), empty.place], [null, null, "here"]);
  state.model = { ...wide, id: "c" };
  assert.deepEqual([where(place.made), empty.place], ["here", null]);
  state.model = null;
  Reflect.deleteProperty(globalThis, "document");
});

test("where the model is not served, a thumbnail is blank", () => {
  globalThis.document = /** @type {any} */ ({ createElement: blank });
  const { element, show } = thumbnailOf(null);
  show({ id: "n" }, "words");
  assert.deepEqual(/** @type {any} */ (element).attributes, { class: "blank" });
  Reflect.deleteProperty(globalThis, "document");
});

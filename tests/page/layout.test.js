// How the page's scripts are laid out: who may know whom, who may know of pictures, and how long they may be.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const PAGE = join(ROOT, "src/noisekernel/studio/page");
/** Each may import from itself and from those before it. */
const ORDER = ["lib", "viewers", "tools", "views", "main.js"];

const scripts = readdirSync(PAGE, { recursive: true }).map(String).filter((name) => name.endsWith(".js"));
/** @param {string} name */
const content = (name) => readFileSync(join(PAGE, name), "utf8");
/** @param {string} name */
const room = (name) => ORDER.indexOf(name.split("/")[0]);

/** What a script imports, as names of scripts: code and types. @param {string} name */
function imports(name) {
  const found = [...content(name).matchAll(/(?:from|import\()\s*"(\.[^"]+)"/g)];
  return found.map(([, path]) => relative(PAGE, resolve(join(PAGE, name), "..", path)));
}

test("every script is in a room", () => {
  assert.ok(scripts.length > 40);
  for (const name of scripts) assert.ok(room(name) >= 0, name);
});

test("imports lead to scripts that are there, and point one way", () => {
  let count = 0;
  for (const name of scripts)
    for (const other of imports(name)) {
      assert.ok(scripts.includes(other), `${name} imports ${other}, which is not there`);
      assert.ok(room(other) <= room(name), `${name} imports ${other}, which comes after it`);
      count += 1;
    }
  assert.ok(count > 150);
});

test("every script is reached from the page, but for those that are types alone", () => {
  const reached = new Set(["main.js"]);
  for (const name of reached) for (const other of imports(name)) reached.add(other);
  assert.deepEqual(scripts.filter((name) => !reached.has(name)), []);
});

test("only the viewers know of pictures", () => {
  const telling = /\bshape\b|\.png\b|image\/|new Image\(|h\("canvas"|getContext|picture/i;
  const outside = scripts.filter((name) => !name.startsWith("viewers/"));
  for (const name of outside) {
    const line = content(name).split("\n").find((one) => telling.test(one));
    assert.equal(line, undefined, name);
  }
});

test("the lock file pins every package by its hash, and names no host", () => {
  const lock = readFileSync(join(ROOT, "package-lock.json"), "utf8");
  assert.ok(!/:\/\/|"resolved"/.test(lock), "run: npm run lock");
  const { packages } = JSON.parse(lock);
  for (const [name, { integrity }] of Object.entries(packages)) if (name) assert.match(integrity, /^sha512-/, name);
  const { devDependencies, dependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  assert.equal(dependencies, undefined);
  for (const [name, version] of Object.entries(devDependencies)) {
    assert.match(version, /^\d+\.\d+\.\d+$/, name);
    assert.equal(packages[`node_modules/${name}`].version, version);
  }
});

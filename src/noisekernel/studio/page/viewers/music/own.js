// Music of one's own: a melody that is entered on a grid, or a file. What is left empty is filled in by the model.

/** @import { Model } from "../../lib/types.js" */
/** @import { Note, Piece } from "./piece.js" */

import { postNow } from "../../lib/api.js";
import { h, icon, set, text } from "../../lib/dom.js";
import { sentenceOf } from "../../lib/refusal.js";
import { entered, lengthsOf, sung } from "./entry.js";
import { entryBoard } from "./entryboard.js";
import { hearable, playButton } from "./hearing.js";
import { factsOf, pieceOf } from "./piece.js";
import { dot } from "./voices.js";

export const ENDINGS = [".mid", ".midi", ".musicxml", ".mxl", ".xml"];

/** Of several files, the first that may hold music. @param {File[]} files */
export const musicIn = (files) =>
  files.find(({ name, type }) => ENDINGS.some((end) => name.toLowerCase().endsWith(end)) || /midi/.test(type)) ?? null;

/** What is sent to the server: the file itself, or what was entered. @param {File | Piece} own */
export function formOf(own) {
  const form = new FormData();
  if (own instanceof File) form.append("file", own, own.name || "own.mid");
  else form.append("file", new Blob([JSON.stringify(own)], { type: "application/json" }), "own.json");
  return form;
}

/**
 * Ask in a dialog. Resolves to the form to send, or null.
 * @param {Model} model
 * @param {File | null} file what was dropped or pasted
 * @returns {Promise<FormData | null>}
 */
export function askMusic(model, file) {
  return new Promise((resolve) => {
    const facts = factsOf(model);
    const lengths = lengthsOf(facts);
    const pen = { voice: 0, length: (lengths.find(({ label }) => label === "1/4") ?? lengths[0])?.steps ?? 1 };
    /** What is on the grid, and what was before. @type {{ notes: Note[], file: File | null, read: Piece | null,
     *   gapsOpen: boolean }} */
    let now = { notes: [], file: null, read: null, gapsOpen: true };
    /** @type {(typeof now)[]} */
    const past = [];
    let count = 0;
    let timer = 0;

    /** What is drawn and heard: a file as the server read it, or what was entered. @returns {Piece} */
    const piece = () => now.read ?? entered(now.notes, facts, now.gapsOpen);
    /** @returns {File | Piece | null} */
    const own = () => now.file ?? (now.notes.length ? piece() : null);

    const board = entryBoard(model, {
      pen, piece, notes: () => now.notes,
      change(notes, begins) {
        if (begins) past.push(now);
        now = { ...now, notes, file: null, read: null };
        changed();
      },
    });
    const hearing = hearable(model, board.element, { piece, moved: board.moved, id: () => null, pauses: true });
    const { dialog, undo, clear, gaps, sum, problem, notice, use, cancel, choose, input } = parts(model, {
      pen, lengths, changed: board.draw, board: board.element, play: playButton(hearing),
    });

    /** Something else is on the grid. */
    function changed() {
      board.draw();
      undo.disabled = !past.length;
      clear.disabled = !now.notes.length;
      gaps.hidden = now.read !== null;
      set(gaps, "aria-checked", String(now.gapsOpen));
      const voices = facts.voices.filter((_, voice) => sung(now.notes, voice));
      text(sum, now.file ? now.file.name : voices.length ? `entered: ${voices.join(", ")}` : "nothing entered yet");
      use.disabled = true;
      clearTimeout(timer);
      timer = Number(setTimeout(ask, 200));
    }

    /** What the server says of it. */
    async function ask() {
      const mine = ++count;
      const sent = own();
      let answer = { shown: null, said: "" };
      let wrong = "";
      try {
        if (sent) answer = await postNow(`/models/${encodeURIComponent(model.id)}/preview`, formOf(sent));
      } catch (error) {
        wrong = sentenceOf(error);
      }
      if (mine !== count) return;
      text(problem, wrong);
      text(notice, answer.said ?? "");
      use.disabled = !sent || wrong !== "";
      if (!now.file || !answer.shown) return;
      const read = pieceOf(answer.shown);
      now = { ...now, read, notes: read.notes, gapsOpen: read.open.length > 0 }; // rests of a file stay rests
      gaps.hidden = true;
      clear.disabled = false;
      board.draw();
    }

    /** @param {File} given */
    function take(given) {
      past.push(now);
      now = { ...now, notes: [], file: given, read: null };
      changed();
    }

    function back() {
      now = past.pop() ?? now;
      changed();
    }

    /** @param {FormData | null} result */
    function finish(result) {
      clearTimeout(timer);
      count += 1;
      hearing.end();
      dialog.remove();
      resolve(result);
    }

    undo.addEventListener("click", back);
    clear.addEventListener("click", () => {
      past.push(now);
      now = { notes: [], file: null, read: null, gapsOpen: true };
      changed();
    });
    gaps.addEventListener("click", () => {
      now = { ...now, gapsOpen: !now.gapsOpen };
      changed();
    });
    use.addEventListener("click", () => {
      const sent = own();
      if (sent) finish(formOf(sent));
    });
    cancel.addEventListener("click", () => finish(null));
    dialog.addEventListener("close", () => finish(null));
    dialog.addEventListener("keydown", (event) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z") back();
      else if (event.key.toLowerCase() === "h" && !event.ctrlKey && !event.metaKey) hearing.toggle();
      else return;
      event.preventDefault();
    });
    choose.addEventListener("click", () => input.click());
    input.addEventListener("change", () => {
      const chosen = input.files?.[0];
      input.value = "";
      if (chosen) take(chosen);
    });
    document.body.append(dialog);
    dialog.showModal();
    if (file) take(file);
    else changed();
  });
}

/**
 * What the dialog is made of.
 * @param {Model} model
 * @param {{ pen: import("./entryboard.js").Pen, lengths: import("./entry.js").Length[], changed: () => void,
 *   board: HTMLElement, play: HTMLElement }} given
 */
function parts(model, { pen, lengths, changed, board, play }) {
  /** Buttons of which one is on. @param {string} label @param {HTMLButtonElement[]} all @param {number} on
   * @param {(at: number) => void} pick */
  function choice(label, all, on, pick) {
    all.forEach((button, at) => {
      set(button, "role", "radio");
      set(button, "aria-checked", String(at === on));
      button.addEventListener("click", () => {
        all.forEach((other) => set(other, "aria-checked", String(other === button)));
        pick(at);
        changed();
      });
    });
    return h("div", { class: "segments", role: "radiogroup", "aria-label": label }, all);
  }
  const { voices } = factsOf(model);
  const voice = choice("Voice", voices.map((name, at) => h("button", { type: "button" }, dot(at), name)), pen.voice,
    (at) => (pen.voice = at));
  const long = choice("Length of a note",
    lengths.map(({ label, name }) => h("button", { type: "button", title: `${name} note` }, label)),
    lengths.findIndex(({ steps }) => steps === pen.length), (at) => (pen.length = lengths[at].steps));
  const undo = h("button", { type: "button", class: "quiet", title: "Undo (Ctrl+Z)", "aria-label": "Undo" },
    icon("undo"));
  const clear = h("button", { type: "button", class: "quiet", title: "Clear", "aria-label": "Clear" }, icon("trash"));
  const gaps = h("button", { type: "button", role: "switch", class: "switch", "aria-checked": "true",
    title: "Where an entered voice has no note: filled in by the model, or a rest" }, "Fill in gaps too");
  const sum = h("span", { class: "soft small" });
  const problem = h("p", { class: "problem", role: "alert" });
  const notice = h("p", { class: "soft notice", role: "status" });
  const input = h("input", { type: "file", accept: [...ENDINGS, "audio/midi"].join(","), hidden: true });
  const choose = h("button", { type: "button" }, "From a file …");
  const cancel = h("button", { type: "button" }, "Cancel");
  const use = h("button", { type: "button", class: "primary", disabled: true }, "Use it");
  const dialog = h("dialog", { class: "asking composing", "aria-label": "Music of yours" },
    h("h2", {}, "Music of yours"),
    h("p", { class: "soft small" }, "A click puts a note or takes it away, a drag makes it longer or shorter. "
      + "Dots are open: the model fills them in."),
    h("div", { class: "row tools" }, voice, long, h("span", { class: "grow" }), play, undo, clear),
    board, h("div", { class: "row between" }, sum, gaps), problem, notice,
    h("div", { class: "row" }, choose, input, h("span", { class: "grow" }), cancel, use));
  return { dialog, undo, clear, gaps, sum, problem, notice, use, cancel, choose, input };
}

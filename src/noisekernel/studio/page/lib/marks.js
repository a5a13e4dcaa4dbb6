// Which parts of an example are made anew: 1 = made anew, 0 = kept bit for bit, with a memory of its own strokes. What
// a part is (a pixel, a letter, a column) is the viewer's to know.

export class Marks {
  /** @param {number} length */
  constructor(length) {
    /** @type {Uint8Array} */
    this.cells = new Uint8Array(length);
    /** @type {Uint8Array[]} */
    this.past = [];
    /** What was undone, until there is a new stroke. @type {Uint8Array[]} */
    this.future = [];
  }

  get empty() {
    return !this.cells.includes(1);
  }

  /** How much of it is made anew. */
  get share() {
    return this.cells.length ? this.cells.reduce((sum, one) => sum + one, 0) / this.cells.length : 0;
  }

  /** Before a stroke, so that it is undone as one. */
  remember() {
    this.past.push(this.cells.slice());
    if (this.past.length > 100) this.past.shift();
    this.future = [];
  }

  /**
   * A stroke begins. The first lock on what is clean means: keep this, make the rest anew.
   * @param {"anew" | "lock"} kind
   */
  begin(kind) {
    this.remember();
    if (kind === "lock" && this.empty) this.cells.fill(1);
  }

  undo() {
    return this.step(this.past, this.future);
  }

  redo() {
    return this.step(this.future, this.past);
  }

  /**
   * From one list of states to the other; whether there was any.
   * @param {Uint8Array[]} from
   * @param {Uint8Array[]} to
   */
  step(from, to) {
    const next = from.pop();
    if (!next) return false;
    to.push(this.cells);
    this.cells = next;
    return true;
  }

  clear() {
    this.remember();
    this.cells.fill(0);
  }

  invert() {
    this.remember();
    this.cells = this.cells.map((one) => 1 - one);
  }
}

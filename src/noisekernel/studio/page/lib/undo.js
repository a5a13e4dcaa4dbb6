// What was done and what was taken back, each newest last. An entry knows how to undo itself on the server, and how to
// do itself again. Pure: what is said about it is said in doing.js.

/** @typedef {{ label: string, back: () => unknown, again: () => unknown }} Entry */

export class UndoList {
  /** @param {number} [most] how many entries are remembered */
  constructor(most = 100) {
    this.most = most;
    /** @type {Entry[]} */
    this.done = [];
    /** Until something new is done. @type {Entry[]} */
    this.undone = [];
  }

  /**
   * @param {string} label
   * @param {() => unknown} back
   * @param {() => unknown} again
   */
  remember(label, back, again) {
    const entry = { label, back, again };
    this.done.push(entry);
    if (this.done.length > this.most) this.done.shift();
    this.undone.length = 0;
    return entry;
  }

  /**
   * Do what shows at once and can be taken back: from that moment on, even before the server has answered. Both send
   * all their changes at once, so that whatever is done next comes after them. `doing` is run again to redo it.
   * @param {string} label
   * @param {() => Promise<unknown>} doing
   * @param {() => unknown} back
   */
  async act(label, doing, back) {
    const going = doing();
    const entry = this.remember(label, back, doing);
    try {
      await going;
    } catch (error) {
      this.drop(entry);
      throw error;
    }
    return entry;
  }

  /** Take an entry back; the last one where none is named. Null: there was nothing. @param {Entry} [entry] */
  undo(entry = this.done.at(-1)) {
    return this.move(entry, this.done, this.undone, (one) => one.back());
  }

  /** @param {Entry} [entry] */
  redo(entry = this.undone.at(-1)) {
    return this.move(entry, this.undone, this.done, (one) => one.again());
  }

  /**
   * From one list to the other, at once; what the server refuses is in neither.
   * @param {Entry | undefined} entry
   * @param {Entry[]} from
   * @param {Entry[]} to
   * @param {(entry: Entry) => unknown} run
   * @returns {Promise<Entry | null>}
   */
  async move(entry, from, to, run) {
    if (!entry || !from.includes(entry)) return null;
    from.splice(from.indexOf(entry), 1);
    to.push(entry);
    try {
      await run(entry);
    } catch (error) {
      this.drop(entry);
      throw error;
    }
    return entry;
  }

  /** @param {Entry} entry */
  drop(entry) {
    for (const list of [this.done, this.undone]) if (list.includes(entry)) list.splice(list.indexOf(entry), 1);
  }

  forget() {
    this.done.length = 0;
    this.undone.length = 0;
  }
}

// The mask at the picture's own resolution: 1 = made anew, 0 = kept bit for bit. No drawing here, so it can be reasoned about.

export class Mask {
  constructor(width, height) {
    this.width = width;
    this.height = height;
    this.cells = new Uint8Array(width * height);
    this.past = [];
    this.future = []; // what was undone, until there is a new stroke
  }

  get empty() {
    return !this.cells.includes(1);
  }

  get share() {
    return this.cells.reduce((sum, one) => sum + one, 0) / this.cells.length;
  }

  /** Before a stroke, so that it is undone as one. */
  remember() {
    this.past.push(this.cells.slice());
    if (this.past.length > 100) this.past.shift();
    this.future = [];
  }

  undo() {
    return this.step(this.past, this.future);
  }

  redo() {
    return this.step(this.future, this.past);
  }

  /** From one list of states to the other; whether there was any. */
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

  /** A round dab; `size` is its diameter in pixels. A size of 1 is one pixel. */
  dab(x, y, size, value) {
    const radius = size / 2;
    // Centred on a pixel or on a corner, as the size is odd or even: a circle without warts.
    const snap = (at) => (size % 2 ? Math.floor(at) + 0.5 : Math.round(at));
    const [cx, cy] = [snap(x), snap(y)];
    for (let row = Math.floor(cy - radius); row < cy + radius; row++)
      for (let column = Math.floor(cx - radius); column < cx + radius; column++) {
        if (row < 0 || column < 0 || row >= this.height || column >= this.width) continue;
        if ((column + 0.5 - cx) ** 2 + (row + 0.5 - cy) ** 2 <= radius ** 2) this.cells[row * this.width + column] = value;
      }
  }

  /** Dabs along a line, close enough to leave no holes. */
  stroke(from, to, size, value) {
    const length = Math.hypot(to.x - from.x, to.y - from.y);
    const dabs = Math.max(1, Math.ceil(length / 0.5));
    for (let at = 0; at <= dabs; at++) this.dab(from.x + ((to.x - from.x) * at) / dabs, from.y + ((to.y - from.y) * at) / dabs, size, value);
  }

  /** How new each pixel will be: 1 deep inside, less within `feather` pixels of the edge, 0 outside always. */
  softened(feather) {
    const soft = Float32Array.from(this.cells);
    if (feather <= 0) return soft;
    const reach = Math.ceil(feather);
    for (let row = 0; row < this.height; row++)
      for (let column = 0; column < this.width; column++) {
        const at = row * this.width + column;
        if (!this.cells[at]) continue;
        let nearest = Infinity;
        for (let dy = -reach; dy <= reach; dy++)
          for (let dx = -reach; dx <= reach; dx++) {
            const [y, x] = [row + dy, column + dx];
            if (y < 0 || x < 0 || y >= this.height || x >= this.width || this.cells[y * this.width + x]) continue;
            nearest = Math.min(nearest, Math.hypot(dx, dy));
          }
        soft[at] = Math.min(1, nearest / (feather + 1));
      }
    return soft;
  }

  /** A PNG in base64, white = made anew. */
  async png() {
    const canvas = new OffscreenCanvas(this.width, this.height);
    const image = new ImageData(this.width, this.height);
    this.cells.forEach((one, at) => image.data.set([255 * one, 255 * one, 255 * one, 255], 4 * at));
    canvas.getContext("2d").putImageData(image, 0, 0);
    const bytes = new Uint8Array(await (await canvas.convertToBlob({ type: "image/png" })).arrayBuffer());
    return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  }
}

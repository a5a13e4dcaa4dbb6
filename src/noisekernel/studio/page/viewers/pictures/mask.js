// The marks of a picture, at its own resolution. No drawing here, so it can be reasoned about.

import { Marks } from "../../lib/marks.js";

/** @typedef {{ x: number, y: number }} Spot in pixels of the picture; a pixel's middle is at a half */

export class PixelMask extends Marks {
  /** @param {number} width @param {number} height */
  constructor(width, height) {
    super(width * height);
    this.width = width;
    this.height = height;
  }

  /** Whether the pixel is in the picture and made anew. @param {number} x @param {number} y */
  at(x, y) {
    return x >= 0 && y >= 0 && x < this.width && y < this.height && this.cells[y * this.width + x] === 1;
  }

  /**
   * A round dab; `size` is its diameter in pixels. A size of 1 is one pixel.
   * @param {number} x
   * @param {number} y
   * @param {number} size
   * @param {0 | 1} value
   */
  dab(x, y, size, value) {
    const radius = size / 2;
    // Centred on a pixel or on a corner, as the size is odd or even: a circle without warts.
    const snap = (/** @type {number} */ at) => (size % 2 ? Math.floor(at) + 0.5 : Math.round(at));
    const [cx, cy] = [snap(x), snap(y)];
    for (let row = Math.max(0, Math.floor(cy - radius)); row < Math.min(this.height, cy + radius); row++)
      for (let column = Math.max(0, Math.floor(cx - radius)); column < Math.min(this.width, cx + radius); column++) {
        const inside = (column + 0.5 - cx) ** 2 + (row + 0.5 - cy) ** 2 <= radius ** 2;
        if (inside) this.cells[row * this.width + column] = value;
      }
  }

  /**
   * Dabs along a line, close enough to leave no holes.
   * @param {Spot} from
   * @param {Spot} to
   * @param {number} size
   * @param {0 | 1} value
   */
  stroke(from, to, size, value) {
    const length = Math.hypot(to.x - from.x, to.y - from.y);
    const dabs = Math.max(1, Math.ceil(length / 0.5));
    for (let at = 0; at <= dabs; at++) {
      const share = at / dabs;
      this.dab(from.x + (to.x - from.x) * share, from.y + (to.y - from.y) * share, size, value);
    }
  }

  /**
   * How new each pixel will be: 1 deep inside, less within `feather` pixels of the edge, 0 outside always.
   * @param {number} feather
   */
  softened(feather) {
    const soft = Float32Array.from(this.cells);
    if (feather <= 0) return soft;
    for (let y = 0; y < this.height; y++)
      for (let x = 0; x < this.width; x++)
        if (this.at(x, y)) soft[y * this.width + x] = Math.min(1, this.toEdge(x, y, feather) / (feather + 1));
    return soft;
  }

  /**
   * How far the nearest pixel is that is kept, within `reach`; Infinity: there is none.
   * @param {number} x
   * @param {number} y
   * @param {number} reach
   */
  toEdge(x, y, reach) {
    const far = Math.ceil(reach);
    let nearest = Infinity;
    for (let row = Math.max(0, y - far); row <= Math.min(this.height - 1, y + far); row++)
      for (let column = Math.max(0, x - far); column <= Math.min(this.width - 1, x + far); column++)
        if (!this.at(column, row)) nearest = Math.min(nearest, Math.hypot(column - x, row - y));
    return nearest;
  }

  /** The lines between what is made anew and what is kept, or the picture's end. @returns {[Spot, Spot][]} */
  edges() {
    /** @type {[Spot, Spot][]} */
    const found = [];
    for (let y = 0; y < this.height; y++)
      for (let x = 0; x < this.width; x++) {
        if (!this.at(x, y)) continue;
        if (!this.at(x - 1, y)) found.push([{ x, y }, { x, y: y + 1 }]);
        if (!this.at(x + 1, y)) found.push([{ x: x + 1, y }, { x: x + 1, y: y + 1 }]);
        if (!this.at(x, y - 1)) found.push([{ x, y }, { x: x + 1, y }]);
        if (!this.at(x, y + 1)) found.push([{ x, y: y + 1 }, { x: x + 1, y: y + 1 }]);
      }
    return found;
  }

  /** A PNG in base64, white = made anew. */
  async png() {
    const canvas = new OffscreenCanvas(this.width, this.height);
    const image = new ImageData(this.width, this.height);
    this.cells.forEach((one, at) => image.data.set([255 * one, 255 * one, 255 * one, 255], 4 * at));
    canvas.getContext("2d")?.putImageData(image, 0, 0);
    const bytes = new Uint8Array(await (await canvas.convertToBlob({ type: "image/png" })).arrayBuffer());
    return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  }
}

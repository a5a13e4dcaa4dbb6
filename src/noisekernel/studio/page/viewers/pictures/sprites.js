// All pictures of a frame come as one, the sprite: cell by cell, row by row.

/** @import { FrameNews } from "../../lib/types.js" */

/** @typedef {{ image: CanvasImageSource, columns: number, width: number, height: number }} Sprite */

/** @param {FrameNews} news @returns {Promise<{ clean: Sprite, noisy: Sprite }>} */
export async function readSprites({ clean, noisy, columns, cell: [width, height] }) {
  const images = await Promise.all([loaded(clean), loaded(noisy)]);
  const [first, second] = images.map((image) => ({ image, columns, width, height }));
  return { clean: first, noisy: second };
}

/** A picture of the browser's, once it is there. @param {string} address */
export async function loaded(address) {
  const image = new Image();
  image.src = address;
  await image.decode();
  return image;
}

/**
 * Where picture `index` begins in its sprite.
 * @param {Pick<Sprite, "columns" | "width" | "height">} sprite
 * @param {number} index
 */
export function cellAt({ columns, width, height }, index) {
  return { left: (index % columns) * width, top: Math.floor(index / columns) * height };
}

// How large pictures are: in pixels of their own, and on the page.

/** @import { Model } from "../../lib/types.js" */

/** @param {Pick<Model, "view">} model @returns {{ width: number, height: number }} */
export const sizeOf = ({ view: { width, height } }) => ({ width, height });

/** Whether the pixels are so few that each is shown as the square that it is. @param {Pick<Model, "view">} model */
export const few = (model) => sizeOf(model).width <= 64;

/**
 * The width of a single picture on the page: a whole multiple of its own pixels while those are few, so that all pixels
 * are equal.
 * @param {{ width: number, height: number }} size
 * @param {number} most
 */
export function widthFor({ width, height }, most) {
  if (width > 64) return most;
  return Math.max(1, Math.floor(most / Math.max(width, height))) * width;
}

/**
 * @param {HTMLElement} element
 * @param {Pick<Model, "view">} model
 * @param {number} [most] pixels of the page
 */
export function enlarge(element, model, most = 560) {
  const { width, height } = sizeOf(model);
  element.classList.toggle("pixels", few(model));
  element.style.setProperty("--ratio", `${width} / ${height}`);
  element.style.setProperty("--shape", String(width / height));
  element.style.setProperty("--unit", few(model) ? `${width}px` : "1px");
  element.style.setProperty("--large", `${widthFor({ width, height }, most)}px`);
}

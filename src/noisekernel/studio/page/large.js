// How large a single picture is shown: a whole multiple of its own pixels while those are few, so that all are equal.

import { state } from "./state.js";

export function enlarge(element, most = 560) {
  const [height, width] = state.model.shape.slice(-2);
  const few = width <= 64;
  element.classList.toggle("pixels", few);
  element.style.setProperty("--ratio", `${width} / ${height}`);
  element.style.setProperty("--shape", String(width / height));
  element.style.setProperty("--unit", few ? `${width}px` : "1px");
  element.style.setProperty("--large", `${few ? Math.floor(most / Math.max(width, height)) * width : most}px`);
}

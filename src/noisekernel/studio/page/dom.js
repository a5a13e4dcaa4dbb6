// Elements in one line. Styles go through CSSOM, never through attributes: the page's policy forbids those.

const SVG = "http://www.w3.org/2000/svg";
const DRAWN = new Set(["svg", "path", "circle", "line", "g", "rect"]);

/** h("button", { class: "x", onclick: f, "aria-label": "…" }, children…) */
export function h(tag, props = {}, ...children) {
  const element = DRAWN.has(tag) ? document.createElementNS(SVG, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked" || name === "disabled") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(2).filter((child) => child !== undefined && child !== null && child !== false));
  return element;
}

/** Set an attribute only when it changed, so that screen readers are not told the same thing again. */
export function set(element, name, value) {
  if (value === null || value === undefined || value === false) element.removeAttribute(name);
  else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value === true ? "" : value);
}

export function text(element, words) {
  if (element.textContent !== words) element.textContent = words;
}

const ICONS = {
  like: "M7 11v9H4v-9zM7 11l4-8c1.5 0 2.5 1 2.5 2.500V9H19a1.5 1.5 0 0 1 1.5 1.800l-1.3 7.500A2 2 0 0 1 17.2 20H7",
  dislike: "M17 13V4h3v9zM17 13l-4 8c-1.5 0-2.5-1-2.5-2.500V15H5a1.5 1.5 0 0 1-1.5-1.800l1.3-7.500A2 2 0 0 1 6.8 4H17",
  star: "M12 3.500l2.6 5.4 5.9.8-4.3 4.1 1 5.9-5.2-2.8-5.2 2.8 1-5.900L3.5 9.700l5.9-.8z",
  pick: "M5 12.500l4.5 4.500L19 7.5",
  undo: "M8 5L4 9l4 4M4 9h10a5.5 5.5 0 0 1 0 11h-4",
  redo: "M16 5l4 4-4 4M20 9H10a5.5 5.5 0 0 0 0 11h4",
  trash: "M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13M10.5 11v5.500M13.5 11v5.5",
  save: "M12 4v11M7.5 11L12 15.5 16.5 11M5 19.500h14",
  compare: "M4 5h7v14H4zM13 5h7v14h-7z",
  plus: "M12 5v14M5 12h14",
  play: "M8 5l11 7-11 7z",
  pause: "M8 5v14M16 5v14",
  stop: "M6.5 6.500h11v11h-11z",
  record: "M12 6a6 6 0 1 0 .01 0z",
  sun: "M12 8a4 4 0 1 0 .01 0zM12 2.500v2M12 19.500v2M2.5 12h2M19.5 12h2M5.3 5.300l1.4 1.400M17.3 17.300l1.4 1.400M18.7 5.300l-1.4 1.400M6.7 17.300l-1.4 1.4",
  moon: "M19.5 14.500A8 8 0 1 1 9.5 4.500a6.5 6.5 0 0 0 10 10z",
  close: "M6 6l12 12M18 6L6 18",
  brush: "M19.5 4.500l-9 9M12.5 15.500c0 3-2.5 4.5-6.5 4.5 1.5-1 1.5-2 1.5-3.5 0-2 1-3 2.5-3s2.5 1 2.5 2z",
  lock: "M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3",
  invert: "M12 4a8 8 0 1 0 .01 0zM12 4v16M12 8h6M12 12h8M12 16h6",
  more: "M6 12h.01M12 12h.01M18 12h.01",
  down: "M7 10l5 5 5-5",
  left: "M14 6l-6 6 6 6",
  right: "M10 6l6 6-6 6",
  walk: "M3 12c2-6 4-6 6 0s4 6 6 0 4-6 6 0",
  vary: "M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z",
  heart: "M12 20S4 15 4 9.300A4.3 4.3 0 0 1 12 7a4.3 4.3 0 0 1 8 2.300C20 15 12 20 12 20z",
  size: "M4 13h7v7H4zM9 9V4h11v11h-5",
  again: "M5 12a7 7 0 1 1 2 5M5 20v-4h4",
};

export function icon(name) {
  return h("svg", { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true" }, h("path", { d: ICONS[name] }));
}

/** A button that shows an icon and says its name to those who do not see it. */
export function iconButton(name, label, onclick, more = {}) {
  return h("button", { type: "button", class: "quiet", "aria-label": label, title: label, onclick, ...more }, icon(name));
}

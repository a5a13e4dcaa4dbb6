// Dark or light: the system's wish, until the switch says otherwise; remembered in this browser.

const root = document.documentElement;
const wish = matchMedia("(prefers-color-scheme: light)");

export const theme = () => root.dataset.theme ?? (wish.matches ? "light" : "dark");

export function restore() {
  const kept = localStorage.getItem("nk-theme");
  if (kept) root.dataset.theme = kept;
}

export function turn() {
  root.dataset.theme = theme() === "dark" ? "light" : "dark";
  localStorage.setItem("nk-theme", root.dataset.theme);
  return theme();
}

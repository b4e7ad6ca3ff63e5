// Small helpers of the page.
import * as server from "/server.js";

export const $ = (id) => document.getElementById(id);

export function element(tag, properties, children = []) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children.filter((child) => child !== null));
  return made;
}

export function button(text, onclick, className = "") {
  return element("button", { textContent: text, onclick, className });
}

let timer;
export function toast(text) {
  $("toast").textContent = text;
  $("toast").hidden = false;
  clearTimeout(timer);
  timer = setTimeout(() => { $("toast").hidden = true; }, 4000);
}

// Sends a request of the user; what went wrong is shown. Whether it was done.
export async function post(path, body = {}) {
  const problem = await server.post(path, body);
  if (problem) toast(problem);
  return problem === null;
}

// Replaces a list's rows; the row and the button that had the keyboard have it again.
export function fill(list, rows) {
  const active = document.activeElement;
  const row = list.contains(active) ? active.closest("li") : null;
  const place = row ? [row, ...row.querySelectorAll("button, input")].indexOf(active) : -1;
  list.replaceChildren(...rows);
  const next = row && rows.find((one) => one.dataset.id && one.dataset.id === row.dataset.id);
  if (next) [next, ...next.querySelectorAll("button, input")][place]?.focus({ preventScroll: true });
}

// The colour of a peer, the same on every page: a hue from its key.
export const hue = (id) => (parseInt(id.slice(0, 6), 16) * 137) % 360;
export const color = (id) => `hsl(${hue(id)} 75% 55%)`;

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
// Says something for a while; `action` is what a button beside it does, as [its word, a function].
export function toast(text, action = null) {
  $("toast-text").textContent = text;
  $("toast").hidden = false;
  $("toast-button").hidden = action === null;
  if (action) {
    $("toast-button").textContent = action[0];
    $("toast-button").onclick = () => { $("toast").hidden = true; action[1](); };
  }
  clearTimeout(timer);
  timer = setTimeout(() => { $("toast").hidden = true; }, action ? 10000 : 4000);
}

let answer = () => {};
// Asks the user, and gives the word that was chosen; of a question whose place another one takes, the last word.
export function ask(text, words) {
  answer(null);
  $("question-text").textContent = text;
  $("question").hidden = false;
  return new Promise((resume) => {
    answer = (word) => { $("question").hidden = true; resume(word ?? words.at(-1)); };
    $("answers").replaceChildren(...words.map((word) => button(word, () => answer(word))));
    $("answers").firstChild.focus();
  });
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

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
  if (problem) toast(seenName(problem));
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

// ---- Names, which anybody may choose

// Characters that people do not see, or that change what stands beside them: controls, formats, separators other than one
// space, fillers and private ones. A joiner between two pictures makes one of them, and a selector after one shapes it.
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\ufffc\u{e0100}-\u{e01ef}]|(?! )\p{Zs}|^ +| +$| {2,}/gu;
const PICTURES = /\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?(\u200d\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?)*/gu;

// The parts of a name: [text, whether people would not see it].
function parts(name) {
  const found = [];
  const seen = (text) => { if (text) found.push([text, false]); };
  const plain = (text) => {
    let at = 0;
    for (const { 0: hidden, index } of text.matchAll(UNSEEN)) {
      seen(text.slice(at, index));
      const code = hidden.codePointAt(0);
      found.push([hidden.startsWith(" ") ? "␣".repeat(hidden.length) : `[U+${code.toString(16).toUpperCase().padStart(4, "0")}]`, true]);
      at = index + hidden.length;
    }
    seen(text.slice(at));
  };
  let at = 0;
  for (const { 0: picture, index } of name.matchAll(PICTURES)) {
    plain(name.slice(at, index));
    seen(picture);
    at = index + picture.length;
  }
  plain(name.slice(at));
  return found;
}

// A name of which nothing is invisible, for an element of its own.
export const seenName = (name) => parts(name).map(([text]) => text).join("");
// The same for a sentence: it turns the direction of nothing outside.
export const plainName = (name) => `\u2068${seenName(name)}\u2069`;

// A name as an element, cut where it is too long; the whole of it shows under the pointer.
export function nameOf(name, className = "name") {
  const children = parts(name).map(([text, isUnseen]) => (isUnseen ? element("span", { className: "unseen", textContent: text }) : text));
  return element("bdi", { className: `cut ${className}`, title: plainName(name) }, children);
}

// ---- Colours

let colors = {};
// The numbers of the peers' colours, as the server assigns them in turn.
export function setColors(numbers) { colors = numbers; }
// Neighbours in the turn lie the golden angle apart, so that any beginning of it is spread over the circle.
export const hue = (id) => (172 + (colors[id] ?? 0) * 137.508) % 360;
export const color = (id) => `hsl(${hue(id)} 75% 55%)`;

// The labels in the picture. They avoid each other: the nearer one keeps its place, another moves up or down beside it, and one
// without room waits until the picture gives it some. However many anchors there are, only so many labels are drawn.
import { $, color, element, seenName } from "/dom.js";
import { now, view } from "/stage.js";

const MOST = 150; // labels in the picture
const HEIGHT = 24; // CSS pixels of a label with the air around it
// How far above its place the middle of a label may stand, in heights; the first that is free is taken.
const STEPS = [1.1, 2.1, -1.1, 3.1];

const pen = document.createElement("canvas").getContext("2d");
pen.font = '12px system-ui, "Noto Sans", "DejaVu Sans", sans-serif';
const widths = new Map();

let things = []; // what may have a label
const elements = new Map(); // the label of each thing that has one, by id: one that stays is the same, or a press on it is lost

// Each thing has an id, a text, a place in the picture's axes, a class, the id of its author and, where it can be chosen, of its anchor.
export function setLabels(list) {
  things = list.map((thing) => ({ ...thing, text: seenName(thing.text) }));
  const ids = new Set(things.map(({ id }) => id));
  for (const [id, label] of elements) {
    if (!ids.has(id)) { label.remove(); elements.delete(id); }
  }
  for (const thing of things) if (elements.has(thing.id)) dress(elements.get(thing.id), thing);
  place();
}

function dress(label, { text, kind, author, anchor, place, title }) {
  if (label.textContent !== text) label.textContent = text;
  label.className = `${kind} ${anchor && anchor === now.selected ? "selected" : ""}`;
  label.style.borderColor = author && kind !== "plane" ? color(author) : "";
  Object.assign(label, { anchor, place, title: title ?? "" });
}

function width(text) {
  if (widths.size > 20000) widths.clear();
  if (!widths.has(text)) widths.set(text, Math.min(180, pen.measureText(text).width + 22));
  return widths.get(text);
}

// Places all labels for the picture as it is.
function place() {
  const [low, high] = view.clip;
  const { clientWidth, clientHeight } = $("view");
  const seen = [];
  for (const thing of things) {
    const at = view.camera.project(thing.place);
    const isCut = thing.kind === "plane" && thing.place.some((v, axis) => v < low[axis] || v > high[axis]);
    if (!at || isCut || at.x < 0 || at.x > 1 || at.y < -0.02 || at.y > 1.05) continue;
    const rank = thing.anchor === now.selected && thing.anchor ? -1e9 : at.depth;
    seen.push({ thing, rank, x: at.x * clientWidth, y: at.y * clientHeight, depth: at.depth });
  }
  seen.sort((a, b) => a.rank - b.rank);
  const taken = new Map(); // by row of the picture: where it is taken, from and to
  const shown = new Set();
  for (const one of seen) {
    if (shown.size >= MOST) break;
    const half = width(one.thing.text) / 2;
    const rise = STEPS.find((step) => isFree(taken, one.x - half, one.x + half, one.y - step * HEIGHT));
    if (rise === undefined && one.rank >= 0) continue;
    take(taken, one.x - half, one.x + half, one.y - (rise ?? STEPS[0]) * HEIGHT);
    shown.add(one.thing.id);
    stand(one, rise ?? STEPS[0]);
  }
  for (const [id, label] of elements) {
    label.hidden = !shown.has(id);
    if (!label.hidden || elements.size <= 2 * MOST) continue;
    label.remove();
    elements.delete(id);
  }
}

function stand({ thing, x, y, depth }, rise) {
  let label = elements.get(thing.id);
  if (!label) {
    label = $("labels").appendChild(element("div", {}));
    elements.set(thing.id, label);
    dress(label, thing);
  }
  label.style.transform = `translate(${x}px, ${y}px) translate(-50%, calc(-50% - ${rise * HEIGHT}px))`;
  label.style.zIndex = Math.max(0, 100000 - Math.round(depth * 100));
}

const rows = (y) => [Math.floor((y - HEIGHT / 2) / HEIGHT), Math.floor((y + HEIGHT / 2 - 1) / HEIGHT)];

function isFree(taken, from, to, y) {
  return rows(y).every((row) => (taken.get(row) ?? []).every((other) => {
    return other.to <= from || other.from >= to || Math.abs(other.y - y) >= HEIGHT;
  }));
}

function take(taken, from, to, y) {
  for (const row of new Set(rows(y))) taken.set(row, [...(taken.get(row) ?? []), { from, to, y }]);
}

view.followers.push(place);

// The list of anchors, their labels in the picture, and what is done to one of them.
import { $, color, element, fill, nameOf, plainName, post, toast } from "/dom.js";
import { setLabels } from "/labels.js";
import { now, view } from "/stage.js";

const place = (anchor) => anchor.transform.slice(12, 15);
// An anchor where somebody drags it at this moment, here or on another page.
const shown = (anchor) => {
  if (now.hand?.id === anchor.id) return { ...anchor, transform: [...anchor.transform.slice(0, 12), ...now.hand.place, 1] };
  const drag = now.state.drags.find((one) => one.id === anchor.id);
  return drag ? { ...anchor, transform: drag.transform } : anchor;
};
// A place as people read it: in the frame of the map's file.
const numbers = (place) => place.map((v, axis) => (v + (now.state.map?.origin[axis] ?? 0)).toFixed(2)).join(" ");
const name = (anchor) => anchor.name || "unnamed";
// The same in a sentence of the page.
const said = (anchor) => plainName(name(anchor));
const find = (id) => now.state?.anchors.find((anchor) => anchor.id === id);
// Those that the list and the picture show.
const isVisible = (anchor) => (!anchor.isPlane || $("planes").checked) && isSought(anchor);
const visible = () => now.state.anchors.filter(isVisible);

let drawn = "";
// The ids of the list's rows: an anchor that is new comes last, so that no row moves under the pointer.
let order = [];

export function showAnchors() {
  if (!now.state) return;
  if (!find(now.selected)) Object.assign(now, { selected: null, isMoving: false, isMeasuring: false });
  if (!find(now.edited)) now.edited = null;
  if (now.measured?.some((end) => end.id && !find(end.id))) now.measured = null;
  $("anchor-count").textContent = now.state.anchorCount;
  showTools();
  showList();
  showPlaces();
}

// ---- The list

const ROWS = 200; // rows that are drawn at most
let height = 34; // CSS pixels of a row

// Draws the rows about those that can be seen. A list that is built again loses the word that is being written and the button
// that is being pressed.
function showList() {
  const { edited } = now;
  const list = $("anchors");
  const isHeld = list.matches(":hover");
  const anchors = visible();
  const here = new Map(anchors.map((anchor) => [anchor.id, anchor]));
  const known = new Set(order);
  order = order.filter((id) => isHeld || here.has(id)).concat(anchors.map(({ id }) => id).filter((id) => !known.has(id)));
  const above = document.querySelector("aside").getBoundingClientRect().top - list.getBoundingClientRect().top;
  const first = Math.max(0, Math.min(order.length - ROWS, Math.floor(above / height) - ROWS / 3)) | 0;
  const ids = order.slice(first, first + ROWS);
  const next = JSON.stringify([first, order.length, ids.map((id) => here.get(id)), edited, now.selected, now.state.map?.origin]);
  if (next === drawn || edited && document.activeElement?.matches("#anchors input")) return;
  drawn = next;
  const gap = (count) => {
    const made = element("li", { className: "gap" });
    made.style.height = `${count * height}px`;
    return made;
  };
  const rows = ids.map((id) => (here.has(id) ? row(here.get(id)) : element("li", { className: "gone", textContent: "gone" })));
  const [before, behind] = [first, order.length - first - ids.length];
  fill(list, [...(before ? [gap(before)] : []), ...rows, ...(behind ? [gap(behind)] : [])]);
  height = rows[0]?.offsetHeight || height;
}

document.querySelector("aside").addEventListener("scroll", () => { if (now.state && order.length > ROWS) showList(); });
$("anchors").onpointerleave = showAnchors;

// ---- The picture

let marked = [];

// Puts labels and axes where things are now: sixty times a second while somebody drags one.
export function showPlaces() {
  if (!now.state) return;
  const { devices, drags, pointers } = now.state;
  const held = new Set([...drags.map(({ id }) => id), now.hand?.id]);
  // Those of a map's file are no anchors of the session until the map is sent.
  const known = new Set(now.state.anchors.map(({ id }) => id));
  const filed = now.state.filed.filter((anchor) => !known.has(anchor.id) && isVisible(anchor));
  const anchors = visible();
  const still = [...anchors.filter(({ id }) => !held.has(id)), ...filed];
  const moving = anchors.filter(({ id }) => held.has(id)).map(shown);
  setLabels([
    ...anchors.map((anchor) => label(shown(anchor), anchor.isPlane ? "plane" : "")), ...filed.map((anchor) => label(anchor, "filed")),
    ...devices.map((device) => label(device, "device")), ...pointers.map((pointer) => label(pointer, "pointer")),
  ]);
  const next = [view.upright.axis, view.tints, view.radius, ...still];
  if (next.length !== marked.length || next.some((one, index) => one !== marked[index])) {
    marked = next;
    view.mark(still);
  }
  view.markMoving(moving, devices, pointers, measured() ?? []);
}

// Graphics that came back have lost the marks.
export function forgetMarks() { marked = []; }

function label(thing, kind) {
  return {
    id: thing.id, text: name(thing), kind, place: view.upright.shown(place(thing)), author: thing.peer ?? thing.creator?.id,
    anchor: ["device", "filed", "pointer"].includes(kind) ? null : thing.id,
    title: kind === "filed" ? "in the file; an anchor of the session once the map is sent" : "",
  };
}

function isSought(anchor) {
  const words = $("search").value.toLowerCase();
  return !words || `${anchor.name}\n${anchor.creator?.name ?? ""}`.toLowerCase().includes(words);
}

function row(anchor) {
  const isSelected = anchor.id === now.selected;
  const title = anchor.id === now.edited ? nameField(anchor) : nameOf(name(anchor));
  const made = element("li", { className: isSelected ? "selected" : "", tabIndex: 0 }, [
    element("span", { className: "place", textContent: numbers(place(anchor)) }),
    title,
    anchor.creator ? element("span", { className: "author" }, ["by ", nameOf(anchor.creator.name, "")]) : null,
  ]);
  made.dataset.id = anchor.id;
  if (anchor.creator) made.style.borderLeftColor = color(anchor.creator.id);
  made.onclick = (event) => { if (!event.target.closest("button, input")) choose(anchor.id); };
  made.ondblclick = (event) => { if (!event.target.closest("button, input")) fly(anchor); };
  made.onkeydown = (event) => {
    if (event.target !== made) return;
    if (event.key === "Enter") fly(anchor);
    else if (event.key === " ") choose(anchor.id);
    else if (event.key === "F2") edit(anchor.id);
    else if (event.key === "Delete") remove(anchor.id);
    else return;
    event.preventDefault();
  };
  return made;
}

// Selects an anchor and flies to it.
function fly(anchor) {
  if (now.selected !== anchor.id) choose(anchor.id);
  view.fly(place(shown(anchor)));
}

// The tools of the chosen anchor have a place of their own, and words that do not change: a second click hits the same one.
function showTools() {
  const anchor = find(now.selected);
  for (const one of $("anchor-tools").children) one.disabled = !anchor;
  for (const [id, isOn] of [["move", now.isMoving], ["measure-button", now.isMeasuring]]) {
    $(id).classList.toggle("on", isOn);
    $(id).setAttribute("aria-pressed", isOn);
  }
  const [one, other] = now.measured?.map((end) => (end.id ? said(find(end.id)) : "a point")) ?? [];
  if (now.isMoving) $("measure").textContent = `Tap the place for ${said(anchor)}.`;
  else if (now.isMeasuring) $("measure").textContent = `Choose the other one, from ${said(anchor)}.`;
  else if (other) $("measure").textContent = `${one} – ${other}: ${distance(...measured()).toFixed(2)} m`;
  else if (one) $("measure").textContent = `Tap the other end, from ${one}.`;
  else $("measure").textContent = anchor ? said(anchor) : "";
}

$("move").onclick = () => toggle("isMoving");
$("fly").onclick = () => fly(find(now.selected));
$("rename").onclick = () => edit(now.selected);
$("measure-button").onclick = () => toggle("isMeasuring");
$("remove").onclick = () => remove(now.selected);

export async function remove(id) {
  const anchor = find(id);
  if (await post("/remove", { anchor: id })) toast(`${said(anchor)} is removed`, ["Undo", () => post("/restore", { anchor: id })]);
}

export function toggle(what) {
  now[what] = !now[what];
  showAnchors();
}

export function choose(id) {
  if (now.isMeasuring && id !== now.selected) {
    Object.assign(now, { measured: [{ id: now.selected }, { id }], isMeasuring: false });
  } else {
    Object.assign(now, { selected: id === now.selected ? null : id, isMoving: false, isMeasuring: false, measured: null });
  }
  showAnchors();
}

// ---- A name that is edited in place

function edit(id) {
  now.edited = id;
  now.selected = id;
  showAnchors();
  $("anchors").querySelector("input")?.select();
}

function nameField(anchor) {
  const field = element("input", { type: "text", value: anchor.name, maxLength: 128 });
  field.setAttribute("aria-label", "Name");
  const end = (isKept) => {
    if (now.edited !== anchor.id) return;
    now.edited = null;
    if (isKept && field.value !== anchor.name) post("/rename", { anchor: anchor.id, name: field.value });
    showAnchors();
  };
  field.onblur = () => end(true);
  field.onkeydown = (event) => {
    event.stopPropagation();
    if (event.key === "Enter" || event.key === "Escape") {
      const row = field.closest("li");
      end(event.key === "Enter");
      (row.isConnected ? row : $("anchors").querySelector("li.selected"))?.focus();
    }
  };
  return field;
}

// ---- A distance

// The two ends of the measurement; the other one may be where the pointer is. Null without any.
export function measured() {
  const ends = now.measured?.map((end) => (end.id ? place(shown(find(end.id))) : end.place)) ?? [];
  if (ends.length === 1 && now.ghost) ends.push(now.ghost);
  return ends.length === 2 ? ends : null;
}

function distance(one, other) { return Math.hypot(...one.map((v, axis) => v - other[axis])); }

$("planes").onchange = showAnchors;
$("search").oninput = showAnchors;

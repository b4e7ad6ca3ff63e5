// The list of anchors, their labels in the picture, and what is done to one of them.
import { $, color, element, fill, nameOf, plainName, post, seenName, toast } from "/dom.js";
import { now, view } from "/stage.js";

const place = (anchor) => anchor.transform.slice(12, 15);
// An anchor where somebody drags it at this moment, here or on another page.
const shown = (anchor) => {
  if (now.hand?.id === anchor.id) return { ...anchor, transform: [...anchor.transform.slice(0, 12), ...now.hand.place, 1] };
  const drag = now.state.drags.find((one) => one.id === anchor.id);
  return drag ? { ...anchor, transform: drag.transform } : anchor;
};
const name = (anchor) => anchor.name || "unnamed";
// The same in a sentence of the page.
const said = (anchor) => plainName(name(anchor));
const find = (id) => now.state?.anchors.find((anchor) => anchor.id === id);
const visible = () => (now.state ? now.state.anchors.filter((anchor) => !anchor.isPlane || $("planes").checked) : []);
let drawn = "";

// The ids of the list's rows: an anchor that is new comes last, so that no row moves under the pointer.
let order = [];

export function showAnchors() {
  if (!now.state) return;
  if (!find(now.selected)) Object.assign(now, { selected: null, isMoving: false, isMeasuring: false });
  if (!find(now.edited)) now.edited = null;
  if (now.measured && !now.measured.every(find)) now.measured = null;
  const anchors = visible();
  $("anchor-count").textContent = now.state.anchorCount;
  // A list that is built again loses the word that is being written and the button that is being pressed.
  const { edited, isMeasuring, isMoving, measured, selected } = now;
  const isHeld = $("anchors").matches(":hover");
  const next = JSON.stringify([anchors, edited, isMeasuring, isMoving, measured, selected, $("search").value, isHeld]);
  if (next !== drawn) {
    drawn = next;
    if (!edited || !document.activeElement?.matches("#anchors input")) fill($("anchors"), rows(anchors.filter(isSought), isHeld));
    showTools();
  }
  showPlaces();
}

// The rows in their order; while the pointer is on the list, the place of one that is gone stays empty.
function rows(anchors, isHeld) {
  const here = new Map(anchors.map((anchor) => [anchor.id, anchor]));
  const known = new Set(order);
  order = order.filter((id) => isHeld || here.has(id)).concat(anchors.map(({ id }) => id).filter((id) => !known.has(id)));
  return order.map((id) => (here.has(id) ? row(here.get(id)) : element("li", { className: "gone", textContent: "gone" })));
}

$("anchors").onpointerleave = showAnchors;

// Puts labels and axes where things are now: sixty times a second while somebody drags one.
export function showPlaces() {
  const anchors = visible().map(shown);
  const { devices } = now.state;
  showLabels([...anchors, ...devices]);
  const line = now.measured?.map((id) => place(shown(find(id)))) ?? [];
  view.mark(anchors, devices, line);
}

function isSought(anchor) {
  const words = $("search").value.toLowerCase();
  return `${anchor.name}\n${anchor.creator?.name ?? ""}`.toLowerCase().includes(words);
}

// The labels in the order of what they stand over. One that stays is the same element, or a press on it would be lost.
function showLabels(things) {
  const labels = $("labels");
  while (labels.children.length > things.length) labels.lastChild.remove();
  things.forEach((thing, index) => {
    const label = labels.children[index] ?? labels.appendChild(element("div", {}));
    const kind = thing.isPlane ? "plane" : thing.peer ? "device" : "";
    label.textContent = seenName(name(thing));
    label.className = `${kind} ${thing.id === now.selected ? "selected" : ""}`;
    const author = thing.peer ?? thing.creator?.id;
    label.style.borderColor = author && !thing.isPlane ? color(author) : "";
    label.anchor = thing.peer ? null : thing.id;
    label.place = place(thing);
  });
}

function row(anchor) {
  const isSelected = anchor.id === now.selected;
  const title = anchor.id === now.edited ? nameField(anchor) : nameOf(name(anchor));
  const made = element("li", { className: isSelected ? "selected" : "", tabIndex: 0 }, [
    element("span", { className: "place", textContent: place(anchor).map((v) => v.toFixed(2)).join(" ") }),
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
  const [one, other] = now.measured?.map(find) ?? [];
  if (now.isMoving) $("measure").textContent = `Tap the place for ${said(anchor)}.`;
  else if (now.isMeasuring) $("measure").textContent = `Choose the other one, from ${said(anchor)}.`;
  else if (one) $("measure").textContent = `${said(one)} – ${said(other)}: ${distance(one, other).toFixed(2)} m`;
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
    Object.assign(now, { measured: [now.selected, id], isMeasuring: false });
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

// ---- A distance between two anchors

function distance(one, other) {
  return Math.hypot(...place(one).map((v, axis) => v - place(other)[axis]));
}

// Labels follow what they stand over in every frame.
view.onframe = () => {
  const [low, high] = view.clip;
  const { clientWidth: width, clientHeight: height } = $("view");
  for (const label of $("labels").children) {
    const at = view.camera.project(label.place);
    label.hidden = !at || (label.classList.contains("plane") && label.place.some((v, axis) => v < low[axis] || v > high[axis]));
    if (label.hidden) continue;
    label.style.transform = `translate(${at.x * width}px, ${at.y * height}px) translate(-50%, -160%)`;
    label.style.zIndex = Math.max(0, 100000 - Math.round(at.depth * 100));
  }
};

$("planes").onchange = showAnchors;
$("search").oninput = showAnchors;

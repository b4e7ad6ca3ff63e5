// Mouse, fingers and keys over the picture.
import { $, ask, post, toast } from "/dom.js";
import { now, view } from "/stage.js";
import { choose, remove, showAnchors, showPlaces } from "/anchors.js";
import { addEnd, hit, hover, setMode, sight } from "/modes.js";

// A second tap so soon (milliseconds) and so near (CSS pixels) belongs to a double click.
const DOUBLE = { time: 500, way: 12 };
// The answer that leaves the map unsent.
const ALONE = "Place without it";
// A pointer that travels further (CSS pixels) does not tap.
const STEADY = 4;

// Does what the mode says where the picture is touched; x and y are parts of its size.
async function tap(x, y) {
  if (now.mode === "look" && !now.isMoving && !now.corner) return;
  if (!view.isAvailable) return toast(view.gl ? "there is no picture to tap on; it was lost" : "there is no picture to tap on: this browser has no WebGL 2");
  if (!now.state?.map) return toast("this room is an example; there is no map yet");
  if (now.shown !== now.state.map.id) return toast("the map is still loading");
  const body = sight(x, y);
  if (now.mode === "measure" && !now.isMoving && !now.corner) {
    const place = await hit(x, y);
    return place ? addEnd({ place }) : toast("there is nothing under the tap");
  }
  if (now.mode === "edit" && !now.selected && !now.corner) return toast("choose the anchor that is to move first");
  if (now.corner) [body.corner, now.corner] = [now.corner, null];
  else if (now.isMoving || now.mode === "edit") body.anchor = now.selected;
  else body.name = $("name").value.trim();
  if (!await isSettled() || !await post("/tap", body)) return;
  if (body.anchor) {
    now.isMoving = false;
    showAnchors();
  } else {
    $("name").value = "";
  }
}

// Whether an anchor may be placed in the map in view: where that was not sent, the others would see it stand in nothing.
async function isSettled() {
  const { gate, map, peers } = now.state;
  if (!map || map.isShared || now.keptBack === map.id || !peers.some(({ state }) => state === "connected")) return true;
  const why = gate ?? "This map was not sent: the others would not see what the anchor stands on.";
  const word = await ask(why, gate ? [ALONE, "Cancel"] : ["Send the map and place", ALONE, "Cancel"]);
  if (word === "Cancel") return false;
  if (word !== ALONE) return post("/send-map");
  now.keptBack = map.id;
  return true;
}

const pointers = new Map();
let traveled = 0;
let last = { time: -1e9, x: 0, y: 0 };
// The anchor, and its place, on whose label the one pointer began; null for the picture itself.
let label = null;

// Labels stand in the picture: a pointer that begins on one turns and zooms like any other, drags the anchor if that is the
// selected one, and selects it where it does not travel.
for (const ground of [$("view"), $("labels")]) {
  ground.onpointerdown = (event) => {
    $("view").setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, event);
    // The end of a pinch is no tap, whichever finger leaves last.
    traveled = pointers.size === 1 ? 0 : Infinity;
    const { anchor, place } = event.target;
    label = pointers.size === 1 && anchor ? { anchor, place } : null;
    if (pointers.size > 1) drop();
    if (label) event.preventDefault();
  };
  ground.addEventListener("wheel", (event) => {
    event.preventDefault();
    view.camera.zoom(Math.exp(event.deltaY * 0.001), ...point(event));
    view.redraw();
  }, { passive: false });
  ground.oncontextmenu = (event) => event.preventDefault();
}

// Where an event is, in parts of the picture's size.
function point({ clientX, clientY }) {
  const box = $("view").getBoundingClientRect();
  return [(clientX - box.left) / box.width, (clientY - box.top) / box.height];
}

$("view").onpointermove = (event) => {
  const before = pointers.get(event.pointerId);
  if (!before) {
    const [x, y] = point(event);
    return void hover(event.pointerType === "mouse" ? { x, y } : null);
  }
  hover(null);
  const [dx, dy] = [event.clientX - before.clientX, event.clientY - before.clientY];
  traveled += Math.hypot(dx, dy);
  const height = $("view").clientHeight;
  pointers.set(event.pointerId, event);
  if (pointers.size === 2) pinch(event, before, height);
  else if (label && label.anchor === now.selected) return traveled > STEADY ? hold(event, dx, dy) : undefined;
  else if (event.shiftKey || event.buttons & 6) view.camera.pan(dx / height, dy / height);
  else if (traveled > STEADY) view.camera.turn(dx, dy);
  view.redraw();
};

$("view").onpointerleave = () => hover(null);

$("view").onpointerup = (event) => {
  // What was pressed elsewhere is no tap.
  if (!pointers.delete(event.pointerId)) return;
  if (now.hand && !now.hand.isOver) return drop();
  if (traveled > STEADY || event.button !== 0) return;
  if (label) return now.mode === "measure" && !now.isMeasuring ? addEnd({ id: label.anchor }) : choose(label.anchor);
  const isDouble = event.timeStamp - last.time < DOUBLE.time
    && Math.hypot(event.clientX - last.x, event.clientY - last.y) < DOUBLE.way;
  last = { time: event.timeStamp, x: event.clientX, y: event.clientY };
  if (isDouble) return turnAbout(...point(event));
  tap(...point(event));
};

// A double click chooses the place about which the picture turns, where a single one does nothing else.
async function turnAbout(x, y) {
  if (now.mode !== "look") return;
  const place = await hit(x, y);
  if (place) view.fly(place, view.camera.distance);
}

$("view").onpointercancel = (event) => {
  pointers.delete(event.pointerId);
  drop();
};

// ---- An anchor in the hand

// In the mode for it an anchor goes along the surfaces under the pointer; else parallel to the picture.
function hold(event, dx, dy) {
  if (now.mode !== "edit") return carry(label, dx, dy);
  aim = point(event);
  if (!isAiming) slide(label.anchor);
}

let aim = null;
let isAiming = false;

async function slide(id) {
  isAiming = true;
  while (aim) {
    const [x, y] = aim;
    aim = null;
    const place = await hit(x, y);
    // It may have been let go meanwhile.
    if (!place || label?.anchor !== id || pointers.size !== 1) continue;
    now.hand = { id, place };
    showPlaces();
    report({ anchor: id, place, isEnd: false });
  }
  isAiming = false;
}

// Moves an anchor by so many CSS pixels, parallel to the picture.
function carry({ anchor: id, place }, dx, dy) {
  const { camera, upright } = view;
  const isHeld = now.hand?.id === id && !now.hand.isOver;
  const at = camera.project(isHeld ? upright.shown(now.hand.place) : place);
  if (!at) return;
  const { clientWidth: width, clientHeight: height } = $("view");
  now.hand = { id, place: upright.world(camera.unproject(at.x + dx / width, at.y + dy / height, at.depth)) };
  showPlaces();
  report({ anchor: id, place: now.hand.place, isEnd: false });
}

// Lets it go.
function drop() {
  if (!now.hand || now.hand.isOver) return;
  now.hand.isOver = true;
  report({ anchor: now.hand.id, place: now.hand.place, isEnd: true });
}

let unsent = null;
let isSending = false;

// Tells the server where it is; what it could not be told in time is replaced by what comes later, but for the end.
async function report(drag) {
  unsent = drag;
  if (isSending) return;
  isSending = true;
  while (unsent) {
    const body = unsent;
    unsent = null;
    const isDone = await post("/drag", body);
    if (isDone && !body.isEnd) continue;
    // The state that follows has the place; what was refused is not in the hand.
    if (now.hand?.id === body.anchor) now.hand.isDone = true;
    if (!isDone) unsent = null;
  }
  isSending = false;
}

function pinch(event, before, height) {
  const other = [...pointers].find(([id]) => id !== event.pointerId)[1];
  const span = (a) => Math.hypot(a.clientX - other.clientX, a.clientY - other.clientY) || 1;
  view.camera.zoom(span(before) / span(event));
  view.camera.pan((event.clientX - before.clientX) / height / 2, (event.clientY - before.clientY) / height / 2);
}

// ---- Keys

const ARROWS = { ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

$("view").onkeydown = (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const { camera } = view;
  const arrow = ARROWS[event.key];
  if (arrow && event.shiftKey) camera.pan(arrow[0] * 0.05, arrow[1] * 0.05);
  else if (arrow) camera.turn(arrow[0] * 20, arrow[1] * 20);
  else if (event.key === "+" || event.key === "=") camera.zoom(0.9);
  else if (event.key === "-") camera.zoom(1 / 0.9);
  else if (event.key === "Enter" || event.key === " ") tap(0.5, 0.5);
  else if (event.key === "Escape" && now.selected) choose(now.selected);
  else if (event.key === "Delete" && now.selected) remove(now.selected);
  else return;
  event.preventDefault();
  view.redraw();
};

// To the right, ahead and up, as games have it.
const STEPS = { w: [0, 1, 0], s: [0, -1, 0], a: [-1, 0, 0], d: [1, 0, 0], e: [0, 0, 1], q: [0, 0, -1] };
const MODES = { 1: "look", 2: "place", 3: "measure", 4: "edit" };

// A step is larger where more is in view.
function walk(...way) {
  view.camera.walk(...way.map((part) => part * Math.max(0.1, 0.03 * view.camera.distance)));
  view.redraw();
}

document.onkeydown = (event) => {
  if (event.target.matches("input:not([type=checkbox], [type=range]), select")) return;
  const letter = event.key.toLowerCase();
  if ((event.ctrlKey || event.metaKey) && letter === "z") post(event.shiftKey ? "/redo" : "/undo");
  else if (event.ctrlKey || event.metaKey || event.altKey) return;
  else if (letter === "f") $("fit").click();
  else if (letter === "t") $("top").click();
  else if (letter in STEPS) walk(...STEPS[letter]);
  else if (letter in MODES) setMode(MODES[letter]);
  else return;
  event.preventDefault();
};

// What a tap on the picture does: nothing but to choose, to place an anchor, to measure, or to move the chosen anchor. Where the
// pointer meets the map stands a ghost with its numbers.
import { $ } from "/dom.js";
import { hasOthers, pointAt } from "/device.js";
import * as server from "/server.js";
import { now, view } from "/stage.js";
import { measured, showAnchors, showPlaces } from "/anchors.js";

// By mode: the word of the hint.
const MODES = { look: "chooses nothing", place: "places an anchor", measure: "sets an end", edit: "moves the chosen anchor" };

export function setMode(mode) {
  Object.assign(now, { mode, ghost: null, measured: null, isMoving: false, isMeasuring: false });
  for (const name of Object.keys(MODES)) {
    $(`mode-${name}`).classList.toggle("on", name === mode);
    $(`mode-${name}`).setAttribute("aria-pressed", name === mode);
  }
  for (const deed of document.querySelectorAll("#hint .deed")) deed.textContent = MODES[mode];
  $("view").classList.toggle("looking", mode === "look");
  showAnchors();
}

for (const name of Object.keys(MODES)) $(`mode-${name}`).onclick = () => setMode(name);

// A point of the picture (parts of its size) as the server takes it: with the camera and what is shown, in the axes of the map.
export function sight(x, y) {
  const { camera, upright, clip } = view;
  const [eye, target, up] = [camera.eye, camera.target, [0, 1, 0]].map((one) => upright.world(one));
  return {
    x, y, eye, target, up, focalLength: camera.focalLength, aspectRatio: camera.aspectRatio,
    clip: upright.box(...clip, (place) => upright.world(place)),
  };
}

// The place of the map under a point of the picture; null where there is none.
export async function hit(x, y) {
  if (!now.state?.map || now.shown !== now.state.map.id) return null;
  const { transform } = await server.query("/look", sight(x, y)) ?? {};
  return transform ? transform.slice(12, 15) : null;
}

// An end of a measurement: an anchor, which may move, or a place. The third begins another one.
export function addEnd(end) {
  now.measured = now.measured?.length === 1 ? [...now.measured, end] : [end];
  now.ghost = null;
  showAnchors();
}

// ---- The ghost

let wanted = null;
let isAsking = false;

// The pointer rests or moves at a point of the picture; null when it is elsewhere.
export async function hover(point) {
  wanted = point;
  if (isAsking) return;
  isAsking = true;
  try {
    // Only the latest point is worth a question.
    for (let asked = {}; wanted !== asked;) {
      asked = wanted;
      const hasGhost = now.mode !== "look";
      const place = asked && !now.hand && (hasGhost || hasOthers()) ? await hit(asked.x, asked.y) : null;
      now.ghost = hasGhost ? place : null;
      pointAt(place);
      showGhost();
    }
  } finally {
    isAsking = false;
  }
}

function showGhost() {
  const { ghost } = now;
  const origin = now.state?.map?.origin ?? [0, 0, 0];
  $("ghost").hidden = !ghost;
  if (ghost) $("ghost-text").textContent = ghost.map((v, axis) => (v + origin[axis]).toFixed(2)).join("  ");
  if (now.mode === "measure") showPlaces();
  follow();
}

// Puts the ghost, and the number of a measurement, where they are in the picture.
function follow() {
  const { clientWidth: width, clientHeight: height } = $("view");
  const put = (element, place) => {
    const at = place && view.camera.project(view.upright.shown(place));
    element.hidden = !at;
    if (at) element.style.transform = `translate(${at.x * width}px, ${at.y * height}px)`;
  };
  put($("ghost"), now.ghost);
  const line = measured();
  put($("length"), line && line[0].map((v, axis) => (v + line[1][axis]) / 2));
  if (line) $("length").textContent = `${Math.hypot(...line[0].map((v, axis) => v - line[1][axis])).toFixed(2)} m`;
}

view.followers.push(follow);

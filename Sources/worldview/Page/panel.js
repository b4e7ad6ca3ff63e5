// Shows the session beside the view, and turns the user's gestures into requests.
import { View } from "/view.js";
import * as server from "/server.js";

const $ = (id) => document.getElementById(id);
const view = new View($("view"));
let state = null;
let shownMap = null;
let selected = null;
let isMoving = false; // the next tap moves the selected anchor

// ---- What the server says

server.follow((news) => {
  state = news;
  if (!state.anchors.some((anchor) => anchor.id === selected)) select(null);
  showSession();
  showMap();
  showAnchors();
}, (problem) => {
  $("link").classList.toggle("on", problem === null);
  if (problem) $("problem").textContent = problem;
});

function showSession() {
  document.title = `${state.me.name} · SharedWorld`;
  $("me").textContent = `${state.me.name} · ${state.service} · port ${state.port}`;
  $("peer-count").textContent = state.peers.length;
  const hosts = (id) => state.host && state.host.id === id;
  const self = { ...state.me, name: `${state.me.name} (this peer)`, state: "connected", roundTrip: null };
  $("peers").replaceChildren(...[self, ...state.peers].map((peer) => element("li", {}, [
    element("span", { className: `dot ${peer.state}`, title: peer.state }),
    element("span", { textContent: peer.name, title: peer.id }),
    warning(peer),
    hosts(peer.id) ? element("span", { className: "tag", textContent: "host" }) : null,
    peer.roundTrip === null ? null : element("span", { className: "trip", textContent: milliseconds(peer.roundTrip) }),
  ])));
  $("invitations").replaceChildren(...state.invitations.map((invitation) => element("li", { title: invitation.id }, [
    element("span", { textContent: `${invitation.name} invites you${invitation.context ? ` (“${invitation.context}”)` : ""}` }),
    warning(invitation),
    element("button", { textContent: "Accept", onclick: () => post("/answer", { peer: invitation.id, accept: true }) }),
    element("button", { textContent: "Decline", onclick: () => post("/answer", { peer: invitation.id, accept: false }) }),
  ])));
  $("codes").replaceChildren(...state.codes.map((code) => element("li", { title: code.id }, [
    element("span", { textContent: `Does ${code.name} show ${code.code}?` }),
    warning(code),
    element("button", { textContent: "The same", onclick: () => post("/code", { peer: code.id, isSame: true }) }),
    element("button", { textContent: "Another", onclick: () => post("/code", { peer: code.id, isSame: false }) }),
  ])));
  $("host").textContent = state.host ? `epoch ${state.epoch}` : "electing a host …";
  $("digest").textContent = `${state.digest.slice(0, 16)}…`;
  $("digest").title = state.digest;
  $("problem").textContent = state.problem ?? "";
}

// The link as a QR code, with the margin of four modules that readers need; it is asked for anew, since addresses change.
$("invite").ontoggle = async () => {
  if (!$("invite").open) return;
  const { link, rows, error } = await server.json("/link");
  $("invite-link").textContent = link ?? error;
  $("qr").hidden = !rows;
  if (!rows) return;
  const size = rows.length + 8;
  Object.assign($("qr"), { width: size, height: size });
  const paint = $("qr").getContext("2d");
  paint.fillStyle = "white";
  paint.fillRect(0, 0, size, size);
  paint.fillStyle = "black";
  rows.forEach((row, y) => [...row].forEach((module, x) => { if (module === "1") paint.fillRect(x + 4, y + 4, 1, 1); }));
};

// What is remarkable about a key, with eight digits of it.
function warning({ id, recognition }) {
  const text = { "never-seen": "never seen before", "new-device": "a known name with a new key", refused: "not admitted by this peer" }[recognition];
  return text ? element("span", { className: "tag warning", textContent: `${text}: ${id.slice(0, 8)}` }) : null;
}

async function showMap() {
  const { map, progress } = state;
  $("map").textContent = map ? `${map.points.toLocaleString("en")} points · ${map.id.slice(0, 8)}` : "none yet";
  $("loading").hidden = !progress && map !== null;
  $("loading-text").textContent = progress ? `map from ${progress.from.name}` : "waiting for a map …";
  $("loading-bar").hidden = !progress;
  if (progress) Object.assign($("loading-bar"), { value: progress.verifiedBytes, max: progress.totalBytes });
  if (!map || map.id === shownMap) return;
  shownMap = map.id;
  view.show(await server.bytes("/points"), map.minimum, map.maximum);
  showCeiling();
  showAnchors();
}

const visible = () => (state ? state.anchors.filter((anchor) => !anchor.isPlane || $("planes").checked) : []);

function showAnchors() {
  const anchors = visible();
  $("anchor-count").textContent = state ? state.anchorCount : "";
  $("anchors").replaceChildren(...anchors.map(anchorRow));
  $("labels").replaceChildren(...anchors.map((anchor) => element("div", {
    textContent: anchor.name || "unnamed",
    className: [anchor.isPlane ? "plane" : "", anchor.id === selected ? "selected" : ""].join(" "),
    onclick: () => select(anchor.id === selected ? null : anchor.id),
  })));
  view.mark(anchors.map((anchor) => anchor.transform));
}

function anchorRow(anchor) {
  const place = anchor.transform.slice(12, 15).map((v) => v.toFixed(2)).join(" ");
  const isSelected = anchor.id === selected;
  const tools = isSelected ? element("div", { className: "tools" }, [
    element("button", { textContent: isMoving ? "click the place" : "Move", className: isMoving ? "on" : "", onclick: toggleMoving }),
    element("button", { textContent: "Rename", onclick: (event) => rename(event, anchor) }),
    element("button", { textContent: "Remove", className: "danger", onclick: () => post("/remove", { anchor: anchor.id }) }),
  ]) : null;
  const row = element("li", { className: isSelected ? "selected" : "", title: anchor.creator ? `by ${anchor.creator.name}` : "" }, [
    element("span", { className: "place", textContent: place }),
    element("span", { textContent: anchor.name || "unnamed" }),
    tools,
  ]);
  row.onclick = (event) => { if (event.target.tagName !== "BUTTON") select(isSelected ? null : anchor.id); };
  return row;
}

// Labels follow their anchors in every frame.
view.onframe = () => {
  const [low, high] = view.clip;
  const { clientWidth: width, clientHeight: height } = $("view");
  visible().forEach((anchor, index) => {
    const label = $("labels").children[index];
    const place = anchor.transform.slice(12, 15);
    const at = view.camera.project(place);
    const isHidden = !at || (anchor.isPlane && place.some((v, axis) => v < low[axis] || v > high[axis]));
    label.hidden = isHidden;
    if (isHidden) return;
    label.style.transform = `translate(${at.x * width}px, ${at.y * height}px) translate(-50%, -160%)`;
    label.style.zIndex = Math.max(0, 100000 - Math.round(at.depth * 100));
  });
};

// ---- What the user does

function select(id) {
  selected = id;
  isMoving = false;
  if (state) showAnchors();
}

function toggleMoving() {
  isMoving = !isMoving;
  showAnchors();
}

async function rename(event, anchor) {
  event.stopPropagation();
  const name = prompt("New name", anchor.name);
  if (name !== null) await post("/rename", { anchor: anchor.id, name });
}

async function tap(x, y) {
  const { camera } = view;
  const body = {
    x, y, eye: camera.eye, target: camera.target, focalLength: camera.focalLength, aspectRatio: camera.aspectRatio,
    clip: view.clip,
  };
  if (isMoving) body.anchor = selected;
  else body.name = $("name").value.trim();
  const done = await post("/tap", body);
  if (done && isMoving) toggleMoving();
  if (done && !body.anchor) $("name").value = "";
}

async function post(path, body) {
  const problem = await server.post(path, body);
  if (problem) toast(problem);
  return problem === null;
}

let toastTimer;
function toast(text) {
  $("toast").textContent = text;
  $("toast").hidden = false;
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => { $("toast").hidden = true; }, 2500);
}

const pointers = new Map();
let travelled = 0;

$("view").onpointerdown = (event) => {
  $("view").setPointerCapture(event.pointerId);
  pointers.set(event.pointerId, event);
  if (pointers.size === 1) travelled = 0;
};
$("view").onpointermove = (event) => {
  const before = pointers.get(event.pointerId);
  if (!before) return;
  const [dx, dy] = [event.clientX - before.clientX, event.clientY - before.clientY];
  travelled += Math.hypot(dx, dy);
  const height = $("view").clientHeight;
  if (pointers.size === 2) pinch(event, before, height);
  else if (event.shiftKey || event.buttons & 6) view.camera.pan(dx / height, dy / height);
  else if (travelled > 4) view.camera.turn(dx, dy);
  pointers.set(event.pointerId, event);
  view.redraw();
};
$("view").onpointerup = (event) => {
  pointers.delete(event.pointerId);
  if (travelled > 4 || event.button !== 0) return;
  const box = $("view").getBoundingClientRect();
  tap((event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height);
};
$("view").onpointercancel = (event) => pointers.delete(event.pointerId);
$("view").oncontextmenu = (event) => event.preventDefault();
$("view").addEventListener("wheel", (event) => {
  event.preventDefault();
  view.camera.zoom(Math.exp(event.deltaY * 0.001));
  view.redraw();
}, { passive: false });

function pinch(event, before, height) {
  const other = [...pointers].find(([id]) => id !== event.pointerId)[1];
  const span = (a) => Math.hypot(a.clientX - other.clientX, a.clientY - other.clientY) || 1;
  view.camera.zoom(span(before) / span(event));
  view.camera.pan((event.clientX - before.clientX) / height / 2, (event.clientY - before.clientY) / height / 2);
}

$("open").onchange = () => { view.isOpen = $("open").checked; view.redraw(); };
$("planes").onchange = showAnchors;
$("size").oninput = () => { view.pointSize = Number($("size").value); view.redraw(); };
$("ceiling").oninput = showCeiling;

function showCeiling() {
  view.ceiling = Number($("ceiling").value);
  $("ceiling-text").textContent = `${(view.ceiling * (view.high[1] - view.low[1])).toFixed(1)} m`;
  view.redraw();
}

// ---- Small helpers

function element(tag, properties, children = []) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children.filter((child) => child !== null));
  return made;
}

function milliseconds(value) {
  return value < 10 ? `${value.toFixed(1)} ms` : `${Math.round(value)} ms`;
}

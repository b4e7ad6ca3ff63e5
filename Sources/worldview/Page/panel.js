// Shows the session beside the view; the parts of the page meet here.
import { $, element, plainName, post, seenName, setColors, toast } from "/dom.js";
import { showBrowser } from "/device.js";
import { showPeers } from "/peers.js";
import { showExample } from "/example.js";
import { now, view } from "/stage.js";
import { forgetMarks, showAnchors, showPlaces } from "/anchors.js";
import "/gestures.js";
import "/export.js";
import { merged } from "/delta.js";
import { showFollowed, showTalk } from "/talk.js";
import { noticeMoves } from "/steady.js";
import "/xr.js";
import * as server from "/server.js";
import { load as loadPoints } from "/points.js";
import { megabytes, showCeiling, showColors, showTurn } from "/picture.js";

let hasLeft = false;
const known = {}; // the long lists of the state

// ---- What the server says

server.follow((news) => {
  if (news.live) {
    if (!now.state) return;
    Object.assign(now.state, news.live);
    showFollowed();
    return showPlaces();
  }
  now.state = merged(known, news);
  if (now.hand?.isDone) now.hand = null;
  showSession();
  showMap();
  showAnchors();
  showTalk();
  noticeMoves();
}, (problem) => {
  if (hasLeft) return;
  $("link").classList.toggle("on", problem === null);
  banner(problem);
});

// A notice over the picture for as long as the session cannot be seen.
function banner(text) {
  $("banner").textContent = text ?? "";
  $("banner").hidden = !text;
  document.body.classList.toggle("stale", Boolean(text));
}

function showSession() {
  const { state } = now;
  setColors(state.colors);
  document.title = `${plainName(state.me.name)} · SharedWorld`;
  $("me").textContent = `${plainName(state.me.name)} · ${state.service} · port ${state.port}`;
  showBrowser();
  showPeers();
  $("host").textContent = state.host ? `epoch ${state.epoch}` : "electing a host …";
  // That of no anchors says nothing.
  $("digest-line").hidden = state.anchorCount === 0;
  $("digest").textContent = `${state.digest.slice(0, 16)}…`;
  $("digest").title = state.digest;
  $("problem").textContent = seenName(state.problem ?? "");
  $("hint-network").textContent = seenName(state.hint ?? "");
  $("undo").disabled = !state.canUndo;
  $("redo").disabled = !state.canRedo;
  $("send").disabled = state.gate !== null;
  $("gate").textContent = state.gate ?? "";
  for (const id of ["save", "save-ply", "save-glb"]) $(id).disabled = state.map === null;
  showOffer();
  $("log").replaceChildren(...state.log.map((line) => element("li", { textContent: seenName(line) })).reverse());
}

// The session's map waits for the user's word where one that was not sent is in view.
function showOffer() {
  const { offer, map } = now.state;
  $("offer").hidden = offer === null;
  if (!offer) return;
  const [theirs, mine] = [offer.points, map.points].map((count) => count.toLocaleString("en"));
  const whose = offer.from ? `${plainName(offer.from.name)} shares a map` : "The session has a map";
  $("offer-text").textContent = `${whose} of ${theirs} points. Yours of ${mine} points was not sent; save it before another takes its place.`;
}

for (const [id, isShown] of [["offer-show", true], ["offer-keep", false]]) {
  $(id).onclick = () => post("/show-map", { map: now.state.offer.id, isShown });
}

// The id of the room that is shown before the first map.
const EXAMPLE = "example";
let isLoading = false;

async function showMap() {
  const { map, progress } = now.state;
  if (map && map.id === now.shown) showTurn(map);
  const { verifiedBytes: here, totalBytes: all, from } = progress ?? {};
  if (progress) showLoading(`map from ${plainName(from.name)} · ${megabytes(here)} of ${megabytes(all)}`, here / all);
  else if (map && !isLoading) $("loading").hidden = map.id === now.shown;
  $("first").hidden = map !== null || Boolean(progress);
  if (!map) showFirstStep(Boolean(progress));
  if (!map || map.id === now.shown || isLoading) return;
  isLoading = true;
  try {
    const text = `loading ${map.points.toLocaleString("en")} points`;
    showLoading(text, 0);
    $("map").textContent = "loading …";
    view.clear(map.minimum, map.maximum, map.up, map.spacing);
    await loadPoints("/points", map.id, (head, { position, color }) => {
      if (!view.received) view.begin({ ...head, hasColors: color !== undefined });
      view.add(position, color ?? null);
    }, (bytes, total) => showLoading(`${text} · ${megabytes(bytes)} of ${megabytes(total)}`, bytes / total));
    const { count } = view;
    now.shown = map.id;
    const drawn = count < map.points ? `, ${count.toLocaleString("en")} of them drawn` : "";
    const whose = map.isShared ? "" : " · not sent yet";
    $("map").textContent = `${map.points.toLocaleString("en")} points${drawn} · ${map.id.slice(0, 8)}${whose}`;
    showColors(map);
    $("loading").hidden = true;
    showCeiling();
    showAnchors();
  } catch (error) {
    // The next state of the session starts it again.
    console.warn(error);
    $("map").textContent = "the points did not arrive";
  } finally {
    isLoading = false;
  }
  // Meanwhile another map may have come.
  if (now.shown === map.id && now.state.map?.id !== map.id) showMap();
}

// Before the first map there is an example to look at, and one thing to do.
function showFirstStep(isComing) {
  const { peers, candidates } = now.state;
  $("map").textContent = "none yet";
  if (!isComing) $("loading").hidden = true;
  if (now.shown !== EXAMPLE) {
    now.shown = EXAMPLE;
    showExample(view);
  }
  const other = peers.find(({ state }) => state === "connected");
  const inSight = other ? null : candidates[0];
  const [text, word] = other ? [`This room is an example. ${plainName(other.name)} is here; nobody has shared a map yet.`, "Load a map of your place"]
    : inSight ? [`This room is an example. ${plainName(inSight.name)} is in sight, and may have a map.`, `Invite ${plainName(inSight.name)}`]
      : ["This room is an example. Load a map of your place to begin, or drop its file here.", "Load a map of your place"];
  $("first-text").textContent = text;
  $("first-step").textContent = word;
  $("first-step").onclick = () => (inSight ? post("/invite", { candidate: inSight.id }) : $("file").click());
}

function showLoading(text, share = null) {
  $("loading").hidden = false;
  $("loading-text").textContent = text;
  $("loading-bar").hidden = share === null;
  $("loading-bar").value = share ?? 0;
}

// ---- What the user does

$("passcode-form").onsubmit = async (event) => {
  event.preventDefault();
  if (await post("/passcode", { passcode: $("passcode").value })) $("passcode").value = "";
};

$("send").onclick = () => post("/send-map");
$("undo").onclick = () => post("/undo");
$("redo").onclick = () => post("/redo");

async function load(file) {
  const lost = ({ lost }) => { if (lost) toast(seenName(`of ${file.name}: ${lost}`)); };
  showLoading(`reading ${seenName(file.name)}`);
  const problem = await server.upload("/load", file, lost, (bytes, total) => {
    const text = `${seenName(file.name)} · ${megabytes(bytes)} of ${megabytes(total)}`;
    showLoading(bytes < total ? `sending ${text}` : `sending ${text}, which is being read`, bytes / total);
  });
  $("loading").hidden = true;
  if (problem) toast(seenName(problem));
}

// On a phone the panel is a sheet over the picture.
function openSheet(isOpen) {
  document.querySelector("aside").classList.toggle("open", isOpen);
  $("handle").setAttribute("aria-expanded", isOpen);
}
$("handle").onclick = () => openSheet($("handle").getAttribute("aria-expanded") !== "true");
document.querySelector("aside").addEventListener("focusin", ({ target }) => { if (target !== $("handle")) openSheet(true); });
$("view").addEventListener("pointerdown", () => openSheet(false));

$("load").onclick = () => $("file").click();
$("file").onchange = () => { if ($("file").files.length) load($("file").files[0]); $("file").value = ""; };
document.ondragover = (event) => event.preventDefault();
document.ondrop = (event) => {
  event.preventDefault();
  if (event.dataTransfer.files.length) load(event.dataTransfer.files[0]);
};

// The second press leaves: the first asks.
$("leave").onclick = async () => {
  if ($("leave").className !== "on") {
    Object.assign($("leave"), { className: "on", textContent: "Leave the session?" });
    return;
  }
  hasLeft = await post("/leave");
  $("leave").disabled = hasLeft;
  if (hasLeft) banner(now.state.isDevice ? "You have left the session. Reload the page to come back." : "You have left the session, and worldview has ended.");
};
$("leave").onblur = () => Object.assign($("leave"), { className: "", textContent: "Leave" });

// Graphics that are lost, as when their driver starts again, come back without what they showed.
view.onlost = (isLost) => {
  if (!view.gl) return;
  $("nogl").textContent = "The picture is lost: the graphics of this machine have failed. It comes back with them; if not, reload the page.";
  $("nogl").hidden = !isLost;
  now.shown = null;
  forgetMarks();
  if (!isLost && now.state) { showMap(); showPlaces(); }
};

$("nogl").hidden = view.gl !== null;

// What this browser is in the session, and where it looks from, for the others to see.
import { $, plainName, toast } from "/dom.js";
import * as member from "/member.js";
import * as server from "/server.js";
import { now, view } from "/stage.js";

const PAUSE = 100; // milliseconds between two poses of the camera

// Shows who this browser is, with each state.
export function showBrowser() {
  const { isDevice, isLooking, me } = now.state;
  document.body.classList.toggle("looking", isLooking);
  $("browser-summary").textContent = isDevice ? `This browser is ${plainName(me.name)}` : "This browser is the program's";
  $("browser-text").textContent = isLooking ? "It was opened for looking, and changes nothing."
    : isDevice ? "It is a member of its own: others see its name, and where it looks from." : "Others see it as the peer of the program.";
  $("browser-switch").textContent = isDevice ? "Be the program's peer instead" : "Be a member of its own";
  $("browser-form").hidden = !isDevice;
  if (document.activeElement !== $("browser-name")) $("browser-name").value = member.name();
}

// Another member takes the place of this one with the next page.
async function begin() {
  if (now.state?.isDevice) await server.post("/leave", {});
  location.reload();
}

$("browser-form").onsubmit = (event) => {
  event.preventDefault();
  member.rename($("browser-name").value.trim());
  begin();
};

$("browser-switch").onclick = () => {
  member.want(!now.state.isDevice);
  begin();
};

server.problemOfJoining.then((text) => { if (text) toast(`This browser is the program's peer, since it cannot be a member of its own: ${text}`); });

// ---- Corners, which line a device's world up with the map

document.querySelectorAll(".corner-mark").forEach((mark, index) => {
  mark.onclick = () => {
    now.corner = `corner ${index + 1}`;
    toast(`Tap corner ${index + 1} in the picture: one that the device can touch, at the height of a floor or a table.`);
  };
});

// ---- Presence

// The camera as the pose of a device, which looks along its own -z.
function pose() {
  const { right, up, ahead } = view.camera.axes;
  const columns = [right, up, ahead.map((v) => -v)].map((axis) => [...axis, 0]);
  return [...columns.flat(), ...view.camera.eye, 1];
}

let shown = ""; // the pose that the others know
let isSending = false;
let isElsewhere = false;

// Another part of the page shows this device's pose for a while.
export function lendPose(isLent) { isElsewhere = isLent; }

async function show(pose) {
  if (JSON.stringify(pose) === shown || isSending || isElsewhere) return;
  isSending = true;
  if (await server.post("/pose", { pose }) === null) shown = JSON.stringify(pose);
  isSending = false;
}

setInterval(() => { if (now.state?.isDevice && !document.hidden) show(pose()); }, PAUSE);

// At once: another tab of this browser may show where it looks from next.
document.addEventListener("visibilitychange", () => {
  shown = "";
  if (now.state?.isDevice && document.hidden && !isElsewhere) server.post("/pose", { pose: null });
});

// What this browser is in the session, and where it looks from, for the others to see.
import { $, plainName, toast } from "/dom.js";
import * as member from "/member.js";
import * as server from "/server.js";
import { now, view } from "/stage.js";

const PAUSE = 100; // milliseconds between two poses of the camera, and two places of the pointer

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

// Something that is shown to the others, who hear of it when it is new alone.
class Presence {
  known = ""; // what they know
  isSending = false;

  constructor(path, name) { Object.assign(this, { path, name }); }

  async show(value) {
    const text = JSON.stringify(value);
    if (text === this.known || this.isSending) return;
    this.isSending = true;
    if (await server.post(this.path, { [this.name]: value }) === null) this.known = text;
    this.isSending = false;
  }
}

const camera = new Presence("/pose", "pose");
const pointer = new Presence("/point", "place");
pointer.known = "null";
let isElsewhere = false;
let place = null;

// Another part of the page shows this device's pose for a while.
export function lendPose(isLent) { isElsewhere = isLent; }

// The place of the map under the pointer; null where there is none.
export function pointAt(under) { place = under; }

// Whether there is somebody to see where this page points.
export const hasOthers = () => now.state?.peers.some(({ state }) => state === "connected") ?? false;

setInterval(() => {
  if (!now.state || document.hidden) return;
  if (now.state.isDevice && !isElsewhere) camera.show(pose());
  if (hasOthers()) pointer.show(place);
}, PAUSE);

// At once: another tab of this browser may show where it looks from next.
document.addEventListener("visibilitychange", () => {
  camera.known = "";
  if (!now.state || !document.hidden) return;
  if (now.state.isDevice && !isElsewhere) server.post("/pose", { pose: null });
  pointAt(null);
  pointer.show(null);
});

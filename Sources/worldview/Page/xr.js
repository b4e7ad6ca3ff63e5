// The room in its place: an immersive session of WebXR (immersive-ar). The device is a member with a world of its own, whose
// origin is where the session began; two corners that the desk marks and the device touches line it up with the map.
//
// Relocalization is never pretended: until the corners are touched, what others placed has no place here, and is counted.
import { lendPose } from "/device.js";
import { $, element, plainName, seenName, toast } from "/dom.js";
import * as server from "/server.js";
import { now, view } from "/stage.js";
import { Scene } from "/scene.js";

const PAUSE = 1000 / 30; // milliseconds between two poses, in the mean: the frames of few devices fall on them
const SLACK = 0.01; // metres by which the browser corrects an anchor before the others are told
const FEATURES = {
  requiredFeatures: ["local-floor", "hit-test"], optionalFeatures: ["anchors", "dom-overlay", "camera-access"],
};

let room = null; // the session that runs

class Room {
  hits = null; // where the middle of the picture meets a surface
  hit = null;
  corner = null; // the name of the corner that the next touch is of
  own = new Map(); // by id: the browser's anchor, and where the others think that it is
  waiting = []; // requests that have not arrived
  nextAt = 0; // when the next pose is due
  isSending = false;

  constructor(session, space, scene) {
    Object.assign(this, { session, space, scene });
  }

  static async begin() {
    const session = await navigator.xr.requestSession("immersive-ar", { ...FEATURES, domOverlay: { root: $("ar") } });
    const scene = await Scene.make(session, view);
    const space = await session.requestReferenceSpace("local-floor");
    const made = new Room(session, space, scene);
    made.hits = await session.requestHitTestSource({ space: await session.requestReferenceSpace("viewer") });
    session.onselect = () => made.select();
    // The device's world has jumped: what is in the one before stays there.
    space.onreset = () => made.beginWorld();
    session.onend = () => made.end();
    await made.beginWorld();
    session.requestAnimationFrame(made.draw);
    return made;
  }

  async beginWorld() {
    this.own.clear();
    await this.send("/frame", { isOwn: true });
  }

  async end() {
    room = null;
    $("ar").hidden = true;
    this.scene.end();
    await server.post("/pose", { pose: null });
    await this.send("/frame", { isOwn: false });
    lendPose(false);
  }

  draw = (time, frame) => {
    this.session.requestAnimationFrame(this.draw);
    const pose = frame.getViewerPose(this.space);
    [this.hit] = frame.getHitTestResults(this.hits);
    if (pose) this.show(time, [...pose.transform.matrix]);
    this.follow(frame);
    if (!pose || !now.state) return;
    this.scene.draw(pose, {
      anchors: now.state.anchors, cloud: now.state.frame?.map, reticle: this.hit?.getPose(this.space)?.transform.matrix,
    });
    showWords(this);
  };

  // Tells the others where the device is; what is not sent in time is old.
  async show(time, pose) {
    if (this.isSending || time < this.nextAt) return;
    // One that waited for its frame does not put the next one off.
    Object.assign(this, { isSending: true, nextAt: Math.max(this.nextAt + PAUSE, time) });
    await server.post("/pose", { pose });
    this.isSending = false;
  }

  // The user touches: a corner, or a place for an anchor.
  async select() {
    const matrix = this.hit?.getPose(this.space)?.transform.matrix;
    if (!matrix) return say("Point at a surface first.");
    const transform = [...matrix];
    if (this.corner) {
      await this.send("/touch", { name: this.corner, position: transform.slice(12, 15) });
      this.corner = null;
      return;
    }
    const id = crypto.randomUUID();
    const known = this.hit.createAnchor ? await this.hit.createAnchor() : null;
    if (known) this.own.set(id, { known, transform });
    await this.send("/place", { anchor: id, name: $("name").value.trim(), transform });
  }

  // Own anchors go where the browser corrects them to.
  follow(frame) {
    for (const [anchor, one] of this.own) {
      const matrix = frame.getPose(one.known.anchorSpace, this.space)?.transform.matrix;
      if (!matrix) continue;
      const moved = Math.hypot(...[12, 13, 14].map((i) => matrix[i] - one.transform[i]));
      if (moved < SLACK) continue;
      one.transform = [...matrix];
      this.send("/follow", { anchor, name: "", transform: one.transform });
    }
  }

  // Sends in order, and again until it has arrived: each is done once, however often it is asked.
  async send(path, body) {
    this.waiting.push([path, body]);
    if (this.waiting.length > 1) return;
    while (this.waiting.length) {
      const problem = await server.post(...this.waiting[0]);
      if (server.isLost(problem)) {
        await new Promise((resume) => setTimeout(resume, 1000));
        continue;
      }
      if (problem) say(seenName(problem));
      this.waiting.shift();
    }
  }
}

let said = "";
let saidUntil = 0;
function say(text) { [said, saidUntil] = [text, performance.now() + 4000]; }

function showWords({ waiting, corner }) {
  const { state, position, unaligned } = now.state.frame;
  const standing = state === "aligned" ? `Lined up with the map, ± ${(100 * position).toFixed(1)} cm.`
    : "Not lined up with the map: have the desk mark two corners, and touch both here.";
  const rest = unaligned ? ` ${unaligned} of the anchors have no place here.` : "";
  const late = waiting.length ? ` ${waiting.length} of your edits wait for the network.` : "";
  $("ar-text").textContent = performance.now() < saidUntil ? said : corner ? `Touch ${corner}.` : standing + rest + late;
}

for (const corner of ["corner 1", "corner 2"]) {
  const press = element("button", { textContent: `Touch ${corner}` });
  press.onclick = () => { if (room) room.corner = corner; };
  // A press on a button is no touch of the room (WebXR DOM Overlays, §2.2).
  press.addEventListener("beforexrselect", (event) => event.preventDefault());
  $("ar-buttons").append(press);
}
$("ar-end").addEventListener("beforexrselect", (event) => event.preventDefault());
$("ar-end").onclick = () => room?.session.end();

$("ar-begin").onclick = async () => {
  if (!now.state?.isDevice) return toast("Make this browser a member of its own first, under its name in the panel.");
  lendPose(true);
  try {
    room = await Room.begin();
    $("ar").hidden = false;
  } catch (error) {
    lendPose(false);
    toast(`The room cannot be shown in its place: ${plainName(error.message)}`);
  }
};

// A page over HTTP has no `navigator.xr`, and Safari on an iPhone has none at all.
navigator.xr?.isSessionSupported("immersive-ar").then((is) => { $("ar-begin").hidden = !is; }, console.warn);

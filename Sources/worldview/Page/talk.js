// What the members' users say and show to each other: lines of text, a call to look, and the view of another one.
import { $, color, element, nameOf, plainName, post, seenName, toast } from "/dom.js";
import { now, view } from "/stage.js";
import { sight } from "/modes.js";

let read = null; // the number of the last line that was drawn
let heard = null; // the number of the last call

export function showTalk() {
  const { chat, call, me } = now.state;
  const last = chat.at(-1)?.id ?? 0;
  if (last !== read) {
    const list = $("chat");
    const line = ({ from, text }) => {
      const name = nameOf(from.name, "author");
      name.style.color = color(from.id);
      return element("li", {}, [name, element("bdi", { className: "said", textContent: seenName(text) })]);
    };
    list.replaceChildren(...chat.map(line));
    list.scrollTop = list.scrollHeight;
    const { from, text } = chat.at(-1) ?? {};
    // A page that has just been opened has not missed anything.
    if (read !== null && from && from.id !== me.id) toast(`${plainName(from.name)}: ${seenName(text)}`);
    read = last;
  }
  const number = call?.number ?? 0;
  if (heard !== null && number !== heard && call.from.id !== me.id) {
    toast(`${plainName(call.from.name)} wants you to look at something`, ["Look", () => look(call.transform, call.distance)]);
  }
  heard = number;
  showFollowed();
}

$("say").onsubmit = async (event) => {
  event.preventDefault();
  const text = $("say-text").value.trim();
  if (text && await post("/say", { text })) $("say-text").value = "";
};

// ---- Views of others

// Looks as a camera does (its pose in the map, and how far ahead its object is).
function look(matrix, distance) {
  const { upright, camera } = view;
  const pose = upright.pose(matrix);
  const eye = pose.slice(12, 15);
  camera.look(eye, eye.map((v, axis) => v - distance * pose[8 + axis]));
  view.redraw();
}

$("bring").onclick = async () => { if (await post("/call", sight(0.5, 0.5))) toast("The others are asked to look here."); };

// Shows what the device of a peer sees, until the user moves the picture.
export function follow(peer) {
  now.followed = now.followed === peer ? null : peer;
  showFollowed();
}

export function showFollowed() {
  const device = now.state.devices.find(({ peer }) => peer === now.followed);
  if (now.followed && !device) now.followed = null;
  $("follow").classList.toggle("on", now.followed !== null);
  $("follow").setAttribute("aria-pressed", now.followed !== null);
  if (device) look(device.transform, 2);
}

for (const kind of ["pointerdown", "wheel", "keydown"]) {
  $("view").addEventListener(kind, () => { if (now.followed) follow(now.followed); }, { passive: true });
}

// The peers of the session, who wants to come in, who is asked to, and what this peer may do about them.
import { $, ask, button, color, element, fill, nameOf, plainName, post } from "/dom.js";
import { now } from "/stage.js";
import * as server from "/server.js";
import { follow } from "/talk.js";

let chosen = null; // the id of the peer whose tools are shown
let opened = 0; // the addresses of the page that were used

export function showPeers() {
  const { state } = now;
  // An address that was used opens nothing any more.
  if (state.opened !== opened && $("device").open) showAddress();
  opened = state.opened;
  const self = { ...state.me, state: "connected", roundTrip: null, role: state.role, isSelf: true };
  const peers = [self, ...state.peers];
  $("peer-count").textContent = peers.length;
  fill($("peers"), peers.map(row));
  showTools(state.peers.find(({ id }) => id === chosen));
  $("lock").hidden = !state.mayRule;
  $("lock").textContent = state.isLocked ? "Let newcomers in again" : "Turn newcomers away";
  $("unlock-passcode").hidden = !state.isPasscodeClosed;
  fill($("invitations"), state.invitations.map((invitation) => question(invitation, [
    element("p", {}, [nameOf(invitation.name), " invites you", invitation.context ? " (“" : null,
      invitation.context ? nameOf(invitation.context, "context") : null, invitation.context ? "”)" : null, " and waits."]),
    warning(invitation),
    button("Accept", () => post("/answer", { peer: invitation.id, accept: true })),
    button("Decline", () => post("/answer", { peer: invitation.id, accept: false })),
  ])));
  fill($("missed"), state.missed.map((peer) => question(peer, [
    element("p", {}, [nameOf(peer.name), " has invited you and waits no longer."]),
    button("Dismiss", () => post("/forget-missed", { peer: peer.id })),
  ])));
  fill($("codes"), state.codes.map((code) => question(code, [
    element("p", {}, ["Does ", nameOf(code.name), " show the same?"]),
    element("strong", { className: "code", textContent: code.code }),
    warning(code),
    button("The same", () => post("/code", { peer: code.id, isSame: true })),
    button("Another", () => post("/code", { peer: code.id, isSame: false })),
  ])));
  fill($("inviting"), state.calls.map(call));
  showCandidates();
}

function row(peer) {
  const { state } = now;
  const name = nameOf(peer.name, "name peer");
  name.style.borderBottomColor = color(peer.id);
  const made = question(peer, [
    element("span", { className: `dot ${peer.state}`, title: peer.state }),
    peer.isSelf ? name : element("button", { className: "name", onclick: () => choose(peer.id) }, [name]),
    peer.isSelf ? element("span", { className: "tag", textContent: "this peer" }) : null,
    warning(peer),
    state.host?.id === peer.id ? element("span", { className: "tag", textContent: "host" }) : null,
    peer.role && peer.role !== "member" ? element("span", { className: "tag quiet", textContent: peer.role }) : null,
    peer.map ? element("span", { className: "tag quiet", textContent: peer.map }) : null,
    peer.percent === null || peer.percent === undefined ? null : element("progress", { max: 100, value: peer.percent }),
    peer.alignment ? alignment(peer.alignment) : null,
    peer.roundTrip === null ? null : element("span", { className: "trip", textContent: milliseconds(peer.roundTrip) }),
  ]);
  made.classList.toggle("selected", peer.id === chosen);
  return made;
}

// ---- One peer

function choose(id) {
  chosen = id === chosen ? null : id;
  showPeers();
}

function showTools(peer) {
  if (!peer) chosen = null;
  $("peer-tools").hidden = !peer;
  if (!peer) return;
  const { isOwned, mayRule } = now.state;
  const may = isOwned ? "Its owner and the moderators remove peers." : "The host of the session removes peers.";
  $("peer-note").textContent = `${plainName(peer.name)} · key ${peer.id.slice(0, 16)}… ${mayRule ? "" : may}`;
  $("kick").disabled = !mayRule;
  $("follow").disabled = !now.state.devices.some((device) => device.peer === peer.id);
  $("role").hidden = !isOwned || !mayRule;
  if (document.activeElement !== $("role")) $("role").value = peer.role ?? "";
}

$("kick").onclick = async () => {
  const peer = now.state.peers.find(({ id }) => id === chosen);
  if (!peer) return;
  const word = await ask(`Remove ${plainName(peer.name)} for as long as the session lasts?`, ["Remove the peer", "Cancel"]);
  if (word !== "Cancel") post("/kick", { peer: peer.id });
};

$("follow").onclick = () => follow(chosen);

$("role").onchange = () => {
  post("/role", { peer: chosen, role: $("role").value });
  $("role").blur();
};
$("lock").onclick = () => post("/lock", { isLocked: !now.state.isLocked });
$("unlock-passcode").onclick = () => post("/unlock-passcode");

// ---- Those who are not in the session

// An invitation of this peer, until it is answered: whether anybody is there, and who.
function call({ number, target, name, id }) {
  const words = name === null ? ["Calling ", nameOf(target), " …"]
    : [nameOf(name), target && target !== name ? " at " : null, target && target !== name ? nameOf(target) : null, " was invited and has not answered."];
  return question({ id }, [
    element("p", {}, words), number === null ? null : button("Withdraw", () => post("/withdraw", { number })),
  ]);
}

// Those in sight, and the room that wants a passcode.
function showCandidates() {
  const { candidates, asksForPasscode, problem } = now.state;
  fill($("candidates"), candidates.map((candidate) => question(candidate, [
    nameOf(candidate.name),
    candidate.isKnown ? element("span", { className: "tag quiet", textContent: "known" }) : null,
    candidate.standing === "open" ? null : element("span", { className: "tag warning", textContent: candidate.standing }),
    candidate.asksForPasscode ? element("span", { className: "tag quiet", textContent: "passcode" }) : null,
    button("Invite", () => post("/invite", { candidate: candidate.id })),
  ])));
  $("passcode-form").hidden = !asksForPasscode;
  $("room").textContent = asksForPasscode ? problem : "";
}

$("dial").onsubmit = async (event) => {
  event.preventDefault();
  const text = $("dial-text").value.trim();
  // The state shows it until it is answered, however long that takes.
  const isDone = post("/invite", { text });
  $("dial-text").value = "";
  if (!await isDone && !$("dial-text").value) $("dial-text").value = text;
};

// A link as a QR code, with the margin of four modules that readers need; it is asked for each time, since addresses change.
async function showPicture(canvas, text, path) {
  const { link, rows, error, fingerprint } = await server.json(path);
  text.textContent = link ?? error;
  canvas.hidden = !rows;
  if (!rows) return null;
  const size = rows.length + 8;
  Object.assign(canvas, { width: size, height: size });
  const paint = canvas.getContext("2d");
  paint.fillStyle = "white";
  paint.fillRect(0, 0, size, size);
  paint.fillStyle = "black";
  rows.forEach((row, y) => [...row].forEach((module, x) => { if (module === "1") paint.fillRect(x + 4, y + 4, 1, 1); }));
  return { fingerprint };
}

// Prepares for the warning of the other device's browser, or says what a page without encryption lacks.
async function showAddress() {
  const shown = await showPicture($("page-qr"), $("page-address"), $("for-looking").checked ? "/address-for-looking" : "/address");
  $("page-warning").hidden = !shown;
  $("fingerprint").textContent = shown?.fingerprint ?? "";
  $("page-warning").textContent = shown?.fingerprint
    ? "The browser there will say that the connection is not private, since no authority knows this machine. Open the certificate in that warning. If its SHA-256 fingerprint is the one below, it is this machine: choose “Advanced” and go on."
    : "Nothing is encrypted there, and the device cannot show the room in its place (AR). Start worldview with --https 0.0.0.0:8443 for both.";
}

$("invite").ontoggle = () => { if ($("invite").open) showPicture($("qr"), $("invite-link"), "/link"); };
$("device").ontoggle = () => { if ($("device").open) showAddress(); };
$("for-looking").onchange = showAddress;

// How a device's frame lies to this one's; nothing is said of devices in one frame.
function alignment({ state, residual, position, contradictions }) {
  if (state === "aligned" && !residual && !position) return null;
  const text = { aligned: `aligned ± ${(100 * position).toFixed(1)} cm`, aligning: "aligning …", lost: "alignment lost" }[state];
  const title = `residual ${(100 * residual).toFixed(1)} cm, ${contradictions} contradictions`;
  return element("span", { className: `tag ${state === "aligned" ? "quiet" : "warning"}`, textContent: text ?? "not aligned", title });
}

function question({ id }, children) {
  const made = element("li", { title: id }, children);
  made.dataset.id = id;
  return made;
}

// What is remarkable about a key, with eight digits of it.
function warning({ id, recognition }) {
  const text = { "never-seen": "never seen before", "new-device": "a known name with a new key", refused: "not admitted by this peer" }[recognition];
  return text ? element("span", { className: "tag warning", textContent: `${text}: ${id.slice(0, 8)}` }) : null;
}

function milliseconds(value) {
  return value < 10 ? `${value.toFixed(1)} ms` : `${Math.round(value)} ms`;
}

// Talks to the server. Any user of this machine can connect to it, so a request shows the key of this page; the token that
// the address carries behind `#`, and that works once, buys the key. It is kept for this tab and this port alone.

import { beWindow, join } from "/member.js";
import { CONNECTING, follow as followAlone, shown, UNKNOWN } from "/stream.js";

const SILENT = "worldview does not answer; nothing was done";
const BROKEN = "worldview stopped answering; whether this was done is not known";

// Whether a request may not have arrived.
export const isLost = (problem) => problem === SILENT || problem === BROKEN;

// The key that a page shows, the proof that the server says (stream.js), and what this browser is (member.js).
async function secrets() {
  const token = location.hash.slice(1);
  if (token) {
    // Neither the history nor a bookmark keeps the token.
    history.replaceState(null, "", location.pathname);
    const answer = await fetch("/open", {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ token }),
    });
    const { key, proof, isWindow } = await answer.json();
    if (answer.ok) Object.entries({ key, proof }).forEach(([name, secret]) => sessionStorage.setItem(name, secret));
    if (isWindow) beWindow(proof);
  }
  const [key, proof] = ["key", "proof"].map((name) => sessionStorage.getItem(name) ?? "");
  return { key, proof, ...await join(key, proof) };
}

// The same once the program knows this browser no more: a passcode has begun another session, or the machine has slept.
async function rejoin({ key, proof }) {
  for (;;) {
    try {
      const joined = await join(key, proof);
      if (joined.device || joined.isOut) return { key, proof, ...joined };
    } catch (error) {
      console.warn(error);
    }
    await new Promise((resume) => setTimeout(resume, 1000));
  }
}

// What requests show waits for the answer.
let opened = secrets();
// Why this browser is no member of its own; undefined when it is, or does not want to be.
export const problemOfJoining = opened.then(({ problem }) => problem);

// Why nothing is sent; null while the server is there and has proven that it is the one that gave the key.
let problem = CONNECTING;
// Ends what waits for a server that is gone.
let life = new AbortController();

async function ask(path, options = {}) {
  const headers = { ...options.headers, ...shown(await opened) };
  return fetch(path, { signal: life.signal, ...options, headers });
}

async function refusal(answer) {
  return (await answer.json()).error;
}

// Downloads bytes and hands each part over as it comes: the part, where it begins, and how many bytes there are in all.
export async function download(path, take) {
  const answer = await ask(path);
  if (!answer.ok) throw new Error(await refusal(answer));
  const total = Number(answer.headers.get("Content-Length"));
  let at = 0;
  for await (const part of parts(answer.body)) {
    take(part, at, total);
    at += part.length;
  }
  if (at !== total) throw new Error(`${path} was cut off`);
}

// Downloads bytes.
export async function bytes(path) {
  const list = [];
  await download(path, (part) => list.push(part));
  return new Blob(list);
}

// Asks for JSON; an answer that refuses has `error`.
export async function json(path) {
  return (await ask(path)).json();
}

// Sends JSON; null if it was done, else what is wrong.
export async function post(path, body) {
  return send(path, JSON.stringify(body), { "Content-Type": "application/json" });
}

// Sends JSON, and gives the answer; null if there is none.
export async function query(path, body) {
  let found = null;
  await send(path, JSON.stringify(body), { "Content-Type": "application/json" }, (said) => { found = said; });
  return found;
}

// Sends a file, likewise; `take` receives the answer, if it was done, and `tell` hears of the progress in bytes, of which fetch
// says nothing.
export async function upload(path, file, take, tell) {
  if (problem !== null) return SILENT;
  const type = file.name.includes(".") ? file.name.split(".").pop() : "";
  const { key } = await opened;
  return new Promise((resume) => {
    const request = new XMLHttpRequest();
    request.open("POST", path);
    request.setRequestHeader("Authorization", `Bearer ${key}`);
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.setRequestHeader("X-File-Type", type.replace(/[^\w]/g, ""));
    request.upload.onprogress = ({ loaded, total }) => tell(loaded, total);
    request.onload = () => {
      const answer = JSON.parse(request.responseText);
      if (request.status === 200) take(answer);
      resume(request.status === 200 ? null : answer.error);
    };
    request.onerror = () => resume(BROKEN);
    request.onabort = request.onerror;
    life.signal.addEventListener("abort", () => request.abort(), { once: true });
    request.send(file);
  });
}

async function send(path, body, headers, take = () => {}) {
  if (problem !== null) return SILENT;
  try {
    const answer = await ask(path, { method: "POST", headers, body });
    if (!answer.ok) return await refusal(answer);
    take(await answer.json());
    return null;
  } catch (error) {
    console.warn(error);
    return BROKEN;
  }
}

// Hands every state to `show` as it comes, and says to `link` whether the server is there (null) or why not, by a stream that
// all tabs of the browser share where it can.
export async function follow(show, link) {
  const tell = (text) => {
    if (text !== null) {
      // An answer may be on its way, as that to the user who leaves.
      const waiting = life;
      setTimeout(() => waiting.abort(), 1000);
      life = new AbortController();
    }
    problem = text;
    link(text);
    if (text !== UNKNOWN) return;
    opened = opened.then(rejoin);
    begin();
  };
  let worker = "SharedWorker" in window ? new SharedWorker("/worker.js", { type: "module" }) : null;
  const begin = async () => {
    const { problem: refused, isOut, ...mine } = await opened;
    if (isOut) return tell(refused);
    if (worker) worker.port.postMessage(mine);
    else followAlone(mine, (event) => show(JSON.parse(event)), tell, () => false);
  };
  if (worker) {
    worker.onerror = () => { worker = null; begin(); };
    worker.port.onmessage = ({ data }) => ("event" in data ? show(JSON.parse(data.event)) : tell(data.problem));
    addEventListener("pagehide", () => worker?.port.postMessage(null));
    addEventListener("pageshow", ({ persisted }) => { if (persisted) begin(); });
  }
  begin();
}

async function* parts(stream) {
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}

// Talks to the server. Any user of this machine can connect to it, so a request shows the key of this page; the token that
// the address carries behind `#`, and that works once, buys the key. It is kept for this tab and this port alone.

const KEY = "key";
const SILENT = "worldview does not answer; nothing was done";

async function key() {
  const token = location.hash.slice(1);
  if (token) {
    // Neither the history nor a bookmark keeps the token.
    history.replaceState(null, "", location.pathname);
    const answer = await fetch("/open", {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ token }),
    });
    if (answer.ok) sessionStorage.setItem(KEY, (await answer.json()).key);
  }
  return sessionStorage.getItem(KEY) ?? "";
}

const opened = key();

async function ask(path, options = {}) {
  const headers = { ...options.headers, Authorization: `Bearer ${await opened}` };
  return fetch(path, { ...options, headers });
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

// Sends a file, likewise.
export async function upload(path, file) {
  const type = file.name.includes(".") ? file.name.split(".").pop() : "";
  return send(path, file, { "Content-Type": "application/octet-stream", "X-File-Type": type.replace(/[^\w]/g, "") });
}

async function send(path, body, headers) {
  try {
    const answer = await ask(path, { method: "POST", headers, body });
    return answer.ok ? null : await refusal(answer);
  } catch (error) {
    console.warn(error);
    return SILENT;
  }
}

// Hands every state to `show` as it comes, and says to `link` whether the server is there (null) or why not, until
// `isOver` holds. Server-sent events as in the HTML standard, §9.2, of which this server sends one `data` line each;
// EventSource cannot show a key.
export async function follow(show, link, isOver) {
  while (!isOver()) {
    try {
      const answer = await ask("/events");
      if (!answer.ok) return link(await refusal(answer));
      link(null);
      let text = "";
      for await (const part of parts(answer.body.pipeThrough(new TextDecoderStream()))) {
        const events = (text + part).split("\n\n");
        text = events.pop();
        for (const event of events) show(JSON.parse(event.replace(/^data: /, "")));
      }
    } catch (error) {
      console.warn(error);
    }
    if (isOver()) return;
    link("worldview does not answer: it has ended, or the network is down. Looking for it again …");
    await new Promise((resume) => setTimeout(resume, 1000));
  }
}

async function* parts(stream) {
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}

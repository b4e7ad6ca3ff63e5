// Talks to the server. Any user of this machine can connect to it, so a request shows the key of this page; the token that
// the address carries behind `#`, and that works once, buys the key. It is kept for this tab and this port alone.

const KEY = "key";

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

export async function bytes(path) {
  return (await ask(path)).arrayBuffer();
}

// Asks for JSON; an answer that refuses has `error`.
export async function json(path) {
  return (await ask(path)).json();
}

// Sends JSON; null if it was done, else what the server says is wrong.
export async function post(path, body) {
  const answer = await ask(path, {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
  });
  return answer.ok ? null : refusal(answer);
}

// Hands every state to `show` as it comes, and says to `link` whether the server is there (null) or why not. Server-sent
// events as in the HTML standard, §9.2, of which this server sends one `data` line each; EventSource cannot show a key.
export async function follow(show, link) {
  for (;;) {
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
    link("the server is gone; looking for it again");
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

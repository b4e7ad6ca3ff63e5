// The stream of events of the server, for one page or for all tabs of a browser that share it (worker.js). Server-sent events
// as in the HTML standard, §9.2, of which this server sends one `data` line each; EventSource cannot show a key.
//
// A server that is frozen, and a network that is gone, end no connection: so the server says something each second, and
// silence counts as its end. After a crash another program may take its port: so each stream begins with a secret that the
// server alone says, and nothing before that is believed.

export const CONNECTING = "Connecting to worldview …";
const SILENT = "worldview does not answer: it has ended, hangs, or the network is down. Looking for it again …";
const REFUSED = "This page has no key: open the address that worldview printed last; each address works once.";
// A browser that is to become a member again (server.js).
export const UNKNOWN = "worldview has begun another session. Joining it …";
const GONE = "This browser is no member of the session any more. Reload the page to come back.";
const FOREIGN = "Another program answers in the place of worldview. Nothing that it says is shown, and nothing is sent to it.";

const SILENCE = 4000; // milliseconds without a word after which the server counts as gone
const PAUSE = 1000; // milliseconds before it is looked for again

// What a request shows: the key of the page, and which member this browser is.
export const shown = ({ key, device }) => ({ Authorization: `Bearer ${key}`, ...(device ? { "X-Device": device } : {}) });

// Hands every event to `show` as the text that came, and says to `link` whether the server is there (null) or why not, until
// `isOver` holds.
export async function follow(secrets, show, link, isOver) {
  while (!isOver()) {
    const problem = await read(secrets, show, link, isOver);
    if (isOver()) return;
    link(problem);
    if ([REFUSED, UNKNOWN, GONE].includes(problem)) return;
    await new Promise((resume) => setTimeout(resume, PAUSE));
  }
}

// Reads one stream to its end, and gives why it ended.
async function read(secrets, show, link, isOver) {
  const end = new AbortController();
  let timer;
  const wait = () => {
    clearTimeout(timer);
    timer = setTimeout(() => end.abort(), SILENCE);
  };
  try {
    wait();
    const answer = await fetch("/events", { headers: shown(secrets), signal: end.signal });
    if (!answer.ok) return { 401: UNKNOWN, 410: GONE }[answer.status] ?? REFUSED;
    let isProven = false;
    let text = "";
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done || isOver()) return SILENT;
      wait();
      const events = (text + value).split("\n\n");
      text = events.pop();
      for (const event of events.filter((one) => one.startsWith("data: ")).map((one) => one.slice(6))) {
        if (isProven) show(event);
        else if (JSON.parse(event).proof !== secrets.proof) return FOREIGN;
        else link(null);
        isProven = true;
      }
    }
  } catch (error) {
    console.warn(error);
    return SILENT;
  } finally {
    clearTimeout(timer);
    end.abort();
  }
}

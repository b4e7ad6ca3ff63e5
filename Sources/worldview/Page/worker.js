// One stream of events for all tabs of a browser: it has six connections for a server, and each stream keeps one.
import { merged, whole } from "/delta.js";
import { CONNECTING, follow } from "/stream.js";

// By the key and the member: the proof that it expects, the tabs, why the server is not there, and the last state.
const streams = new Map();

const which = ({ key, device }) => `${key} ${device}`;

function begin(secrets, tab) {
  const stream = { proof: secrets.proof, tabs: new Set([tab]), problem: CONNECTING, state: null };
  const known = {};
  const tell = (message) => { for (const tab of stream.tabs) tab.postMessage(message); };
  streams.set(which(secrets), stream);
  follow(secrets, (event) => {
    if (!event.startsWith('{"live"')) stream.state = merged(known, JSON.parse(event));
    tell({ event });
  }, (problem) => {
    stream.problem = problem;
    tell({ problem });
  }, () => stream.tabs.size === 0).then(() => streams.delete(which(secrets)));
  return stream;
}

self.onconnect = ({ ports: [tab] }) => {
  let stream = null;
  // A tab shows its secrets, and null when it goes.
  tab.onmessage = ({ data: secrets }) => {
    stream?.tabs.delete(tab);
    if (!secrets) return;
    const known = streams.get(which(secrets));
    if (known && known.proof !== secrets.proof) return;
    stream = known ?? begin(secrets, tab);
    stream.tabs.add(tab);
    tab.postMessage({ problem: stream.problem });
    if (stream.state && stream.problem === null) tab.postMessage({ event: JSON.stringify(whole(stream.state)) });
  };
};

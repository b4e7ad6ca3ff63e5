// This browser as a member of the session, apart from the program that serves the page. Its key follows from a secret that is
// kept here, for this address of the page, and told to that program alone. Tabs of one browser are one member.

const kept = (name) => localStorage.getItem(`sharedworld-${name}`);
const keep = (name, text) => localStorage.setItem(`sharedworld-${name}`, text);

// The program's own window shows the program's peer, unless its user says otherwise. Which browser that is says the server
// (PageKey.claimWindow); it is so for as long as the program runs, which is known by its proof.
export const beWindow = (proof) => keep("window", proof);
const isWanted = (proof) => (kept("own") ?? (kept("window") === proof ? "no" : "yes")) === "yes";
export const want = (isWanted) => keep("own", isWanted ? "yes" : "no");

const digits = (count) => [...crypto.getRandomValues(new Uint8Array(count))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

// The name that the others see; one of its own for each browser, since a known name with another key is warned of.
export function name() {
  if (!kept("name")) rename(`${/Quest|iPhone|iPad|Vision|Android/.exec(navigator.userAgent)?.[0] ?? "browser"}-${digits(2)}`);
  return kept("name");
}
export const rename = (text) => keep("name", text);

// Joins with the key of the page, at the server that says the proof: what requests show from now on ("" for a page of the program's peer), what kept this browser
// from being a member, and whether the page may go on nevertheless.
export async function join(key, proof) {
  if (!key || !isWanted(proof)) return { device: "" };
  if (!kept("secret")) keep("secret", digits(32));
  const answer = await fetch("/device", {
    method: "POST", headers: { "Content-Type": "application/json", Authorization: `Bearer ${key}` },
    body: JSON.stringify({ secret: kept("secret"), name: name() }),
  });
  const { device, error } = await answer.json();
  return answer.ok ? { device } : { device: "", problem: error, isOut: answer.status === 403 && /removed/.test(error) };
}

// The state of the session as the server tells it: all but the long lists each time, and of those what is new (Told.swift).

const LISTS = ["anchors", "filed", "chat"];

// Takes the news of the lists into what is known of them, and gives the state with whole lists.
export function merged(known, { news, ...state }) {
  for (const list of LISTS) {
    const { isWhole, changed, removed } = news[list];
    const parts = (known[list] ??= new Map());
    if (isWhole) parts.clear();
    for (const id of removed) parts.delete(id);
    for (const part of changed) parts.set(part.id, part);
    state[list] = [...parts.values()];
  }
  return state;
}

// The same as somebody hears it who knows nothing yet.
export function whole(state) {
  const rest = { ...state, news: {} };
  for (const list of LISTS) {
    rest.news[list] = { isWhole: true, changed: state[list], removed: [] };
    delete rest[list];
  }
  return rest;
}

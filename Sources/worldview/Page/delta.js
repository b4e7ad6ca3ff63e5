// The state of the session as the server tells it: all but the anchors each time, and of those what is new (ToldAnchors.swift).

// Takes the news of the anchors into a map by id, and gives the state with all anchors.
export function merged(anchors, { anchorNews: { isWhole, changed, removed }, ...state }) {
  if (isWhole) anchors.clear();
  for (const id of removed) anchors.delete(id);
  for (const anchor of changed) anchors.set(anchor.id, anchor);
  return { ...state, anchors: [...anchors.values()] };
}

// The same as somebody hears it who knows nothing yet.
export function whole({ anchors, ...state }) {
  return { ...state, anchorNews: { isWhole: true, changed: anchors, removed: [] } };
}

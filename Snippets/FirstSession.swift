// The first lines of a newcomer: be somebody, run a session, place an anchor, follow what happens.

import SharedWorld

let identity = try PeerIdentity.loadOrCreate(named: "kitchen")
try await Session.withSession(as: identity, service: "sharedworld") { session in
  try await session.place(Anchor(name: "lamp", transform: Transform(translation: [0, 1, -2])))
  for await event in session.events { print(event) }
}

// Share a map file with everybody, now and later, and place an anchor on what is in the middle of the picture.

import SharedWorld

let identity = try PeerIdentity.loadOrCreate(named: "kitchen")
try await Session.withSession(as: identity, service: "my-app") { session in
  // snippet.share
  let map = try WorldMap(contentsOfFile: "room.worldmap")
  try await session.share(map)

  let camera = PinholeCamera.framing(map)
  if let hit = HitTest(map).results(at: [0.5, 0.5], through: camera).first {
    try await session.place(Anchor(name: "lamp", transform: hit.transform))
  }
  // snippet.end

  print("\(await session.world.anchors.count) anchors, digest \(await session.world.digest)")
}

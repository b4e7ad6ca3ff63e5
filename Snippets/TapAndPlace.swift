// A tap on the screen becomes an anchor; a finger that holds it moves it for everybody.

import SharedWorld

/// Places an anchor at a tap, (0, 0) being the top left corner of the screen and (1, 1) the bottom right one.
func tap(
  _ point: SIMD2<Float>, through camera: PinholeCamera, in map: WorldMap, of session: Session
) async throws -> AnchorID? {
  // snippet.tap
  let hits = HitTest(map).results(at: point, through: camera)
  guard let hit = hits.first else { return nil }
  let lamp = Anchor(name: "lamp", transform: hit.transform)
  try await session.place(lamp)
  // snippet.end
  return lamp.id
}

/// Carries an anchor along a path, and leaves it at the end.
func carry(_ anchor: AnchorID, along path: [Transform], in session: Session) async throws {
  // snippet.drag
  let drag = try await session.world.beginDrag(anchor)
  for transform in path { try await drag.update(to: transform) }
  try await drag.end()
  // snippet.end
}

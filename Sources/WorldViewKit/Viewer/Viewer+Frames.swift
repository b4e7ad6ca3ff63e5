import PeerCLI
import SharedWorld

/// Browsers that show the room in its place, each in a frame of its own.
extension Viewer {
  /// A device begins a world of its own, or returns to that of the map.
  func begin(_ request: FrameRequest, by author: Author) async throws(HTTPFailure) -> HTTPResponse {
    try await edit(by: author) { session throws(SessionError) in
      if request.isOwn { try await session.frames.begin() } else { try await session.frames.useShared() }
    }
  }

  /// Places an anchor where a device has found a surface; asked again, since the answer was lost on its way, it does nothing.
  func place(_ request: PlaceRequest, by author: Author) async throws(HTTPFailure) -> HTTPResponse {
    try await edit(by: author) { session throws(SessionError) in
      let id = try AnchorID(page: request.anchor)
      guard author.placed.insert(id).inserted else { return }
      let name = request.name.isEmpty ? author.edits.nextName(of: session.localPeer.name) : request.name
      let anchor = Anchor(id: id, name: name, transform: try Transform(page: request.transform))
      try await session.place(anchor)
      author.edits.history.record(.place(anchor))
    }
  }

  /// Moves an anchor as the device has come to know its place better, which is no edit of its user.
  func follow(_ request: PlaceRequest, by author: Author) async throws(HTTPFailure) -> HTTPResponse {
    try await edit(by: author) { session throws(SessionError) in
      try await session.move(try AnchorID(page: request.anchor), to: try Transform(page: request.transform))
    }
  }

  /// The user of a device touches a point of the room that others touch too.
  func touch(_ request: TouchRequest, by author: Author) async throws(HTTPFailure) -> HTTPResponse {
    try await edit(by: author) { session throws(SessionError) in
      guard request.position.count == 3 else { throw SessionError(.invalidArgument, "a place has three coordinates") }
      _ = try await session.frames.touch(request.name, at: SIMD3(request.position))
    }
  }

  /// How the world of a device lies to that of the map, and what has no place there.
  func describeFrame(of author: Author) async -> JSON {
    let alignment = await author.session.frames.alignmentOfShared
    return [
      "state": .string(alignment.state.rawValue), "position": .number(alignment.position),
      "map": alignment.transform.map(Self.numbers) ?? .null,
      "unaligned": .integer(await author.session.world.unalignedAnchors.count),
    ]
  }
}

import PeerCLI
import SharedWorld

/// What users of the page do to anchors: every edit is one that they can take back.
extension Viewer {
  func tap(_ tap: TapRequest) async throws(HTTPFailure) -> HTTPResponse {
    await refreshScene()
    guard let hit = await Self.hit(tap, in: scene, anchors: await session.anchors()) else {
      throw HTTPFailure(409, scene.mapID == nil ? "there is no map yet" : "there is nothing under the tap")
    }
    return try await edit { session throws(SessionError) in
      if let anchor = tap.anchor {
        let old = try await self.anchor(try AnchorID(page: anchor))
        try await session.move(old.id, to: hit.transform)
        self.edits.history.record(.move(old.id, from: old.transform, to: hit.transform))
      } else {
        let anchor = Anchor(name: self.name(for: tap), transform: hit.transform)
        try await session.place(anchor)
        self.edits.history.record(.place(anchor))
      }
    }
  }

  func rename(_ request: RenameRequest) async throws(HTTPFailure) -> HTTPResponse {
    try await edit { session throws(SessionError) in
      let old = try await self.anchor(try AnchorID(page: request.anchor))
      try await session.rename(old.id, to: request.name)
      self.edits.history.record(.rename(old.id, from: old.name, to: request.name))
    }
  }

  func remove(_ request: AnchorRequest) async throws(HTTPFailure) -> HTTPResponse {
    try await edit { session throws(SessionError) in
      let anchor = try await self.anchor(try AnchorID(page: request.anchor))
      try await session.remove(anchor.id)
      self.edits.history.record(.remove(anchor))
    }
  }

  /// Brings an anchor back that a user of the page has removed, whatever was edited since.
  func restore(_ request: AnchorRequest) async throws(HTTPFailure) -> HTTPResponse {
    let step = AnchorID(request.anchor).flatMap { edits.history.undoRemoval(of: $0) }
    return try await perform(step, "the removal is not remembered any more, or was taken back")
  }

  func undo() async throws(HTTPFailure) -> HTTPResponse {
    try await perform(edits.history.undo(), "there is nothing to undo")
  }

  func redo() async throws(HTTPFailure) -> HTTPResponse {
    try await perform(edits.history.redo(), "there is nothing to redo")
  }

  /// Carries out a step of the history, if there is one.
  private func perform(_ step: UndoHistory.Step?, _ reason: String) async throws(HTTPFailure) -> HTTPResponse {
    guard let step else { throw HTTPFailure(409, reason) }
    return try await edit { session throws(SessionError) in try await session.perform(step) }
  }

  func edit(_ change: (Session) async throws(SessionError) -> Void) async throws(HTTPFailure) -> HTTPResponse {
    do throws(SessionError) {
      try await change(session)
    } catch {
      throw HTTPFailure(409, error.message)
    }
    changes.announce()
    return HTTPResponse(text: "{}")
  }

  @concurrent
  private static func hit(_ tap: TapRequest, in scene: Scene, anchors: [Anchor]) async -> HitTest.Result? {
    scene.hit(tap, anchors: anchors)
  }

  private func name(for tap: TapRequest) -> String {
    if let name = tap.name, !name.isEmpty { return name }
    return edits.nextName(of: session.localPeer.name)
  }

  private func anchor(_ id: AnchorID) async throws(SessionError) -> Anchor {
    guard let anchor = await session.anchors().first(where: { $0.id == id }) else {
      throw SessionError(.unknownAnchor, "the anchor was removed")
    }
    return anchor
  }
}

// MARK: - Anchors in the hand

extension Viewer {
  /// Shows an anchor at another place, to everybody at once; the last place is the anchor's.
  func drag(_ request: DragRequest) async throws(HTTPFailure) -> HTTPResponse {
    guard request.place.count == 3, request.place.allSatisfy(\.isFinite) else {
      throw HTTPFailure(400, "a place has three coordinates")
    }
    do throws(SessionError) {
      let id = try AnchorID(page: request.anchor)
      let held = try await hold(id)
      var transform = held.origin
      transform.translation = SIMD3(request.place)
      do throws(SessionError) {
        try await held.drag.update(to: transform)
        hand.move(id, to: transform)
        if request.isEnd { try await held.drag.end() }
      } catch {
        hand.release(id)
        throw error
      }
      if request.isEnd {
        hand.release(id)
        edits.history.record(.move(id, from: held.origin, to: transform))
        changes.announce()
      }
    } catch {
      throw HTTPFailure(409, error.message)
    }
    return HTTPResponse(text: "{}")
  }

  /// Lets go what pages that are gone have held; each has moved an anchor, which can be taken back.
  func releaseAbandoned() {
    for held in hand.releaseAbandoned() {
      edits.history.record(.move(held.drag.anchor, from: held.origin, to: held.place))
    }
  }

  private func hold(_ id: AnchorID) async throws(SessionError) -> Hand.Held {
    if let held = hand.find(id) { return held }
    let anchor = try await anchor(id)
    return hand.take(try await session.beginDrag(id), from: anchor.transform)
  }

  /// The devices and the anchors in other peers' hands: what may be new sixty times a second.
  func live() async -> JSON.Members {
    [
      "devices": .array(await session.participants().map(describeDevice)),
      "drags": .array(
        await session.drags().map { pose in
          [
            "id": .string(pose.anchor.description), "peer": .string(pose.peer.id.description),
            "transform": Self.numbers(pose.transform),
          ]
        }),
    ]
  }
}

extension AnchorID {
  /// The anchor that the page names.
  fileprivate init(page text: String) throws(SessionError) {
    guard let id = AnchorID(text) else { throw SessionError(.invalidArgument, "'\(text)' is no anchor's id") }
    self = id
  }
}

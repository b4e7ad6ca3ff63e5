extension Session {
  /// Takes an anchor into the hand.
  ///
  /// Others see every ``Drag/update(to:)`` as ``Event/anchorDragged(_:)`` at once, and the place where it ends as an update
  /// of the anchor.
  /// - Throws: ``SessionError`` with the code `unknownAnchor`, or `limitExceeded` when this peer drags 16 anchors already.
  public func beginDrag(_ anchor: AnchorID) async throws(SessionError) -> Drag {
    Drag(anchor: anchor, id: try await core.beginDrag(anchor), core: core)
  }

  /// Tells the others where this device is, up to 60 times a second; nil that it tells no more.
  ///
  /// They see it as a participant anchor for as long as this peer can be reached.
  /// - Throws: ``SessionError`` with the code `invalidArgument` for a transform that is not rigid.
  public func updatePose(_ transform: Transform?) async throws(SessionError) {
    try await core.updatePose(transform)
  }

  /// Says which live poses this peer wants: drags of anchors, and devices, that meet the filter where they are.
  ///
  /// The others are told and send it nothing else, unless it has to pass the poses on to peers they cannot reach and that want
  /// them. What leaves the filter has ended for this peer.
  /// - Throws: ``SessionError`` with the code `invalidArgument` for a prefix over ``Limits/anchorName`` bytes or a region that
  ///   is not finite.
  public func setInterest(_ filter: AnchorFilter) async throws(SessionError) { try await core.setInterest(filter) }

  /// The devices of other peers that tell where they are, as anchors of the kind ``Anchor/Kind/participant(_:)``, in the
  /// order of their ids.
  ///
  /// They are not among ``anchors()``: they are neither saved nor part of the digest.
  public func participants() async -> [Anchor] { await core.participants() }

  /// The anchors that other peers drag at this moment, and where.
  public func drags() async -> [LivePose] { await core.drags() }
}

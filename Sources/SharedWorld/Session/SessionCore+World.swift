import AnchorReplication
import PeerProtocol
import WorldModel

extension SessionCore {
  func place(_ anchor: Anchor) throws(SessionError) -> AnchorID {
    try edit(anchor.id) { anchors, time throws(AnchorError) in _ = try anchors.place(anchor, at: time) }
    return anchor.id
  }

  func restore(_ anchor: Anchor, from removed: AnchorID) throws(SessionError) {
    try edit(anchor.id) { anchors, time throws(AnchorError) in
      _ = try anchors.restore(anchor, from: removed, at: time)
    }
  }

  func move(_ id: AnchorID, to transform: Transform) throws(SessionError) {
    try edit(id) { anchors, time throws(AnchorError) in _ = try anchors.move(id, to: transform, at: time) }
  }

  func place(_ list: [Anchor]) throws(SessionError) {
    try edit(nil) { anchors, time throws(AnchorError) in
      for anchor in list { _ = try anchors.place(anchor, at: time) }
    }
  }

  func move(_ moves: [(id: AnchorID, transform: Transform)]) throws(SessionError) {
    try edit(nil) { anchors, time throws(AnchorError) in
      for move in moves { _ = try anchors.move(move.id, to: move.transform, at: time) }
    }
  }

  func rename(_ id: AnchorID, to name: String) throws(SessionError) {
    try edit(id) { anchors, time throws(AnchorError) in _ = try anchors.rename(id, to: name, at: time) }
  }

  func setPayload(_ payload: Anchor.Payload?, of id: AnchorID) throws(SessionError) {
    try edit(id) { anchors, time throws(AnchorError) in _ = try anchors.setPayload(payload, of: id, at: time) }
  }

  func remove(_ id: AnchorID) throws(SessionError) {
    try edit(id) { anchors, time throws(AnchorError) in _ = try anchors.remove(id, at: time) }
  }

  func anchors() -> [Anchor] {
    (try? withNode { node, _ in node.anchors.anchors }) ?? []
  }

  func digest() -> SHA256Digest {
    (try? withNode { node, _ in node.anchors.digest }) ?? SHA256Digest(hashing: [])
  }

  private func edit(
    _ id: AnchorID?, _ change: (inout AnchorSet, UInt64) throws(AnchorError) -> Void
  ) throws(SessionError) {
    let failure = try withNode { node, now -> AnchorError? in
      do throws(AnchorError) {
        try node.edit(at: now, change)
        return nil
      } catch {
        return error
      }
    }
    if let failure { throw SessionError(failure, anchor: id) }
  }

  func share(_ map: WorldMap, with peer: PeerID?) async throws(SessionError) -> MapID {
    if let peer, try !withNode({ node, _ in node.memberSnapshots.contains { $0.peerID == peer } }) {
      throw SessionError(.unknownPeer, "\(peer.short) is not a member of this session")
    }
    let package = try await Self.pack(map)
    let failure = try withNode { node, now -> AnchorError? in
      do throws(AnchorError) {
        try node.importAnchors(of: package, anchors: map.anchors)
        node.handle(.share(package, with: peer), at: now)
        return nil
      } catch {
        return error
      }
    }
    if let failure { throw SessionError(failure, anchor: nil) }
    let id = try withNode { node, _ in node.latestSharedMap }
    guard let id else { throw SessionError(.ended, "the session has ended; start a new one") }
    self.map = (id, map)
    return id
  }

  /// Encodes, cuts and hashes a map on the ordinary executor.
  @concurrent
  private nonisolated static func pack(_ map: WorldMap) async throws(SessionError) -> MapPackage {
    do {
      return MapPackage(map: try map.encoded())
    } catch {
      throw SessionError(.invalidArgument, "the map cannot be encoded: \(error)", cause: error)
    }
  }

  /// Decodes a map that has arrived, beside the event loop.
  func open(_ package: MapPackage, id: MapID, from peer: PeerID) {
    let added = jobs.add { [weak self] in
      do {
        let map = try WorldMap(decoding: try package.assembled())
        await self?.opened(map, id: id, from: peer, bytes: package.size)
      } catch {
        await self?.failedToOpen(id, error)
      }
    }
    if !added { hub.publish([.mapFailed(SessionError(.limitExceeded, "too much work is waiting"))]) }
  }

  private func opened(_ map: WorldMap, id: MapID, from peer: PeerID, bytes: Int) {
    self.map = (id, map)
    let receipt = Session.MapReceipt(
      from: peer, mapID: id, points: map.cloud.count, anchors: map.anchors.count, bytes: bytes)
    hub.publish([.mapReceived(receipt)])
  }

  private func failedToOpen(_ id: MapID, _ error: any Error) {
    hub.publish([.mapFailed(SessionError(.corruptData, "map \(id) cannot be read: \(error)", cause: error))])
  }

  func currentMap() -> WorldMap? { map?.map }
}

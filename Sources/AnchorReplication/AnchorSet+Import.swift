package import Basics
package import WorldModel

extension AnchorSet {
  /// Lets the anchors of a shared map join the set, once, for any provider and any number of shares.
  ///
  /// The additions are numbered 1…n in the order of the anchors' ids and written in the name of an actor made from the
  /// map's hash, with clock 0. Peers that import the same map at the same time thus write the same operations, and
  /// removed anchors stay removed when the map is shared again. Any edit is later than clock 0.
  ///
  /// An id that is in the set already, from another map or from a peer, keeps showing once: of its entries the one
  /// written last, or of those never edited the one with the smaller key (actor, then number). An id that was removed
  /// and is in another map comes back: a new map states its anchors again.
  ///
  /// - Parameters:
  ///   - mapDigest: The hash of the map, the same for everyone who has it.
  ///   - anchors: All its anchors, in any order. Creators and times are left out, and so are participants.
  /// - Returns: The number of additions that were new here.
  @discardableResult
  package mutating func importAnchors(
    of mapDigest: SHA256Digest, anchors: [Anchor]
  ) throws(AnchorError) -> Int {
    let mapActor = ActorID(mapDigest: mapDigest)
    let seen = actors.seen(of: mapActor)
    // Where a peer stood when the map was made is not said in its name: only it may say so.
    let anchors = anchors.filter { $0.kind.mayBeWritten(by: mapActor) }
    guard seen < UInt64(anchors.count) else { return 0 }
    let added = try newAnchors(anchors)[Int(seen)...]
    guard table.entries.count + added.count <= limits.anchors else {
      throw .overLimit(.anchors, limit: limits.anchors)
    }
    let bytes = added.reduce(0) { $0 + $1.stateBytes }
    guard table.stateBytes + bytes <= limits.stateBytes else {
      throw .overLimit(.stateBytes, limit: limits.stateBytes)
    }
    guard let index = actors.intern(mapActor, limit: limits.actors) else {
      throw .overLimit(.actors, limit: limits.actors)
    }
    for (offset, anchor) in added.enumerated() {
      let dot = Dot(actor: mapActor, sequence: seen + UInt64(offset) + 1)
      let operation = AnchorOperation(dot: dot, clock: 0, action: .add(anchor))
      integrate(operation, by: index, origin: .map)
      log.append(operation, actor: index)
    }
    releaseHeld(awaiting: mapActor, beyond: seen)
    return added.count
  }

  /// The additions in the order of their ids; refuses a duplicate id.
  private func newAnchors(_ anchors: [Anchor]) throws(AnchorError) -> [NewAnchor] {
    var result: [NewAnchor] = []
    result.reserveCapacity(anchors.count)
    for anchor in anchors.sorted(by: { $0.id < $1.id }) {
      if result.last?.id == anchor.id { throw .duplicateAnchor(anchor.id) }
      result.append(try NewAnchor(checking: anchor))
    }
    return result
  }
}

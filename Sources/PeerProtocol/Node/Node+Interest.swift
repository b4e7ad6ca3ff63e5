import AnchorReplication
package import WorldModel

/// Which live poses a node wants: its neighbours send no others, as far as nobody else depends on it for them.
extension Node {
  /// Tells the others which live poses the app wants from now on.
  package mutating func setInterest(_ filter: AnchorFilter) {
    let live = livePoses
    interest.set(filter, live: live)
    for update in live { tellLive(update) }
    for id in memberLinks { sendInterest(on: id) }
  }

  /// Tells a neighbour what this node wants to hear of.
  mutating func sendInterest(on id: LinkID) {
    let filter = interest.filter
    sendControl(.interest, on: id) { filter.write(to: &$0) }
  }

  mutating func receiveInterest(_ filter: AnchorFilter, on id: LinkID) {
    links[id]?.interest.set(filter, live: ephemeral.own)
    for update in ephemeral.own { offer(update, on: id) }
  }

  /// Tells the app of a live pose, if it wants it.
  mutating func tellLive(_ update: EphemeralUpdate) {
    if let wanted = interest.admit(update, of: anchor(movedBy: update)) { tell(.ephemeral(wanted)) }
  }

  /// Lets an update leave on a link, if the other side wants it or passes it on.
  mutating func offer(_ update: EphemeralUpdate, on id: LinkID) {
    guard update.origin == me, graph.reachable.subtracting(graph.neighbours).isEmpty else {
      return queue(update, on: id)
    }
    guard links[id]?.interest.filter != .all else { return queue(update, on: id) }
    let anchor = anchor(movedBy: update)
    if let wanted = links[id]?.interest.admit(update, of: anchor) { queue(wanted, on: id) }
  }

  /// Puts an update in the place of an older one, to leave in this turn or never.
  private mutating func queue(_ update: EphemeralUpdate, on id: LinkID) {
    links[id]?.queue(update)
    flushSoon(id)
  }

  /// What an update shows, as an anchor; nil when it is not known here.
  func anchor(movedBy update: EphemeralUpdate) -> Anchor? {
    guard let transform = update.pose?.transform else { return nil }
    let peer = update.origin.peer
    guard case .anchor(let id) = update.subject else {
      var anchor = Anchor(
        id: .participant(peer), name: roster[peer]?.name ?? "", transform: transform, kind: .participant(peer))
      anchor.creator = peer
      return anchor
    }
    var anchor = anchors[id]
    anchor?.transform = transform
    return anchor
  }
}

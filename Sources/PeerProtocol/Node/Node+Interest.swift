import AnchorReplication
package import WorldModel

/// Which live poses the members want: none are sent that nobody wants who gets them from here, or through here.
extension Node {
  /// Tells the others which live poses the app wants from now on.
  package mutating func setInterest(_ filter: AnchorFilter) {
    let live = livePoses
    interest.set(filter, live: live)
    interestVersion += 1
    for update in live { tellLive(update) }
    for id in memberLinks { sendInterest(on: id) }
  }

  /// Tells a neighbour what this node wants to hear of; who never said anything wants all.
  mutating func sendInterest(on id: LinkID) {
    guard interestVersion > 0 else { return }
    send(InterestFrame(node: me, version: interestVersion, filter: interest.filter), on: id)
  }

  /// Tells a new neighbour what this node and those behind it want.
  mutating func introduceInterests(on id: LinkID) {
    sendInterest(on: id)
    for told in interests.all where told.node != links[id]?.node { send(told, on: id) }
  }

  private mutating func send(_ told: InterestFrame, on id: LinkID) {
    sendControl(.interest, on: id) { told.write(to: &$0) }
  }

  /// Takes what a member wants and hands it on, as far as it is news.
  mutating func receiveInterest(_ told: InterestFrame, from link: Link) {
    let isOwnWord = told.node == link.node
    guard isOwnWord || mayBeFar(told.node), interests.take(told, isOwnWord: isOwnWord) else { return }
    for id in memberLinks where id != link.id && links[id]?.node != told.node { send(told, on: id) }
    reconsiderPoses()
  }

  /// Whether `node` is a member without a link of its own: who has one is believed on that link alone.
  private func mayBeFar(_ node: NodeID) -> Bool {
    guard node != me, roster.admits(node.peer), roster[node.peer]?.node == node else { return false }
    return graph.place(of: node).map { !graph.neighbours.contains($0) } ?? true
  }

  /// Forgets what was wanted by those who are no members any more.
  mutating func forgetInterests() {
    interests.keep { roster.admits($0.peer) && roster[$0.peer]?.node == $0 }
  }

  /// Looks anew at who wants which poses, after a change of wishes or of ways.
  ///
  /// Whoever saw something by another way before is told its end by this one.
  mutating func reconsiderPoses() {
    let (own, known) = (ephemeral.renew(), ephemeral.known)
    for id in memberLinks {
      let relayed = known.filter { relays($0.origin, on: id) }
      links[id]?.shownPoses.assume(own + relayed)
      for update in own { offer(update, on: id) }
      for update in relayed where isWanted(update, on: id) { offer(update, on: id) }
    }
  }

  /// Tells the app of a live pose, if it wants it.
  mutating func tellLive(_ update: EphemeralUpdate) {
    guard shownNodes.contains(update.origin) else { return }
    if let wanted = interest.admit(update, of: anchor(movedBy: update)) { tell(.ephemeral(wanted)) }
  }

  /// Lets an update leave on a link, if the other side wants it, or one that gets it from there.
  ///
  /// The end of another's pose is always passed on: it may have been seen by another way.
  mutating func offer(_ update: EphemeralUpdate, on id: LinkID) {
    guard interests.isNarrow, update.origin == me || update.pose != nil else { return queue(update, on: id) }
    let isWanted = isWanted(update, on: id)
    if let admitted = links[id]?.shownPoses.admit(update, isWanted: isWanted) { queue(admitted, on: id) }
  }

  private func isWanted(_ update: EphemeralUpdate, on id: LinkID) -> Bool {
    guard update.pose != nil, let neighbour = links[id]?.node else { return false }
    guard let anchor = anchor(movedBy: update) else { return true }
    if interests.wants(anchor, neighbour) { return true }
    var far = dependants(of: neighbour, for: update.origin)
    while let place = far.popFirst() {
      if let node = graph.node(at: place), interests.wants(anchor, node) { return true }
    }
    return false
  }

  /// The members that get what `origin` sends neither from it nor from this node but, perhaps, by way of `neighbour`.
  private func dependants(of neighbour: NodeID, for origin: NodeID) -> NodeSet {
    var rest = graph.reachable.subtracting(graph.neighbours)
    if origin != me {
      rest = rest.subtracting(graph.linked(to: origin))
      if let place = graph.place(of: origin) { rest.remove(place) }
    }
    var found = NodeSet()
    var ring = graph.linked(to: neighbour).intersection(rest)
    while !ring.isEmpty {
      found = found.union(ring)
      rest = rest.subtracting(ring)
      var next = NodeSet()
      while let place = ring.popFirst() {
        if let node = graph.node(at: place) { next = next.union(graph.linked(to: node)) }
      }
      ring = next.intersection(rest)
    }
    return found
  }

  /// Puts an update in the place of an older one, to leave in this turn or never.
  private mutating func queue(_ update: EphemeralUpdate, on id: LinkID) {
    links[id]?.queue(update)
    flushSoon(id)
  }

  /// What an update shows, as an anchor; nil when it is not known here.
  func anchor(movedBy update: EphemeralUpdate) -> MovedAnchor? {
    guard let transform = update.pose?.transform else { return nil }
    let peer = update.origin.peer
    guard case .anchor(let id) = update.subject else {
      var anchor = Anchor(
        id: .participant(peer), name: roster[peer]?.name ?? "", transform: transform, kind: .participant(peer))
      anchor.creator = peer
      return MovedAnchor(anchor: anchor, owner: peer)
    }
    guard var anchor = turn.anchors[id] else { return nil }
    anchor.transform = transform
    return MovedAnchor(anchor: anchor, owner: turn.anchors.lock(of: id)?.owner)
  }
}

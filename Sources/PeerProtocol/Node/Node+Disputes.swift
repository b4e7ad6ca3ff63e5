import WorldModel

/// What others say of a peer against what this node sees itself.
///
/// Records are not signed: a member could put another one out by a false record. So nobody has left who is linked to
/// this node; a removal counts when the host says so itself; and once it counts, only the host takes it back.
extension Node {
  /// Whether a record of another peer, said by `teller`, is to be taken.
  func believes(_ entry: RosterEntry, from teller: PeerID) -> Bool {
    let peer = entry.peerID
    guard let known = roster[peer] else { return entry.status != .kicked || speaksForSession(teller) }
    switch (known.status, entry.status) {
    case (.present, .left): return !hasMemberLink(to: peer)
    case (.present, .kicked): return believesRemoval(of: peer, by: teller)
    case (.kicked, .present), (.kicked, .left): return speaksForSession(teller)
    default: return true
    }
  }

  /// Whether a removal told by `teller` is to be believed: from who hosts, and from nobody else.
  func believesRemoval(of peer: PeerID, by teller: PeerID) -> Bool {
    if speaksForSession(teller) { return true }
    // Whoever was removed while it was alone hosts itself, or nobody, until it hears of it.
    guard peer == me.peer, memberLinks.isEmpty else { return false }
    return election.host == nil || election.host == me
  }

  /// Whether `peer` hosts, or acted as host on a link of its own just now, as in a session that merged into this one.
  private func speaksForSession(_ peer: PeerID) -> Bool {
    if let host = election.host, host.peer == peer { return controlLinks[peer].flatMap { links[$0]?.node } == host }
    return seenHosts[peer].map { lastTick - $0 <= ProtocolTimes.hosted } ?? false
  }

  func hasMemberLink(to peer: PeerID) -> Bool {
    controlLinks[peer].map(carriesMember) ?? false
  }

  /// Keeps a record that is not believed.
  mutating func dispute(_ entry: RosterEntry, from teller: PeerID, at now: Instant) {
    guard roster.takes(entry) else { return }
    disputes[entry.peerID, default: Dispute(entry: entry, tellers: [], since: now)].add(entry, from: teller)
  }

  /// Looks again at what was not believed.
  ///
  /// By now the peer may have gone, or the teller have become host. If not, it is contradicted by whoever may: a
  /// departure by each who is linked to the peer, all else by the host.
  mutating func settleDisputes(at now: Instant) {
    for (peer, dispute) in disputes.sorted(by: { $0.key < $1.key }) where now - dispute.since >= ProtocolTimes.dispute {
      disputes[peer] = nil
      if let teller = dispute.tellers.first(where: { believes(dispute.entry, from: $0) }) {
        receiveRoster([dispute.entry], from: teller, at: now)
      } else if dispute.entry.status == .left || election.host == me {
        contradict(dispute.entry, at: now)
      }
    }
  }

  private mutating func contradict(_ entry: RosterEntry, at now: Instant) {
    let corrected = roster.update(entry.peerID) { $0.version = max($0.version, entry.version) + 1 }
    guard let corrected else { return }
    gossip([corrected], except: nil)
  }

  /// Notes that a peer acts as host on its own link.
  mutating func noteHost(_ message: ElectionMessage, from origin: NodeID, over link: Link, at now: Instant) {
    guard origin == link.node else { return }
    switch message {
    case .beat, .offer, .win, .yield: seenHosts[origin.peer] = now
    default: break
    }
  }
}

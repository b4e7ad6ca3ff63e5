import Basics
import WorldModel

/// What others say of a peer against what this node sees itself.
///
/// Records are not signed: a member could put another one out by a false record. So nobody has left who can be reached,
/// and a removal counts, and is taken back, when the host says so itself.
extension Node {
  /// Whether a record of another peer, said by `tellers`, is to be taken.
  func believes(_ entry: RosterEntry, from tellers: [PeerID]) -> Bool {
    guard !configuration.mistakes.node.contains(.believesEverything) else { return true }
    switch (roster[entry.peerID]?.status, entry.status) {
    case (.kicked, .kicked): return true
    case (.kicked, _): return election.host != me && speakForHost(tellers)
    // Nobody speaks for a host that is to be removed.
    case (_, .kicked): return election.host?.peer != entry.peerID && speakForHost(tellers)
    case (.present, .left):
      return !hasMemberLink(to: entry.peerID) && !isReachable(entry.peerID) && !isOfAnotherStart(entry)
    default: return true
    }
  }

  /// Whether `tellers` may say who is removed, or what the rules are.
  ///
  /// That is the host, over its own link; for who has no link to it, a neighbour on the way there. The host itself hears
  /// of removals only when another session merges into its own: one member alone could claim that, so it takes two.
  func speakForHost(_ tellers: [PeerID]) -> Bool {
    guard let host = election.host else { return false }
    if host == me { return tellers.count > 1 }
    if hasMemberLink(to: host.peer) { return tellers.contains { linkedNode($0) == host } }
    let ways = graph.ways(to: host)
    return tellers.contains { linkedNode($0).flatMap(graph.place).map(ways.contains) ?? false }
  }

  /// The start of a process that carries a peer's traffic.
  func linkedNode(_ peer: PeerID) -> NodeID? { controlLinks[peer].flatMap { links[$0]?.node } }

  func hasMemberLink(to peer: PeerID) -> Bool {
    controlLinks[peer].map(carriesMember) ?? false
  }

  /// Whether a record is about another start of a peer than the one that was here a moment ago, which then has not left.
  private func isOfAnotherStart(_ entry: RosterEntry) -> Bool {
    guard case .reconnecting = members[entry.peerID]?.status else { return false }
    return roster[entry.peerID]?.incarnation != entry.incarnation
  }

  private func isReachable(_ peer: PeerID) -> Bool {
    reachable.contains { $0.node.peer == peer }
  }

  /// Who says this of a peer, `teller` included.
  func tellers(of entry: RosterEntry, and teller: PeerID) -> [PeerID] {
    let others = disputes[entry.peerID].map { $0.entry.status == entry.status ? $0.tellers : [] } ?? []
    return others.contains(teller) || !mayKnow(teller, more: entry) ? others : others + [teller]
  }

  /// Whether a member may know of a removal that this node does not know of; as host it is the first to know.
  private func mayKnow(_ teller: PeerID, more entry: RosterEntry) -> Bool {
    entry.status != .kicked || election.host != me || !isFollowed(by: teller)
  }

  /// Whether a member is among the followers of this node, which hosts.
  func isFollowed(by peer: PeerID) -> Bool {
    linkedNode(peer).map { election.isFollowed(by: $0, at: lastTick) } ?? false
  }

  /// Keeps a record that is not believed.
  mutating func dispute(_ entry: RosterEntry, from tellers: [PeerID], at now: Instant) {
    let known = disputes[entry.peerID]
    guard roster.takes(entry), known != nil || disputes.count < ProtocolLimits.roster else { return }
    if let known, !entry.replaces(known.entry), known.entry.status != entry.status { return }
    let stands = known.map { entry.replaces($0.entry) ? entry : $0.entry } ?? entry
    disputes[entry.peerID] = Dispute(entry: stands, tellers: tellers, since: known?.since ?? now)
  }

  /// Takes what was not believed and is now, as when the host changed or a peer can be reached no longer.
  mutating func takeBelieved(at now: Instant) {
    hasNewEvidence = false
    for (peer, dispute) in disputes.sorted(by: { $0.key < $1.key }) {
      guard believes(dispute.entry, from: dispute.tellers) else { continue }
      disputes[peer] = nil
      take([dispute.entry], from: nil, at: now)
    }
  }

  /// Looks again at what was not believed.
  ///
  /// What still is not is contradicted by whoever may: a departure by each who is linked to the peer, all else by the
  /// host; while there is none it waits.
  mutating func settleDisputes(at now: Instant) {
    takeBelieved(at: now)
    for (peer, dispute) in disputes.sorted(by: { $0.key < $1.key }) where now - dispute.since >= ProtocolTimes.dispute {
      let isDeparture = dispute.entry.status == .left
      guard isDeparture || election.host != nil else { continue }
      disputes[peer] = nil
      if election.host == me || isDeparture && hasMemberLink(to: peer) { contradict(dispute.entry) }
    }
  }

  private mutating func contradict(_ entry: RosterEntry) {
    let corrected = roster.update(entry.peerID) { $0.version = max($0.version, entry.version) + 1 }
    guard let corrected else { return }
    gossip([corrected], except: nil)
  }

  // MARK: What is said of this node

  /// Notes that a member says that this node was removed; whether that is to be believed.
  ///
  /// Nothing brings a node back that believed it wrongly. So it takes the host's own word, or, without a member's link,
  /// that of its last host or of two members; a newcomer that has heard of no host yet, that of the only one it knows.
  mutating func believesOwnRemoval(from teller: PeerID) -> Bool {
    if !removers.contains(teller) { removers.append(teller) }
    if configuration.mistakes.node.contains(.believesEverything) { return true }
    if election.host?.peer == teller { return true }
    guard memberLinks.isEmpty else { return false }
    let isNew = election.host == nil && lastHost == nil
    return removers.count > 1 || lastHost == teller || isNew && roster.presentCount == 2
  }

  /// Takes back a peer that has not left as others said, or refused this one when it knew no better: it comes with the
  /// same start of its process, which leaving would have ended, and holds this node as a member.
  mutating func takeBack(_ node: NodeID, at now: Instant) {
    guard let known = roster[node.peer], known.status == .left, known.incarnation == node.incarnation,
      departed[node.peer] != node.incarnation, let entry = roster.update(node.peer, { $0.status = .present })
    else { return }
    entryChanged(entry, at: now)
    gossip([entry], except: nil)
  }
}

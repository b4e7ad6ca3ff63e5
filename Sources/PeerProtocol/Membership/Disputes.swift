import AnchorReplication
import Basics
import WorldModel

/// The records of others about a peer against what this node sees itself.
///
/// Records are not signed: a member could put another one out by a false record. So nobody has left who can be reached,
/// and a removal counts, and is taken back, when the host says so itself (`Authority.swift`).
///
/// A record that contradicts this may still be true. The host's word may come by way of others, or before this node has
/// heard who hosts, and nobody repeats it. To refuse the record would lose it; to believe as many tellers as agree
/// would let two liars remove a third. So it is neither refused nor believed: it waits, with the members that told it,
/// and is judged again whenever the evidence changes, as when another node hosts or a link is lost.
///
/// After ``ProtocolTimes/dispute`` it is contradicted by a record with a later version: a departure by each member that
/// is linked to the peer, all else by the host. A false record therefore ends everywhere, also at members that see
/// neither the peer nor the host. The removal of this node *itself* is judged apart (``believesOwnRemoval(from:in:)``):
/// it makes the node leave, and nothing brings it back.
///
/// They have the bounds of the roster, for strangers can be invented. The effect of each lie is in the table of
/// Documentation/membership.md, and `Liar` of the simulator tells all of them.
struct Disputes: Sendable {
  /// A record of a peer that is not believed yet.
  private struct Dispute: Sendable {
    /// The record that would stand if it were believed.
    let entry: RosterEntry
    /// The members that told it.
    let tellers: [PeerID]
    /// When it was heard first.
    let since: Instant
  }

  private var disputes: Table<PeerID, Dispute> = [:]
  /// Records of members that others know and for which there was no place here.
  private var unplaced: Table<PeerID, Dispute> = [:]
  /// The words on removals that members have signed.
  var witnesses = WitnessBook()
  /// Whether some of them may be believed now, because another one hosts or can be reached.
  var hasNewEvidence = false
  /// Members that claimed we were removed since their last member link.
  private var removers: [PeerID] = []
  /// The last host that this node followed.
  private var lastHost: PeerID?
  /// Since when the session has been locked or full; nil while it takes newcomers.
  private var closedSince: Instant?
  /// Peers that said themselves that they leave: which start of their process.
  private var departed: [PeerID: UInt64] = [:]
  /// Peers that are out by a record of another start of their process than the one that was a member here: which one was.
  private var displaced: [PeerID: UInt64] = [:]

  // MARK: Evidence

  /// This node follows another host, or none.
  mutating func hostChanged(to host: NodeID?, in turn: borrowing Turn) {
    if let host, host != turn.me { lastHost = host.peer }
    hasNewEvidence = true
  }

  /// A peer is a member again: what was remembered of its departure is void.
  mutating func returned(_ peer: PeerID) {
    departed[peer] = nil
    displaced[peer] = nil
  }

  /// A record takes the place of that of a member.
  mutating func replaces(_ entry: RosterEntry, _ known: RosterEntry) {
    guard known.status == .present, entry.status == .left, entry.incarnation != known.incarnation,
      displaced.count < ProtocolLimits.roster
    else { return }
    displaced[entry.peerID] = known.incarnation
  }

  /// Whether a peer that is out by `record` has not left, when this start of it says that it is a member.
  ///
  /// Leaving ends the part of a process, so the record is wrong of its own start. A record of another start may be of an
  /// earlier one: it says nothing of a start that was a member here.
  func isWrong(_ record: RosterEntry, of node: NodeID) -> Bool {
    guard record.status == .left, departed[node.peer] != node.incarnation else { return false }
    return record.incarnation == node.incarnation || displaced[node.peer] == node.incarnation
  }

  /// A peer is out: nothing is disputed any more, and its place is free.
  mutating func settled(_ peer: PeerID) {
    disputes[peer] = nil
    if !unplaced.isEmpty { hasNewEvidence = true }
  }

  /// A peer is linked as a member: what it said before of this node is void.
  mutating func linked(_ peer: PeerID) { removers.removeAll { $0 == peer } }

  /// A member said itself that it leaves.
  mutating func departed(_ node: NodeID) { departed[node.peer] = node.incarnation }

  /// Looks whether the session takes newcomers.
  mutating func observeRules(in turn: borrowing Turn) {
    closedSince = turn.mesh.invitationRefusal == nil ? nil : closedSince ?? turn.now
  }

  // MARK: Judgement

  /// Whether a record of another peer, said by `tellers`, is to be taken.
  func believes(_ entry: RosterEntry, from tellers: [PeerID], in turn: borrowing Turn) -> Bool {
    let kept = turn.configuration.rules
    let isAllowed = turn.mesh.governance.allows(
      entry, known: turn.mesh.roster[entry.peerID]?.status,
      (admission: kept.contains(.signedAdmission), removal: kept.contains(.signedRemoval)))
    if let isAllowed { return isAllowed }
    guard kept.contains(.judgment) else { return true }
    switch (turn.mesh.roster[entry.peerID]?.status, entry.status) {
    case (.kicked, .kicked): return true
    case (.kicked, .present), (.kicked, .left): return turn.mesh.host != turn.me && turn.speaksForHost(tellers)
    // Nobody speaks for a host that is to be removed.
    case (.present, .kicked), (.left, .kicked), (nil, .kicked):
      return turn.mesh.host?.peer != entry.peerID && turn.speaksForHost(tellers)
    case (.present, .left):
      return !turn.mesh.hasMemberLink(to: entry.peerID) && !turn.mesh.isReachable(entry.peerID)
        && !isOfAnotherStart(entry, in: turn)
    case (.left, .present), (nil, .present):
      return !turn.mesh.roster.isStranger(entry.peerID) || turn.mesh.invitationRefusal == nil
        || mayAdmit(tellers, in: turn)
    case (.present, .present), (.left, .left), (nil, .left): return true
    }
  }

  /// Whether `tellers` may say who is a member of a session that takes no newcomers.
  ///
  /// The host vouches: with its word for others, and for what it hears itself where the newcomer may have been admitted before
  /// the session was closed, or in another part of it that has come back.
  private func mayAdmit(_ tellers: [PeerID], in turn: borrowing Turn) -> Bool {
    guard turn.mesh.host == turn.me else { return turn.speaksForHost(tellers) }
    if let closedSince, turn.now - closedSince >= ProtocolTimes.admissionSettling {
      return tellers.count > 1 || tellers.contains { !turn.isFollowed(by: $0) || turn.isNew($0) }
    }
    return true
  }

  /// Whether a record is about another start of a peer than the one that was here a moment ago, which then has not left.
  private func isOfAnotherStart(_ entry: RosterEntry, in turn: borrowing Turn) -> Bool {
    guard case .reconnecting = turn.mesh.standings[entry.peerID]?.status else { return false }
    return turn.mesh.roster[entry.peerID]?.incarnation != entry.incarnation
  }

  /// The members that say this of a peer, `teller` included.
  func tellers(of entry: RosterEntry, and teller: PeerID, in turn: borrowing Turn) -> [PeerID] {
    let others = tellers(of: entry)
    return others.contains(teller) || !mayKnow(teller, more: entry, in: turn) ? others : others + [teller]
  }

  /// The members that have said or signed this of a peer.
  func tellers(of entry: RosterEntry) -> [PeerID] {
    let tellers = disputes[entry.peerID].map { $0.entry.status == entry.status ? $0.tellers : [] } ?? []
    guard entry.status == .kicked else { return tellers }
    return tellers + witnesses.signers(of: entry.peerID).filter { !tellers.contains($0) }
  }

  /// The record of a removal that somebody has signed, above all that are known; nil when it stands already.
  func removal(of peer: PeerID, in roster: borrowing Roster) -> RosterEntry? {
    guard var entry = roster[peer], entry.status != .kicked else { return nil }
    entry.status = .kicked
    entry.version = RecordVersion.next(after: entry.version)
    guard let known = disputes[peer]?.entry, known.status == .kicked, known.replaces(entry) else { return entry }
    return known
  }

  /// Whether a member may know of a removal that this node does not know of; as host it is the first to know, but for what
  /// was removed in another session that has just merged with this one.
  private func mayKnow(_ teller: PeerID, more entry: RosterEntry, in turn: borrowing Turn) -> Bool {
    entry.status != .kicked || turn.mesh.host != turn.me || !turn.isFollowed(by: teller) || turn.isNew(teller)
  }

  /// Keeps a record that is not believed.
  mutating func dispute(_ entry: RosterEntry, from tellers: [PeerID], in turn: borrowing Turn) {
    let known = disputes[entry.peerID]
    guard turn.mesh.roster.takes(entry), known != nil || disputes.count < ProtocolLimits.roster else { return }
    if let known, !entry.replaces(known.entry), known.entry.status != entry.status { return }
    let stands = known.map { entry.replaces($0.entry) ? entry : $0.entry } ?? entry
    disputes[entry.peerID] = Dispute(entry: stands, tellers: tellers, since: known?.since ?? turn.now)
  }

  // MARK: Places

  /// Keeps the record of an unknown peer for which there is no place, for nobody says it again; whether it is such a record.
  ///
  /// A later record of such a peer takes its place, or ends the wait.
  mutating func waitsForPlace(_ entry: RosterEntry, from teller: PeerID, in roster: borrowing Roster) -> Bool {
    let known = unplaced[entry.peerID]
    if let known, !entry.replaces(known.entry) { return true }
    guard entry.status == .present, roster[entry.peerID] == nil, !roster.hasRoom else {
      unplaced[entry.peerID] = nil
      return false
    }
    // Records that one member makes up must not take the room of what others say.
    let isBounded =
      known != nil
      || unplaced.count < ProtocolLimits.roster
        && unplaced.values.count { $0.tellers == [teller] } < ProtocolLimits.departuresOfTeller
    if isBounded, entry.version <= RecordVersion.greatest {
      unplaced[entry.peerID] = Dispute(entry: entry, tellers: [teller], since: .zero)
    }
    return true
  }

  /// Lets as many of those that waited be judged as there are places.
  private mutating func fillPlaces(in turn: borrowing Turn) {
    var room = ProtocolLimits.members - turn.mesh.roster.presentCount
    guard room > 0, !unplaced.isEmpty else { return }
    for (peer, waiting) in unplaced where room > 0 {
      unplaced[peer] = nil
      guard turn.mesh.roster[peer] == nil, disputes[peer] == nil else { continue }
      disputes[peer] = Dispute(entry: waiting.entry, tellers: waiting.tellers, since: turn.now)
      room -= 1
    }
  }

  // MARK: Decisions

  /// Takes out the first record, of a peer behind `last`, that was not believed and is now.
  mutating func takeBelieved(after last: PeerID?, in turn: borrowing Turn) -> RosterEntry? {
    if last == nil { fillPlaces(in: turn) }
    for (peer, dispute) in disputes where last.map({ $0 < peer }) ?? true {
      guard believes(dispute.entry, from: dispute.tellers, in: turn) else { continue }
      disputes[peer] = nil
      return dispute.entry
    }
    return nil
  }

  /// Takes out the records that are still not believed and that this node may contradict.
  ///
  /// A departure is contradicted by each who is linked to the peer, all else by the host; while there is none it waits.
  mutating func takeContradicted(in turn: borrowing Turn) -> [RosterEntry] {
    var found: [RosterEntry] = []
    for (peer, dispute) in disputes
    where turn.now - dispute.since >= ProtocolTimes.dispute {
      let isDeparture = dispute.entry.status == .left
      guard isDeparture || turn.mesh.host != nil else { continue }
      disputes[peer] = nil
      if turn.mesh.host == turn.me || isDeparture && turn.mesh.hasMemberLink(to: peer) { found.append(dispute.entry) }
    }
    return found
  }

  /// Records that a member says that this node was removed; whether that is to be believed.
  ///
  /// Nothing brings a node back that believed it wrongly. So it takes the host's own word, or, without a member's link,
  /// that of its last host or of two members; a newcomer that has heard of no host yet but itself, that of the only one it
  /// knows.
  mutating func believesOwnRemoval(from teller: PeerID, in turn: borrowing Turn) -> Bool {
    guard !turn.mesh.governance.isInForce || !turn.configuration.rules.contains(.signedRemoval) else { return false }
    if !removers.contains(teller) { removers.append(teller) }
    if !turn.configuration.rules.contains(.judgment) { return true }
    if turn.mesh.host?.peer == teller { return true }
    guard turn.mesh.links.members.isEmpty else { return false }
    let isNew = lastHost == nil && (turn.mesh.host == nil || turn.mesh.reign.enters(teller, at: turn.now))
    return removers.count > 1 || lastHost == teller || isNew && turn.mesh.roster.presentCount == 2
  }
}

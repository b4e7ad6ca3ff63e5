package import Basics
package import WorldModel

/// An owned session as all organs see it; nothing in an open one.
package struct GovernanceView: Sendable {
  /// The genesis of the session that this node is in, and all statements; nil in an open one.
  package var record: GovernanceRecord?
  /// The hash of that genesis.
  package var session: SHA256Digest?
  /// The members with their roles.
  package var roles: Table<PeerID, SessionRole> = [:]
  /// When members are admitted no more (milliseconds since 1970), where that is known.
  package var ends: [PeerID: UInt64] = [:]
  /// The peers that were removed, and those whose admissions have ended.
  package var removed: KeySet<PeerID> = []
  /// Whether members that are no publishers share no maps.
  package var isCurated: Bool { record?.genesis.isCurated ?? false }
  /// Whether newcomers are turned away.
  package var isLocked = false
  /// Whether the statements here make this node a member: before that it knows too little to judge others.
  var isInForce = false
  /// The sessions that the other ends of links say they are in.
  var said: Table<LinkID, SHA256Digest> = [:]

  init() {}

  /// Whether the session is owned.
  package var isOwned: Bool { record != nil }

  /// The treatment of a peer that is not in its roster.
  enum Verdict: Equatable {
    /// Its session's rules for newcomers decide.
    case byRules
    /// It may come in, also into a session that is locked.
    case isMember
    case refused(EndReason)
  }

  /// Whether a peer may come in by a link, judged by `me`.
  ///
  /// An open session as a whole does not enter an owned one: each of its peers has to be admitted there by itself.
  func verdict(on peer: PeerID, by me: PeerID, link: LinkID?, isAlone: Bool) -> Verdict {
    let theirs = link.flatMap { said[$0] }
    guard let session else { return theirs == nil || isAlone ? .byRules : .refused(.refused) }
    if let theirs, theirs != session { return .refused(.refused) }
    guard isInForce else { return .byRules }
    if removed.contains(peer) { return .refused(.kicked) }
    if roles[peer] != nil { return .isMember }
    return roles[me]?.mayRule == true ? .byRules : .refused(.refused)
  }

  /// Whether a peer may write what all keep, such as anchors and attachments: everybody but a guest.
  func mayWrite(_ peer: PeerID) -> Bool { !isInForce || roles[peer] != .guest }

  /// Whether a peer may share a map with the session.
  ///
  /// The maps of peers that are members no more stay.
  func mayShareMaps(_ peer: PeerID) -> Bool {
    guard isInForce, let role = roles[peer] else { return true }
    switch role {
    case .creator, .moderator, .publisher: return true
    case .member: return !isCurated
    case .guest: return false
    }
  }

  /// Whether a peer may be a member again that was known as one.
  func mayReturn(_ peer: PeerID) -> Bool { !isInForce || roles[peer] != nil }

  /// Whether a record of a peer may stand, by the statements; nil where they say nothing.
  func allows(_ entry: RosterEntry, known: RosterEntry.Status?, _ rules: (admission: Bool, removal: Bool)) -> Bool? {
    guard isInForce else { return nil }
    switch entry.status {
    case .present: return rules.admission ? roles[entry.peerID] != nil : nil
    case .kicked: return rules.removal ? removed.contains(entry.peerID) : nil
    case .left: return known == .kicked && rules.removal ? !removed.contains(entry.peerID) : nil
    }
  }
}

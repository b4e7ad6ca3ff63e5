package import Basics
package import WorldModel

/// What organs tell each other.
///
/// The switchboard says who hears each of them, in which order (`Node+Notices.swift`).
package enum Notice: Sendable {
  // MARK: What has happened

  /// The other end of a link has said hello; the choice between this link and another one to the peer is still to be made.
  case greeted(LinkRef, Hello)
  /// A link carries its peer's traffic, or is chosen again.
  case carries(LinkRef)
  /// Both ends of a link hold each other as members.
  case linked(LinkRef)
  /// A link is gone.
  indirect case unlinked(ClosedLink)
  /// A stranger's time is over.
  case strangerExpired(LinkRef)

  /// The record of a peer has changed; `reason` is what the app is told of one that is out.
  case recordChanged(RosterEntry, reason: EndReason?)
  /// A record is believed.
  case record(RosterEntry, from: PeerID?)
  /// All records that a member said, or that were believed at last, have been told before this.
  case recordsTaken(from: PeerID?)
  /// This node, alone before, enters the session of another one.
  case enters
  /// A member was away for too long.
  case memberLost
  /// These members can be reached now; `came` when there is one that could not be reached before.
  case reachable([ElectionMember], came: Bool)

  /// The ways between members have changed, and perhaps who can be reached.
  case graphChanged(members: Bool)
  /// A neighbour was told of the links of a member, and now hears what else there is of that one.
  case announced(NodeID, on: LinkRef)
  /// This node is about to follow another host, and has not told it so.
  case follows(NodeID)
  /// The election said something.
  case election(ElectionOutput)
  /// A member has told all how far it has come with the session's map.
  case mapStatus(MapStatus, FloodHeader, isOwnWord: Bool)
  /// A member has announced a map of which something is wanted.
  case mapAnnounced
  /// Members compare what they have: a round of anti-entropy has begun.
  case antiEntropy

  // MARK: What is wanted

  /// Ends a link, with a goodbye if there is a reason.
  case close(LinkRef, EndReason?)
  /// Gives a stranger until then.
  case extend(LinkRef, until: Instant)
  /// So much is still to come from a member that a bulk link to it is worth having.
  case wantsBulk(PeerID)
  /// Hands records to all members.
  case gossip([RosterEntry])
  /// Gives the election an input.
  case elect(ElectionInput)
  /// Ends this peer's part in the session.
  case finish(EndReason)
}

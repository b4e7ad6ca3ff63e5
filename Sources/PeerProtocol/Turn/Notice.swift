package import Basics
package import WorldModel

/// A message from one organ to the others.
///
/// `Node+Notices.swift` says which organs receive each of them, in which order.
package enum Notice: Sendable {
  // MARK: Events

  /// The other end of a link said hello; of two links to one peer, none is chosen yet.
  case greeted(LinkRef, Hello)
  /// A link carries its peer's traffic, or is chosen again.
  case carries(LinkRef)
  /// The two ends of a link have proven to each other what they owed.
  case proven(LinkRef, LinkDirectory.Proofs)
  /// This node has told the other end of a link that it holds it as a member.
  case admitting(LinkRef)
  /// Both ends of a link hold each other as members.
  case linked(LinkRef)
  /// A link is gone.
  indirect case unlinked(ClosedLink)
  /// A stranger's time limit has passed.
  case strangerExpired(LinkRef)

  /// The record of a peer has changed; `reason` is the one to report if the peer is out of the session.
  case recordChanged(RosterEntry, reason: EndReason?)
  /// A record is accepted.
  case record(RosterEntry, from: PeerID?)
  /// All records of one frame, or of one review of disputed records, precede this.
  case recordsTaken(from: PeerID?)
  /// This node, alone before, enters the session of the peer at the other end of a link.
  case enters(LinkRef)
  /// A member was away for too long.
  case memberLost
  /// This node has accepted the peer at the other end of a link, in an owned session.
  case accepted(LinkRef)
  /// This node, alone before, enters the owned session of the peer at the other end of a link.
  case adopts(LinkRef)
  /// The other end of a stranger's link is in the same owned session.
  case recognized(LinkRef)
  /// The statements of an owned session have changed.
  case governanceChanged
  /// These members can be reached now; `came` when there is one that could not be reached before.
  case reachable([ElectionMember], came: Bool)

  /// The ways between members have changed, and perhaps who can be reached.
  case graphChanged(members: Bool)
  /// A neighbour received the links of a member, and needs that member's live poses next.
  case announced(NodeID, on: LinkRef)
  /// This node is about to follow another host, and has sent it no Ack yet.
  case follows(NodeID)
  /// An output of the election.
  case election(ElectionOutput)
  /// A register has another word: a later one of its author's, or none any more.
  indirect case word(SpreadWord)
  /// A member has announced a map with chunks that this node lacks.
  case mapAnnounced
  /// A round of anti-entropy has begun.
  case antiEntropy

  // MARK: Requests

  /// Ends a link, with a goodbye if there is a reason.
  case close(LinkRef, EndReason?)
  /// Extends a stranger's time limit.
  case extend(LinkRef, until: Instant)
  /// Requests a bulk link to a member that still has many bytes to send.
  case wantsBulk(PeerID)
  /// Sends records to all members.
  case gossip([RosterEntry])
  /// Gives the election an input.
  case elect(ElectionInput)
  /// Ends this peer's part in the session.
  case finish(EndReason)
}

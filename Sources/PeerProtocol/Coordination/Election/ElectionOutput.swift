/// An order of a ``HostElection``; the owner drains these after every call.
package enum ElectionOutput: Equatable, Sendable {
  /// Flood the message to every member.
  case broadcast(ElectionMessage)
  /// Bring the message to one member, through others if there is no direct link.
  case send(ElectionMessage, to: NodeID)
  /// This node's view of who is host, or of the epoch, changed.
  case hostChanged(from: NodeID?, to: NodeID?, epoch: UInt64, reason: HostChangeReason)
  /// A host gave this node its place in the order of joining; tell the members, it is part of the rank.
  case joinSequenceChanged(UInt32)
}

/// Why the host, or its epoch, changed in the eyes of one peer.
@nonexhaustive
public enum HostChangeReason: UInt8, CaseIterable, Sendable {
  /// Nobody objected to this peer's candidacy.
  case elected
  /// A peer without a host heard one.
  case joined
  /// A member told a peer without a host who it is.
  case informed
  /// Nothing was heard of the host for a lease.
  case expired
  /// Two sessions met and became one.
  case merged
  /// The host stepped down in favour of another.
  case steppedDown
  /// The host handed over.
  case handover
  /// The host resigned.
  case resigned
  /// The host left the session.
  case left
}

/// The role of a node in the election.
package enum ElectionRole: UInt8, Sendable {
  /// Has a host that it believes in.
  case follower
  /// Has no host and listens, or lets better-ranked nodes go first.
  case waiting
  /// Has asked for objections to becoming host.
  case canvassing
  /// Is host.
  case host
}

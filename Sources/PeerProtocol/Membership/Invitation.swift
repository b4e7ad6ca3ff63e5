package import Basics
package import WorldModel

/// An invitation this peer sent.
package struct OutgoingInvitation: Sendable {
  package let id: InvitationID
  /// The number on the wire, random, so that a replay is not an answer.
  package let number: UInt64
  package let context: [UInt8]
  package let deadline: Instant
  /// How the target is reached until it is linked.
  package var plan: DialPlan
  /// Who it turned out to be, once the TLS certificate is known.
  package var peer: PeerID?
  /// When the target counts as unreachable; nil once somebody was there.
  var reachDeadline: Instant?
}

/// An invitation this peer received and has not answered.
package struct IncomingInvitation: Sendable {
  package let id: InvitationID
  package let number: UInt64
  package let peer: PeerID
  package let deadline: Instant
}

/// How an invitation this peer sent has ended.
package enum InvitationResult: Sendable, Equatable {
  /// The peer is in the session.
  case accepted(PeerID)
  /// The peer refused, for this reason.
  case declined(PeerID, reason: String)
  /// Nobody answered in time.
  case timedOut
  /// No address led to anybody.
  case unreachable
  /// This side withdrew it.
  case cancelled
  /// The link ended first, for this reason.
  case failed(EndReason)
}

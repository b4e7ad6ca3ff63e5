package import Basics
package import WorldModel

/// An invitation this peer sent.
package struct OutgoingInvitation: Sendable {
  package let id: InvitationID
  /// The number on the wire, random, so that a replay is not an answer.
  package let number: UInt64
  package let context: [UInt8]
  package private(set) var deadline: Instant
  /// Whether the time for the comparison of a code was added.
  private var isExtended = false
  /// The one key that is invited; nil for any.
  let expected: PeerID?
  /// How the target is reached until it is linked.
  package var plan: DialPlan
  /// The key in its TLS certificate, once it is linked.
  package var peer: PeerID?
  /// A key that answered and is not the expected one, or that this node does not admit.
  var foreign: PeerID?
  /// When the target counts as unreachable; nil once somebody was there.
  var reachDeadline: Instant?
  /// When it is sent again to a target that was busy; nil when it is not.
  var retryAt: Instant?
  /// How often the target was busy.
  var refusals = 0

  /// An invitation that nobody has received yet.
  init(
    id: InvitationID, number: UInt64, context: [UInt8], deadline: Instant, expected: PeerID?, plan: DialPlan,
    reachDeadline: Instant
  ) {
    (self.id, self.number, self.context, self.deadline) = (id, number, context, deadline)
    (self.expected, self.plan, self.reachDeadline) = (expected, plan, reachDeadline)
  }

  /// Two people compare a code before it is sent: it gets that much more time, once.
  mutating func awaitComparison() {
    guard !exchange(&isExtended, with: true) else { return }
    deadline += ProtocolTimes.comparison
  }

  /// The target is busy; whether it is asked again.
  mutating func retry(at now: Instant) -> Bool {
    let pause = ProtocolTimes.invitationRetry * (1 << refusals)
    refusals += 1
    guard refusals < ProtocolLimits.strangerInvitations else { return false }
    retryAt = now + pause
    return true
  }

  /// How the invitation ends when its addresses have led to nobody whom it may be sent to.
  var unreached: InvitationResult {
    switch (expected, foreign) {
    case (_, nil): .unreachable
    case (let expected?, let foreign?) where expected != foreign:
      .identityMismatch(expected: expected, found: foreign)
    case (_, let foreign?): .notAdmitted(foreign)
    }
  }
}

/// The peer that a dial has led to, by the key in the TLS certificate.
enum DialArrival: Sendable {
  /// The peer it was meant for, or anybody where it was meant for no one in particular.
  case meant
  /// Another member.
  case otherMember
  /// A key that it was not meant for, and that is no member's: it is told nothing.
  case foreign
}

/// An invitation this peer received and has not answered.
package struct IncomingInvitation: Sendable {
  package let id: InvitationID
  package let number: UInt64
  package let peer: PeerID
  package let deadline: Instant
  /// Where it came from: the machine, or the network of an IPv6 address.
  let source: SocketAddress.Host
}

extension SocketAddress.Host {
  /// A source of which one machine cannot easily have many: an IPv4 address, or a /64 of IPv6.
  package var network: SocketAddress.Host {
    if case .ipv6(let high, _, _) = self { .ipv6(high: high, low: 0, scope: 0) } else { self }
  }
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
  /// This node does not admit the key that answered; it was sent nothing.
  case notAdmitted(PeerID)
  /// Another key than the expected one answered; it was sent nothing.
  case identityMismatch(expected: PeerID, found: PeerID)
  /// This side withdrew it.
  case cancelled
  /// The link ended first, for this reason.
  case failed(EndReason)
}

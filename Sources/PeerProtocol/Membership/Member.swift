package import Basics
package import WorldModel

/// The run-time state of one admitted peer.
package struct Member: Sendable {
  /// Whether it can be reached.
  package enum Status: Sendable, Equatable {
    /// Admitted, never reached yet.
    case connecting
    /// Reachable, directly or through others.
    case connected
    /// Was connected; its link broke at this moment.
    case reconnecting(since: Instant)
    /// Could not be reached for too long; still admitted, still dialled now and then.
    case lost
  }

  package var status = Status.connecting
  /// When it last came into reach; nil before.
  var reachedAt: Instant?
  /// Whether the app was told that it is reconnecting.
  package var isNoticed = false
  /// Whether the two were apart before it last came into reach, for so long that the app was told, or in an earlier start of
  /// this node.
  var wasAway = false
  /// Whether the app counts it among the peers.
  var isJoined = false
  /// Why its last link ended, for when it stays away.
  var lastEnd = EndReason.connectionLost
  /// How it is dialled while no direct link stands.
  package var plan: DialPlan

  package init(plan: DialPlan) {
    self.plan = plan
  }

  /// Counts its absence only while this node was running.
  mutating func excuse(_ gap: Duration, at now: Instant) {
    if case .reconnecting(let since) = status { status = .reconnecting(since: min(since + gap, now)) }
  }

  /// When the app has to be told more of its absence; nil while there is nothing to tell.
  var noticeDeadline: Instant? {
    guard case .reconnecting(let since) = status else { return nil }
    return since + (isNoticed ? patience.lost : patience.notice)
  }

  /// How long it may be away before the app is told that it is, and that it is lost.
  ///
  /// Where every address refuses, nobody listens any more: it is suspected at once.
  var patience: (notice: Duration, lost: Duration) {
    plan.allRefused ? (.zero, ProtocolTimes.refused) : (ProtocolTimes.reconnectNotice, ProtocolTimes.lost)
  }
}

/// A member as the app may see it.
package struct MemberSummary: Sendable {
  package var peerID: PeerID
  package var name: String
  package var status: Member.Status
  /// Whether the app was told that it is reconnecting.
  package var isNoticed: Bool
  /// The round trip of its direct link, if there is one that was measured.
  package var roundTrip: Duration?
  /// Whether it is linked directly, not only through others.
  package var isDirect: Bool
  /// Bytes sent and received on the direct link.
  package var bytesSent: UInt64
  package var bytesReceived: UInt64
  /// The link to it, and the bytes of control frames that wait there to be handed to the driver.
  package var link: LinkID?
  package var bytesWaiting: Int
}

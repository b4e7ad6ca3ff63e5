/// The time constants of the election, in nanoseconds; every node of a session uses the same ones.
package struct ElectionTimers: Equatable, Sendable {
  /// How often a host says that it is there (BEAT, 0.5 s).
  package var beat: Int64 = 500_000_000
  /// How long a host is believed after a Beat (LEASE, 2 s).
  package var lease: Int64 = 2_000_000_000
  /// How long each better-ranked node delays one's own candidacy (STEP, 0.25 s).
  package var step: Int64 = 250_000_000
  /// The longest such delay (2 s).
  var longestWait: Int64 = 2_000_000_000
  /// How long a candidate waits for objections (CANVASS, 0.6 s).
  package var canvass: Int64 = 600_000_000
  /// How long an Offer or a Handover waits for its answer (OFFER, 1 s).
  package var offer: Int64 = 1_000_000_000
  /// A fresh node listens this much longer than a lease at most, at random (0.3 s).
  package var bootJitter: Int64 = 300_000_000
  /// A candidacy starts this much later at most, at random (0.05 s).
  package var waitJitter: Int64 = 50_000_000
  /// A call that comes this much after the deadline means that the process stood still (0.5 s).
  package var stall: Int64 = 500_000_000

  /// The constants of the protocol.
  package init() {}

  /// How long a follower counts towards its host's size after its last Ack (two beats and 0.6 s).
  package var ackLife: Int64 { 2 * beat + canvass }
}

/// The decisions of an app about hosting.
package struct ElectionConfiguration: Equatable, Sendable {
  /// The wish to host, 0…255, more is better.
  ///
  /// It counts when there is no host and when two hosts meet.
  package var priority: UInt8
  /// Whether a node of higher priority asks a host of lower priority to hand over; the whole session should agree.
  package var preemption: Bool
  /// Whether this node may ever be host.
  package var canHost: Bool
  /// Whether this node, as host, hands over to a member that asks to be host.
  package var grantsRequests: Bool
  /// The time constants.
  package var timers: ElectionTimers

  /// An equal among equals unless told otherwise.
  package init(
    priority: UInt8 = 128, preemption: Bool = false, canHost: Bool = true, grantsRequests: Bool = true,
    timers: ElectionTimers = ElectionTimers()
  ) {
    self.priority = priority
    self.preemption = preemption
    self.canHost = canHost
    self.grantsRequests = grantsRequests
    self.timers = timers
  }
}

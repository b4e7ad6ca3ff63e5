/// A message between nodes that are to have one host.
///
/// Every message travels in a flood envelope that names its sender, so no message repeats it. "Reign" means the time
/// for which one node is host at one epoch.
package enum ElectionMessage: Equatable, Sendable, FrameBody {
  /// The sender is host; sent to all every half second.
  case beat(Beat)
  /// The sender follows the receiver; the answer to each Beat.
  case ack(Ack)
  /// The sender wants to become host and asks whether anybody objects; sent to all.
  case preClaim(PreClaim)
  /// An objection to a PreClaim.
  case preNack(PreNack)
  /// The sender is not host, or no longer; here is who is.
  case stepDown(StepDown)
  /// The sender is host, has heard the receiver's Beat, and proposes to merge.
  case offer(Offer)
  /// The receiver's Offer lost: it has to follow the sender.
  case win(Win)
  /// The sender follows the receiver after a merge.
  case yield(Yield)
  /// The sender is host and asks the receiver to become host in its place.
  case handover(Handover)
  /// The sender gives up being host and names a successor; sent to all.
  case resign(Resign)
  /// The sender follows the receiver and asks to be host in its place.
  case request(Request)
  /// The sender is host and gives the receiver its place in the order of joining.
  case seat(Seat)
}

extension ElectionMessage {
  /// The highest epoch named in the message.
  package var highestEpoch: UInt64 {
    switch self {
    case .beat(let beat): beat.epoch
    case .preClaim(let claim): claim.maxEpoch
    case .preNack(let nack): nack.epoch
    case .stepDown(let stepDown): stepDown.epoch
    case .offer(let offer): offer.epoch
    case .win(let win): win.epoch
    case .yield(let yield): yield.maxEpoch
    case .handover(let handover): handover.epoch
    case .resign(let resign): resign.epoch
    case .ack(let ack): ack.epoch
    case .request, .seat: 0
    }
  }
}

extension ElectionMessage {
  package struct Beat: Equatable, Sendable {
    /// The reign's epoch, from 1.
    package var epoch: UInt64
    /// Counts the Beats of this host, from 1.
    package var sequence: UInt32
    /// The host and the followers it heard lately.
    package var size: UInt16
    /// The host's wish to host.
    package var priority: UInt8
    /// The session time (ms).
    package var sessionTime: UInt64
    /// The place in the order of joining that the next newcomer will get.
    package var nextJoinSequence: UInt32
  }

  package struct Ack: Equatable, Sendable {
    /// The epoch at which the sender follows.
    package var epoch: UInt64
    /// The Beat that this answers; 0 if the sender has heard of the host only from others.
    package var sequence: UInt32
    /// The sender's place in the order of joining, or 0.
    package var joinSequence: UInt32
    /// The sender's session time (ms).
    package var sessionTime: UInt64
  }

  package struct PreClaim: Equatable, Sendable {
    /// The sender's wish to host.
    package var priority: UInt8
    /// The sender's place in the order of joining, or 0.
    package var joinSequence: UInt32
    /// The highest epoch the sender has seen.
    package var maxEpoch: UInt64
  }

  package struct PreNack: Equatable, Sendable {
    /// The host that the sender follows or is, or nil if the sender is only the better candidate.
    package var host: NodeID?
    /// That host's epoch, or 0.
    package var epoch: UInt64
    /// How long the sender still believes in that host (ms), or 0.
    package var leaseRemaining: UInt32
  }

  package struct StepDown: Equatable, Sendable {
    /// The host to follow.
    package var to: NodeID
    /// That host's epoch.
    package var epoch: UInt64
    /// How long the sender believes in that host (ms).
    package var leaseRemaining: UInt32
    /// The last epoch of the sender's own reigns that this ends; a receiver at a later one ignores the message.
    package var ended: UInt64
  }

  package struct Offer: Equatable, Sendable {
    /// The sender and the followers it heard lately.
    package var size: UInt16
    /// The sender's wish to host.
    package var priority: UInt8
    /// The sender's epoch.
    package var epoch: UInt64
  }

  package struct Win: Equatable, Sendable {
    /// The sender's epoch.
    package var epoch: UInt64
    /// The epoch of the Offer that this answers.
    package var offerEpoch: UInt64
  }

  package struct Yield: Equatable, Sendable {
    /// The epoch at which the sender now follows the receiver.
    package var epoch: UInt64
    /// The highest epoch the sender has seen.
    package var maxEpoch: UInt64
    /// The sender's session time (ms).
    package var sessionTime: UInt64
  }

  package struct Handover: Equatable, Sendable {
    /// The epoch of the sender's reign.
    package var epoch: UInt64
  }

  package struct Resign: Equatable, Sendable {
    /// The epoch of the reign that ends.
    package var epoch: UInt64
    /// The node that should become host at once; nil if the sender knows none.
    package var successor: NodeID?
  }

  package struct Request: Equatable, Sendable {
    /// The sender's wish to host.
    package var priority: UInt8
    /// Whether the app asked; otherwise the sender's priority did (preemption).
    package var isExplicit: Bool
  }

  package struct Seat: Equatable, Sendable {
    /// The receiver's place in the order of joining, from 1.
    package var joinSequence: UInt32
  }
}

import Basics
import WorldModel

/// A resource that this node offers, with how far each receiver has come.
struct OutgoingResource: Sendable {
  /// One receiver.
  struct Receiver: Sendable {
    /// How far it is.
    enum Stage: Sendable, Equatable {
      case offered, accepted
      /// It has all of it, or will not get it.
      case settled(ResourceFailure?)
    }

    let node: NodeID
    var stage = Stage.offered
    /// Bytes that it has, as it says.
    var bytes = 0
    var rate = TransferRate()
    var patience: ResourcePatience

    var isOpen: Bool {
      switch stage {
      case .offered, .accepted: true
      case .settled: false
      }
    }
    /// Whether it takes part in the exchange of chunks.
    var takesPart: Bool { stage == .accepted || stage == .settled(nil) }
  }

  let name: String
  /// Its names; the bytes are in a file of the driver.
  let holding: ContentHolding
  var receivers: [Receiver]

  var id: ContentID { holding.head.id }

  /// The index of a receiver.
  func index(of peer: PeerID) -> Int? { receivers.firstIndex { $0.node.peer == peer } }

  /// Whether somebody may still get it.
  var isOpen: Bool { receivers.contains(where: \.isOpen) }
}

/// The waits of a node on behalf of one resource and one peer.
struct ResourcePatience: Sendable {
  /// When something was heard last.
  private(set) var heard: Instant
  /// Since when there is no direct link to the peer; nil while there is one.
  private var unlinked: Instant?

  init(at now: Instant) {
    heard = now
  }

  mutating func hear(at now: Instant) { heard = now }

  /// Whether there was no direct link for too long.
  mutating func isUnlinked(_ hasLink: Bool, at now: Instant) -> Bool {
    unlinked = hasLink ? nil : unlinked ?? now
    return unlinked.map { now - $0 >= ProtocolTimes.resourceLink } ?? false
  }

  /// Extends every wait by a time in which this node stood still.
  mutating func excuse(_ gap: Duration) {
    heard += gap
    unlinked = unlinked.map { $0 + gap }
  }
}

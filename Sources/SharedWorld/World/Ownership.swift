import PeerProtocol
import WorldModel

/// The ownership of an anchor, by grant of the host.
///
/// Ownership is advisory. It settles between apps that ask for it who may edit an anchor; no edit is ever refused because of
/// it. While the network is split each side's host may grant the same anchor; when the sides meet, the grant with the higher
/// (epoch, number) stands for all.
public struct Ownership: Hashable, Sendable {
  /// Which anchor.
  public let anchor: AnchorID
  /// The owner.
  public let owner: Peer
  /// When that ends by itself; nil when it does not.
  public let until: SessionTime?
  /// The epoch of the host that granted it.
  public let epoch: UInt64
  /// Counts the grants of this anchor in that epoch.
  public let number: UInt64
}

/// A peer that wants to own an anchor which this one owns.
public struct OwnershipRequest: Hashable, Sendable {
  /// Which anchor.
  public let anchor: AnchorID
  /// The peer that wants it.
  public let peer: Peer
}

import PeerProtocol

/// Who owns an anchor, by grant of the host.
///
/// Ownership is advisory. It settles between apps that ask for it who may edit an anchor; no edit is ever refused because of
/// it. While the network is split each side's host may grant the same anchor; when the sides meet, the grant with the higher
/// (epoch, number) stands for all.
public struct Ownership: Hashable, Sendable {
  /// Which anchor.
  public let anchor: AnchorID
  /// Who owns it.
  public let owner: PeerID
  /// When that ends by itself (milliseconds of session time); nil when it does not.
  public let until: UInt64?
  /// The epoch of the host that granted it.
  public let epoch: UInt64
  /// Counts the grants of this anchor in that epoch.
  public let number: UInt64
}

/// A peer that wants to own an anchor which this one owns.
public struct OwnershipRequest: Hashable, Sendable {
  /// Which anchor.
  public let anchor: AnchorID
  /// Who wants it.
  public let peer: Peer
}

extension Session {
  /// Asks to own an anchor and waits for the grant.
  ///
  /// The host asks the present owner, if there is one in the session; without one it grants at once. Asking for what this
  /// peer owns already extends it.
  /// - Parameters:
  ///   - anchor: Which one.
  ///   - lease: How long to own it, at most 49 days; nil until it is released.
  ///   - timeout: How long the owner may think, at most 60 s.
  /// - Throws: ``SessionError`` with the code `unknownAnchor`, `declined` (the owner keeps it), `notAcknowledged` (no answer
  ///   in time, or no host), `cancelled` or `ended`.
  public func requestOwnership(
    of anchor: AnchorID, lease: Duration? = nil, timeout: Duration = .seconds(10)
  ) async throws(SessionError) -> Ownership {
    try await core.settle(.own(lease: lease), of: anchor, timeout: timeout)
  }

  /// Gives an anchor back, so that the next who asks gets it.
  ///
  /// - Throws: ``SessionError`` with the code `unknownAnchor`, `notOwner`, `notAcknowledged`, `cancelled` or `ended`.
  public func releaseOwnership(of anchor: AnchorID, timeout: Duration = .seconds(10)) async throws(SessionError) {
    _ = try await core.settle(.release, of: anchor, timeout: timeout)
  }

  /// Gives an anchor that this peer owns to another one, without a lease.
  ///
  /// - Throws: What ``releaseOwnership(of:timeout:)`` throws; `unknownPeer` when `peer` is not in the session.
  public func giveOwnership(
    of anchor: AnchorID, to peer: PeerID, timeout: Duration = .seconds(10)
  ) async throws(SessionError) {
    try await core.requireMember(peer)
    _ = try await core.settle(.give(peer), of: anchor, timeout: timeout)
  }

  /// Who owns an anchor; nil when nobody does.
  ///
  /// An owner that has left is still named for a moment, until the host has freed the anchor.
  public func ownership(of anchor: AnchorID) async -> Ownership? { await core.ownership(of: anchor) }
}

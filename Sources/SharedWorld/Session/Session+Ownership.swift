import AnchorReplication
import Basics
import PeerProtocol
import WorldModel

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
    try await settle(.own(lease: lease), of: anchor, timeout: timeout)
  }

  /// Gives an anchor back, so that the next who asks gets it.
  ///
  /// - Throws: ``SessionError`` with the code `unknownAnchor`, `notOwner`, `notAcknowledged`, `cancelled` or `ended`.
  public func releaseOwnership(of anchor: AnchorID, timeout: Duration = .seconds(10)) async throws(SessionError) {
    _ = try await settle(.release, of: anchor, timeout: timeout)
  }

  /// Gives an anchor that this peer owns to another one, without a lease.
  ///
  /// - Throws: What ``releaseOwnership(of:timeout:)`` throws; `unknownPeer` when `peer` is not in the session.
  public func giveOwnership(
    of anchor: AnchorID, to peer: PeerID, timeout: Duration = .seconds(10)
  ) async throws(SessionError) {
    try requireMember(peer)
    _ = try await settle(.give(peer), of: anchor, timeout: timeout)
  }

  /// Who owns an anchor; nil when nobody does.
  ///
  /// An owner that has left is still named for a moment, until the host has freed the anchor.
  public func ownership(of anchor: AnchorID) -> Ownership? {
    let lock = (try? read { node, now in node.owner(of: anchor, at: now) }) ?? nil
    return lock.flatMap { lock in lock.owner.map { Ownership(lock, of: anchor, owner: $0) } }
  }

  /// Sets out to fulfil a wish about ownership and waits for what becomes of it.
  private func settle(
    _ wish: OwnershipWish, of anchor: AnchorID, timeout: Duration
  ) async throws(SessionError) -> Ownership {
    let outcome = await wait { number in
      .wish(OwnershipRequestID(rawValue: number), wish, of: anchor, timeout: timeout)
    } givingUp: { number in
      .dropWish(OwnershipRequestID(rawValue: number))
    }
    switch outcome {
    case .ownership(.met(let lock)): return Ownership(lock, of: anchor, owner: lock.owner ?? identity.peerID)
    case .ownership(.declined): throw SessionError(.declined, "the owner keeps anchor \(anchor)")
    case .ownership(.notOwner): throw SessionError(.notOwner, "this peer does not own anchor \(anchor)")
    case .ownership(.unknownAnchor):
      throw SessionError(.unknownAnchor, "there is no anchor \(anchor) in this session")
    case .cancelled: throw SessionError(.cancelled, "the wait for ownership was cancelled")
    case .ended: throw SessionError(.ended, "the session ended before ownership was settled")
    case .ownership(.unanswered), .acknowledgement, .invitation, .host:
      throw SessionError(.notAcknowledged, "nobody answered the request for anchor \(anchor) in time; try again")
    }
  }

  /// Asks the app, beside the event loop, whether it gives an anchor away.
  func ask(_ id: OwnershipQuestionID, _ request: OwnershipRequest) {
    guard let handler = configuration.ownershipHandler else { return }
    let added = jobs.add { [weak self] in
      let accepts = await handler(request)
      await self?.answer(id, accepts: accepts)
    }
    if !added { answer(id, accepts: false) }
  }

  private func answer(_ id: OwnershipQuestionID, accepts: Bool) {
    input(.answerOwnership(id, accepts: accepts))
  }
}

extension Ownership {
  init(_ lock: AnchorLock, of anchor: AnchorID, owner: PeerID) {
    self.init(
      anchor: anchor, owner: owner, until: lock.leaseUntil < AnchorLock.endless ? lock.leaseUntil : nil,
      epoch: lock.epoch, number: lock.number)
  }
}

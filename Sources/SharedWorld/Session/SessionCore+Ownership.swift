import AnchorReplication
import Basics
import PeerProtocol
import WorldModel

extension SessionCore {
  /// Sets out to fulfil a wish about ownership and waits for what becomes of it.
  func settle(
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
    case .ownership(.unanswered), .acknowledgement:
      throw SessionError(.notAcknowledged, "nobody answered the request for anchor \(anchor) in time; try again")
    }
  }

  func ownership(of anchor: AnchorID) -> Ownership? {
    let lock = (try? read { node, now in node.owner(of: anchor, at: now) }) ?? nil
    return lock.flatMap { lock in lock.owner.map { Ownership(lock, of: anchor, owner: $0) } }
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

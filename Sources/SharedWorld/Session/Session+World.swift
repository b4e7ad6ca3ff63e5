import AnchorReplication
import Basics
import PeerProtocol
import PeerTransport
import WorldModel

extension Session {
  /// Places an anchor.
  ///
  /// It is in the local set at once and on its way to everybody.
  ///
  /// - Parameters:
  ///   - anchor: What to place.
  ///   - acknowledgement: Who must hold it before this returns.
  /// - Throws: ``SessionError`` with the code `invalidArgument` (a name too long, a transform that is not rigid, an id
  ///   that is in use) or `limitExceeded`; and, the anchor being placed, `notAcknowledged` or `cancelled`.
  @discardableResult
  public func place(
    _ anchor: Anchor, acknowledgement: Acknowledgement = .local
  ) async throws(SessionError) -> AnchorID {
    try handle(.edit(.place(anchor)), anchor: anchor.id)
    try await settle(acknowledgement)
    return anchor.id
  }

  /// Places an anchor that brings back a removed one, under an id of its own: an id is never used again.
  ///
  /// Readers of ``events`` are told by ``Event/anchorRestored(_:from:)``.
  /// - Throws: What ``place(_:acknowledgement:)`` throws.
  @discardableResult
  public func restore(
    _ anchor: Anchor, from removed: AnchorID, acknowledgement: Acknowledgement = .local
  ) async throws(SessionError) -> AnchorID {
    try handle(.edit(.restore(anchor, from: removed)), anchor: anchor.id)
    try await settle(acknowledgement)
    return anchor.id
  }

  /// Moves an anchor; of two concurrent moves the later one in session time stands.
  ///
  /// - Throws: ``SessionError`` with the code `unknownAnchor` or `invalidArgument`; and, the anchor being moved,
  ///   `notAcknowledged` or `cancelled`.
  public func move(
    _ id: AnchorID, to transform: Transform, acknowledgement: Acknowledgement = .local
  ) async throws(SessionError) {
    try handle(.edit(.move(id, to: transform)), anchor: id)
    try await settle(acknowledgement)
  }

  /// Places several anchors in one step of the session, which is far cheaper than one by one.
  ///
  /// - Throws: What ``place(_:acknowledgement:)`` throws; the anchors before the one that is refused stay placed.
  public func place(_ anchors: [Anchor]) throws(SessionError) { try handle(.edits(anchors.map { .place($0) })) }

  /// Moves several anchors in one step of the session, which is far cheaper than one by one.
  ///
  /// - Throws: What ``move(_:to:acknowledgement:)`` throws; the moves before the one that is refused stand.
  public func move(_ moves: [(id: AnchorID, transform: Transform)]) throws(SessionError) {
    try handle(.edits(moves.map { .move($0.id, to: $0.transform) }))
  }

  /// Renames an anchor.
  public func rename(_ id: AnchorID, to name: String) throws(SessionError) {
    try handle(.edit(.rename(id, to: name)), anchor: id)
  }

  /// Replaces an anchor's payload.
  public func setPayload(_ payload: Anchor.Payload?, of id: AnchorID) throws(SessionError) {
    try handle(.edit(.setPayload(payload, of: id)), anchor: id)
  }

  /// Removes an anchor, for ever: a removal wins over any concurrent edit.
  ///
  /// - Throws: ``SessionError`` with the code `unknownAnchor`; and, the anchor being removed, `notAcknowledged` or
  ///   `cancelled`.
  public func remove(_ id: AnchorID, acknowledgement: Acknowledgement = .local) async throws(SessionError) {
    try handle(.edit(.remove(id)), anchor: id)
    try await settle(acknowledgement)
  }

  /// Waits until everything this peer has edited so far is acknowledged.
  private func settle(_ acknowledgement: Acknowledgement) async throws(SessionError) {
    let level: AcknowledgementLevel
    switch acknowledgement.level {
    case .local: return
    case .host: level = .host
    case .everyPresentMember: level = .everyPresentMember
    }
    let outcome = await wait { number in
      .awaitAcknowledgement(AcknowledgementID(rawValue: number), level, timeout: acknowledgement.timeout)
    } givingUp: { number in
      .cancelAcknowledgement(AcknowledgementID(rawValue: number))
    }
    switch outcome {
    case .acknowledgement(.acknowledged): return
    case .cancelled: throw SessionError(.cancelled, "the wait was cancelled; the edit stands")
    case .ended: throw SessionError(.ended, "the session ended before the edit was acknowledged")
    case .acknowledgement(.timedOut), .ownership, .invitation, .host:
      throw SessionError(.notAcknowledged, "not everybody has the edit yet; it stands, and goes on spreading")
    }
  }

  /// The anchors, in the order of their ids.
  ///
  /// It costs what has changed since the last call: the list is shared, not copied.
  public func anchors() -> [Anchor] { (try? read { node, _ in node.allAnchors }) ?? [] }

  /// A hash of the replicated state: equal on all peers that hold the same anchors.
  public func digest() -> SHA256Digest {
    (try? read { node, _ in node.digest }) ?? SHA256Digest(hashing: [])
  }
}

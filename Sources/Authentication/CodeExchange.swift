/// One side of the exchange after which both ends of one connection know the same six digits.
///
/// The initiator sends a commitment to its nonce, the responder its nonce, the initiator reveals its own. Each side is bound to
/// its nonce before it sees the other's, so an attacker between two connections cannot search for one that makes both codes equal:
/// one run succeeds with a chance of one in a million. A run belongs to one connection: the TLS exporter and the ids of both ends
/// are part of it. It does no input or output, and its randomness comes in.
package struct CodeExchange: Sendable {
  /// Bytes of a nonce.
  package static let nonceSize = 32
  /// Bytes of a commitment.
  package static let commitmentSize = HMACSHA256.size

  private static let commitmentDomain = Array("wm-sas-c".utf8)
  private static let codeDomain = Array("wm-sas".utf8)

  private enum State: Sendable {
    /// Nothing was sent or received.
    case ready
    /// The initiator is bound to its nonce.
    case committed
    /// The responder has sent its nonce, and knows what the other side is bound to.
    case answered(commitment: [UInt8])
    /// Both nonces are known.
    case agreed(ComparisonCode)
    case failed
  }

  private let role: ExchangeRole
  private let nonce: [UInt8]
  private let exporter: [UInt8]
  private let ids: [UInt8]
  private var state = State.ready

  /// One side of a new run.
  ///
  /// - Parameters:
  ///   - role: Which side this is.
  ///   - initiator: The id of the side that dialled (32 bytes).
  ///   - responder: The id of the side that accepted.
  ///   - secrets: The exporter of the connection, and fresh random bytes of which the first 32 are the nonce.
  package init(_ role: ExchangeRole, initiator: [UInt8], responder: [UInt8], secrets: ChannelSecrets) {
    self.role = role
    nonce = (0..<Self.nonceSize).map { secrets.entropy.start[$0] }
    exporter = secrets.exporter
    ids = initiator + responder
  }

  /// The digits to show; nil before both nonces are known, and after a failure.
  package var code: ComparisonCode? { if case .agreed(let code) = state { code } else { nil } }

  /// Begins as the initiator: the commitment to send.
  package mutating func begin() throws(CodeFailure) -> [UInt8] {
    guard case .ready = take(), role == .initiator else { throw .outOfOrder }
    state = .committed
    return commitment(to: nonce)
  }

  /// Answers the initiator's commitment: the nonce to send.
  package mutating func receive(commitment: [UInt8]) throws(CodeFailure) -> [UInt8] {
    guard case .ready = take(), role == .responder else { throw .outOfOrder }
    guard commitment.count == Self.commitmentSize else { throw .malformed }
    state = .answered(commitment: commitment)
    return nonce
  }

  /// Answers the responder's nonce: the own nonce to reveal.
  package mutating func receive(nonce theirs: [UInt8]) throws(CodeFailure) -> [UInt8] {
    guard case .committed = take() else { throw .outOfOrder }
    guard theirs.count == Self.nonceSize else { throw .malformed }
    state = .agreed(code(nonce, theirs))
    return nonce
  }

  /// Takes the initiator's nonce, which must be the one that it was bound to.
  package mutating func receive(reveal theirs: [UInt8]) throws(CodeFailure) {
    guard case .answered(let commitment) = take() else { throw .outOfOrder }
    guard theirs.count == Self.nonceSize else { throw .malformed }
    guard CPace.areEqual(self.commitment(to: theirs), commitment) else { throw .wrongCommitment }
    state = .agreed(code(theirs, nonce))
  }

  private func commitment(to nonce: [UInt8]) -> [UInt8] {
    HMACSHA256.digest(Self.commitmentDomain + nonce + exporter)
  }

  private func code(_ first: [UInt8], _ second: [UInt8]) -> ComparisonCode {
    ComparisonCode(
      derivedKey: HMACSHA256.derive(from: first + second, salt: exporter, info: Self.codeDomain + ids))
  }

  /// The present state; the exchange has failed unless another one is set.
  private mutating func take() -> State { exchange(&state, with: .failed) }
}

/// Why an exchange of a code failed; it is over then, and no code may be shown.
package enum CodeFailure: Error, Equatable, Sendable {
  /// A message came twice, too early, or to the side that sends it.
  case outOfOrder
  /// A message has a wrong length.
  case malformed
  /// The nonce is not the one that the other side was bound to.
  case wrongCommitment
}

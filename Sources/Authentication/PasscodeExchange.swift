/// One side of the proof that both ends of one connection have the same passcode, without telling it to anybody.
///
/// The initiator sends its share, the responder its share and a tag, the initiator a tag. From one run a man in the
/// middle or a stranger learns whether one guess was right, and nothing else. A run belongs to one connection: the TLS
/// exporter of that connection and the ids of both ends are part of it. It does no input or output, and its randomness
/// comes in.
package struct PasscodeExchange: Sendable {
  /// The second message: the responder's share and its tag.
  package struct Answer: Sendable, Equatable {
    package let share: [UInt8]
    package let tag: [UInt8]

    package init(share: [UInt8], tag: [UInt8]) {
      (self.share, self.tag) = (share, tag)
    }
  }

  private enum State: Sendable {
    /// Nothing was sent or received.
    case ready(Material)
    /// The initiator has sent its share.
    case offered(Material, scalar: SecretBytes, share: [UInt8])
    /// The responder has sent its share and its tag, and knows the tag that must come.
    case answered(expected: SecretBytes)
    /// Both have the passcode.
    case proven
    case failed
  }

  /// The inputs of a run.
  private struct Material: Sendable {
    let generator: SecretBytes
    let entropy: SecretBytes
    let session: [UInt8]
    let initiator: [UInt8]
    let responder: [UInt8]

    /// The key of the tags, and both contributions.
    func key(
      _ element: SecretBytes, first: CPace.Contribution, second: CPace.Contribution
    ) -> SecretBytes {
      let sessionKey = CPace.sessionKey(session: session, element: element, first: first, second: second)
      return CPace.confirmationKey(session: session, sessionKey: sessionKey)
    }
  }

  private let role: ExchangeRole
  private var state: State

  /// One side of a new run.
  ///
  /// - Parameters:
  ///   - role: Which side this is.
  ///   - passcode: The passcode of the room.
  ///   - initiator: The id of the side that dialled (32 bytes).
  ///   - responder: The id of the side that accepted.
  ///   - secrets: The exporter of the connection and fresh random bytes.
  package init(
    _ role: ExchangeRole, passcode: Passcode, initiator: [UInt8], responder: [UInt8], secrets: ChannelSecrets
  ) throws(CPaceFailure) {
    self.role = role
    let generator = try CPace.generator(
      passcode: passcode.bytes,
      channel: LengthValue.concatenate(initiator, responder, Array("worldmap/1".utf8), Array("room".utf8)),
      session: secrets.exporter)
    state = .ready(
      Material(
        generator: generator, entropy: secrets.entropy, session: secrets.exporter, initiator: initiator,
        responder: responder))
  }

  /// Whether both sides have shown that they have the passcode.
  package var isProven: Bool { if case .proven = state { true } else { false } }

  /// Whether the other side has been given what tests one guess, and has not passed it.
  package var isGuessOpen: Bool { if case .answered = state { true } else { false } }

  /// Begins as the initiator: the share to send.
  package mutating func begin() throws(CPaceFailure) -> [UInt8] {
    guard case .ready(let material) = take(), role == .initiator else { throw .outOfOrder }
    let scalar = CPace.scalar(from: material.entropy)
    let share = try CPace.share(of: scalar, on: material.generator)
    state = .offered(material, scalar: scalar, share: share)
    return share
  }

  /// Answers the initiator's share.
  package mutating func receive(share: [UInt8]) throws(CPaceFailure) -> Answer {
    guard case .ready(let material) = take(), role == .responder else { throw .outOfOrder }
    let scalar = CPace.scalar(from: material.entropy)
    let own = try CPace.share(of: scalar, on: material.generator)
    let first = CPace.Contribution(share: share, data: material.initiator)
    let second = CPace.Contribution(share: own, data: material.responder)
    let key = material.key(try CPace.sharedElement(scalar, with: share), first: first, second: second)
    var expected = CPace.tag(over: first, key: key)
    state = .answered(expected: SecretBytes(copying: expected))
    expected.wipe()
    return Answer(share: own, tag: CPace.tag(over: second, key: key))
  }

  /// Checks the responder's answer, and returns the tag to send; the initiator is done.
  package mutating func receive(answer: Answer) throws(CPaceFailure) -> [UInt8] {
    guard case .offered(let material, let scalar, let share) = take() else { throw .outOfOrder }
    let first = CPace.Contribution(share: share, data: material.initiator)
    let second = CPace.Contribution(share: answer.share, data: material.responder)
    let key = material.key(try CPace.sharedElement(scalar, with: answer.share), first: first, second: second)
    guard CPace.areEqual(CPace.tag(over: second, key: key), answer.tag) else { throw .wrongPasscode }
    state = .proven
    return CPace.tag(over: first, key: key)
  }

  /// Checks the initiator's tag; the responder is done.
  package mutating func receive(proof: [UInt8]) throws(CPaceFailure) {
    guard case .answered(let expected) = take() else { throw .outOfOrder }
    guard expected.isEqual(to: proof) else { throw .wrongPasscode }
    state = .proven
  }

  /// The present state; the exchange has failed unless another one is set.
  private mutating func take() -> State { exchange(&state, with: .failed) }
}

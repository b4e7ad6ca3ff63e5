import Authentication
import Basics
import WorldModel

/// The organ of the room's passcode: on every link, both ends prove that they know it before either invites or admits.
///
/// A key that has proven it once to this process is exempt from the limits for wrong passcodes: strangers can then not keep
/// members from coming back.
struct Pairing: Sendable {
  /// How far the proof on a link has come.
  private enum Run: Sendable {
    /// It has not begun.
    case waiting(ChannelSecrets)
    /// It has begun; `isCounted` says that the other side was given what tests one guess.
    case begun(PasscodeExchange, isCounted: Bool)
  }

  private var runs = PerLink<Run>()
  /// The keys that have proven the passcode to this process.
  private var proven: KeySet<PeerID> = []
  private var guesses = GuessBook()
  /// Whether the app was told that the room is locked.
  private var isLockTold = false

  /// Strangers may try passcodes again.
  mutating func unlock() {
    guesses.reset()
    isLockTold = false
  }

  // MARK: Links

  /// A TLS connection is up; `secrets` belong to it.
  mutating func open(_ id: LinkID, secrets: ChannelSecrets?, in turn: inout Turn) {
    guard turn.configuration.passcode != nil, let link = turn.mesh.links.link(id) else { return }
    guard let secrets else { return turn.tell(.close(link, nil)) }
    runs.begin(link, with: .waiting(secrets))
  }

  /// A link carries its peer's traffic: the side that dialled begins the proof.
  mutating func begin(_ link: LinkRef, in turn: inout Turn) {
    guard let entry = turn.mesh.links[link], entry.isDialled, case .waiting(let secrets)? = runs[link] else { return }
    guard mayTry(entry, in: turn) else { return turn.tell(.close(link, .passcodeLocked)) }
    attempt(link, entry, isCounted: false, in: &turn) { turn throws(CPaceFailure) in
      var exchange = try Self.side(entry, secrets, in: turn)
      let share = PasscodeShare(try exchange.begin())
      turn.send(.passcodeShare, on: link) { share.write(to: &$0) }
      return exchange
    }
  }

  /// A link has ended: a guess that was handed out on it and not proven right was a wrong one.
  mutating func unlinked(_ closed: ClosedLink, in turn: inout Turn) {
    guard case .begun(let exchange, true)? = runs.end(closed.link), exchange.isGuessOpen else { return }
    failed(closed.peer, at: closed.remote.host, isCounted: true, in: &turn)
  }

  // MARK: Frames

  /// The frames of this organ.
  enum Frame {
    case share, answer, proof
  }

  /// Takes a step of the other side.
  mutating func receive(
    _ frame: Frame, _ body: RawSpan, on link: LinkRef, in turn: inout Turn
  ) throws(DecodingFailure) {
    guard let entry = turn.mesh.links[link], let run = runs[link] else {
      throw .invalid("a proof of a passcode where none is asked for", offset: 0)
    }
    switch frame {
    case .share: try receive(PasscodeShare(body: body), run, on: entry, in: &turn)
    case .answer: try receive(PasscodeAnswer(body: body), run, on: entry, in: &turn)
    case .proof: try receive(PasscodeProof(body: body), run, on: entry, in: &turn)
    }
  }

  private mutating func receive(
    _ share: PasscodeShare, _ run: Run, on entry: LinkDirectory.Entry, in turn: inout Turn
  ) throws(DecodingFailure) {
    guard case .waiting(let secrets) = run, !entry.isDialled else { throw Self.outOfOrder }
    guard mayTry(entry, in: turn) else { return turn.tell(.close(entry.link, .passcodeLocked)) }
    let isCounted = !proven.contains(entry.peer)
    if isCounted { guesses.open() }
    attempt(entry.link, entry, isCounted: isCounted, in: &turn) { turn throws(CPaceFailure) in
      var exchange = try Self.side(entry, secrets, in: turn)
      let answer = PasscodeAnswer(try exchange.receive(share: share.bytes))
      turn.send(.passcodeAnswer, on: entry.link) { answer.write(to: &$0) }
      return exchange
    }
  }

  private mutating func receive(
    _ answer: PasscodeAnswer, _ run: Run, on entry: LinkDirectory.Entry, in turn: inout Turn
  ) throws(DecodingFailure) {
    guard case .begun(var exchange, let isCounted) = run, entry.isDialled, !exchange.isProven else {
      throw Self.outOfOrder
    }
    attempt(entry.link, entry, isCounted: isCounted, in: &turn) { turn throws(CPaceFailure) in
      let proof = PasscodeProof(try exchange.receive(answer: answer.answer))
      turn.send(.passcodeProof, on: entry.link) { proof.write(to: &$0) }
      return exchange
    }
  }

  private mutating func receive(
    _ proof: PasscodeProof, _ run: Run, on entry: LinkDirectory.Entry, in turn: inout Turn
  ) throws(DecodingFailure) {
    guard case .begun(var exchange, let isCounted) = run, exchange.isGuessOpen else { throw Self.outOfOrder }
    attempt(entry.link, entry, isCounted: isCounted, in: &turn) { _ throws(CPaceFailure) in
      try exchange.receive(proof: proof.bytes)
      return exchange
    }
  }

  private static let outOfOrder = DecodingFailure.invalid("a step of the proof that is not due", offset: 0)

  // MARK: Steps

  /// Takes one step, and draws the consequences of its success or failure.
  ///
  /// - Parameter isCounted: Whether the other side was given what tests one guess.
  private mutating func attempt(
    _ link: LinkRef, _ entry: LinkDirectory.Entry, isCounted: Bool, in turn: inout Turn,
    _ step: (inout Turn) throws(CPaceFailure) -> PasscodeExchange
  ) {
    do throws(CPaceFailure) {
      let exchange = try step(&turn)
      runs[link] = .begun(exchange, isCounted: isCounted)
      if exchange.isProven { succeeded(entry, isCounted: isCounted, in: &turn) }
    } catch {
      runs.end(link)
      failed(entry.peer, at: entry.remote.host, isCounted: isCounted, in: &turn)
      turn.tell(.close(link, .passcodeRefused))
    }
  }

  private mutating func succeeded(_ entry: LinkDirectory.Entry, isCounted: Bool, in turn: inout Turn) {
    guesses.succeed(entry.peer, at: entry.remote.host, isCounted: isCounted)
    if proven.count >= ProtocolLimits.roster { proven = proven.filter(turn.mesh.roster.admits) }
    proven.insert(entry.peer)
    turn.tell(.proven(entry.link, .passcode))
  }

  private mutating func failed(
    _ peer: PeerID, at host: SocketAddress.Host, isCounted: Bool, in turn: inout Turn
  ) {
    // It has shown elsewhere that it knows the passcode.
    if proven.contains(peer) { return guesses.succeed(peer, at: host, isCounted: isCounted) }
    guesses.fail(peer, at: host, isCounted: isCounted, now: turn.now)
    guard guesses.isLocked, !exchange(&isLockTold, with: true) else { return }
    turn.report(.passcodeLocked)
  }

  private func mayTry(_ entry: LinkDirectory.Entry, in turn: borrowing Turn) -> Bool {
    proven.contains(entry.peer) || guesses.verdict(entry.peer, at: entry.remote.host, now: turn.now) == .free
  }

  /// One side of a proof on a link.
  private static func side(
    _ entry: LinkDirectory.Entry, _ secrets: ChannelSecrets, in turn: borrowing Turn
  ) throws(CPaceFailure) -> PasscodeExchange {
    guard let passcode = turn.configuration.passcode else { throw .unavailable }
    let (role, initiator, responder) = entry.sides(of: turn.me.peer)
    return try PasscodeExchange(
      role, passcode: passcode, initiator: initiator, responder: responder, secrets: secrets)
  }
}

import Authentication
import Basics
import WorldModel

/// The organ of the room's passcode: on every link, both ends prove that they know it before either invites or admits.
///
/// Six digits have a million values, so nothing may be said that lets a peer test them without us. A hash of the
/// passcode would be tried offline within a second, and so would the binder of a TLS pre-shared key. CPace
/// (draft-irtf-cfrg-cpace) gives each side one guess a run and no more; Documentation/Decisions/0012-the-passcode.md
/// says why it is this exchange. The proof is bound to the TLS connection and to both keys, or it could be passed on.
///
/// Then guesses can be counted, and the rest of this file is about counting right:
///
/// - A guess is spent when the share is answered, not when it has proven wrong: an attacker would just end the link
///   first. So a link that ends with an open guess was a wrong one.
/// - A device that has failed waits, and its share is held meanwhile: a right passcode comes in at the end of the wait
///   without another dial. Of each address one held share is answered at a time, since each wrong one lengthens the
///   wait.
/// - After ``ProtocolLimits/wrongPasscodes`` nobody new comes in until the app unlocks the room. A key that has proven
///   the passcode once to this process is exempt: strangers cannot lock members out.
/// - The side that dials shows something that tests one guess too, so it counts its own failures: an impostor with a
///   thousand services gets no more guesses than a stranger.
struct Pairing: Organ {
  /// How far the proof on a link has come.
  private enum Run: Sendable {
    /// It has not begun.
    case waiting(ChannelSecrets)
    /// A share has come, and is answered when the wait of its device and its address is over.
    case held(ChannelSecrets, share: [UInt8], until: Instant)
    /// It has begun; `isCounted` says that the other side was given what tests one guess.
    case begun(PasscodeExchange, isCounted: Bool)
  }

  private var runs = PerLink<Run>()
  /// The links whose shares are held, in the order in which these came.
  private var held: [LinkRef] = []
  /// The keys that have proven the passcode to this process.
  private var proven: KeySet<PeerID> = []
  private var guesses = GuessBook()
  /// Whether the app was told that the room is locked.
  private var isLockTold = false

  /// Strangers may try passcodes again, those that wait at once.
  mutating func unlock() {
    guesses.reset()
    isLockTold = false
    for link in held {
      if case .held(let secrets, let share, _)? = runs[link] { runs[link] = .held(secrets, share: share, until: .zero) }
    }
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
    guard proven.contains(entry.peer) || guesses.mayShow(at: turn.now) else {
      return turn.tell(.close(link, .passcodeLocked))
    }
    attempt(link, entry, isCounted: false, in: &turn) { turn throws(CPaceFailure) in
      var exchange = try Self.side(entry, secrets, in: turn)
      let share = PasscodeShare(try exchange.begin())
      turn.send(.passcodeShare, on: link) { share.write(to: &$0) }
      return exchange
    }
  }

  /// A link has ended: a guess that was handed out on it and not proven right was a wrong one.
  mutating func unlinked(_ closed: ClosedLink, in turn: inout Turn) {
    held.removeAll { $0 == closed.link }
    guard case .begun(let exchange, true)? = runs.end(closed.link), exchange.isGuessOpen else { return }
    // Two that dial each other at once end one of the links, and the proof goes on on the other: a guess, but no news of one.
    let isDuplicate =
      switch closed.cause {
      case .ended(let reason), .goodbye(let reason): reason == .duplicate
      case .dropped, .lost: false
      }
    guessedWrong(closed.peer, at: closed.remote.host, isCounted: true, isTold: !isDuplicate, in: &turn)
  }

  // MARK: Time

  /// When the next share that is held is answered.
  func deadline(in turn: inout Turn) -> Instant? { held.compactMap(end).min() }

  /// Answers the shares whose wait is over, one at a time of each address: a wrong passcode lengthens the wait of the others.
  mutating func tick(in turn: inout Turn) {
    var hosts: KeySet<SocketAddress.Host> = []
    for link in held {
      guard let entry = turn.mesh.links[link], case .held(let secrets, let share, let end)? = runs[link],
        end <= turn.now
      else { continue }
      guard hosts.insert(entry.remote.host) else {
        runs[link] = .held(secrets, share: share, until: turn.now + ProtocolTimes.passcodePause)
        continue
      }
      answer(share, secrets, on: entry, in: &turn)
    }
    // One that has to wait again keeps its turn.
    held = held.filter { end(of: $0) != nil }
  }

  private func end(of link: LinkRef) -> Instant? {
    guard case .held(_, _, let end)? = runs[link] else { return nil }
    return end
  }

  // MARK: Frames

  /// The frames of this organ.
  enum Frame {
    case share, answer, proof, wait
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
    case .wait: try receive(PasscodeWait(body: body), run, on: entry, in: &turn)
    }
  }

  private mutating func receive(
    _ share: PasscodeShare, _ run: Run, on entry: LinkDirectory.Entry, in turn: inout Turn
  ) throws(DecodingFailure) {
    guard case .waiting(let secrets) = run, !entry.isDialled else { throw Self.outOfOrder }
    answer(share.bytes, secrets, on: entry, in: &turn)
  }

  /// Answers a share, or lets it wait, or refuses it.
  private mutating func answer(
    _ share: [UInt8], _ secrets: ChannelSecrets, on entry: LinkDirectory.Entry, in turn: inout Turn
  ) {
    let isCounted = !proven.contains(entry.peer)
    if isCounted {
      switch guesses.verdict(entry.peer, at: entry.remote.host, now: turn.now) {
      case .free: guesses.open()
      case .locked: return turn.tell(.close(entry.link, .passcodeLocked))
      case .waits(let end): return hold(share, secrets, on: entry, until: end, in: &turn)
      }
    }
    attempt(entry.link, entry, isCounted: isCounted, in: &turn) { turn throws(CPaceFailure) in
      var exchange = try Self.side(entry, secrets, in: turn)
      let answer = PasscodeAnswer(try exchange.receive(share: share))
      turn.send(.passcodeAnswer, on: entry.link) { answer.write(to: &$0) }
      return exchange
    }
  }

  /// Lets a share wait, so that a right passcode comes in at the end of the wait; a long one ends the link.
  private mutating func hold(
    _ share: [UInt8], _ secrets: ChannelSecrets, on entry: LinkDirectory.Entry, until end: Instant, in turn: inout Turn
  ) {
    assert(!proven.contains(entry.peer), "a key that has proven the passcode waits for nothing")
    let wait = PasscodeWait(end - turn.now)
    turn.send(.passcodeWait, on: entry.link) { wait.write(to: &$0) }
    guard end - turn.now <= ProtocolTimes.passcodeHold else {
      return turn.tell(.close(entry.link, .passcodeWait(end - turn.now)))
    }
    runs[entry.link] = .held(secrets, share: share, until: end)
    if !held.contains(entry.link) { held.append(entry.link) }
    turn.tell(.extend(entry.link, until: end + ProtocolLimits.helloTime))
  }

  /// The other side's answer comes later, or not on this link.
  private func receive(
    _ wait: PasscodeWait, _ run: Run, on entry: LinkDirectory.Entry, in turn: inout Turn
  ) throws(DecodingFailure) {
    guard case .begun(let exchange, _) = run, entry.isDialled, !exchange.isProven else { throw Self.outOfOrder }
    let time = Duration.milliseconds(Int64(wait.milliseconds))
    guard time <= ProtocolTimes.passcodeHold else { return turn.tell(.close(entry.link, .passcodeWait(time))) }
    turn.tell(.extend(entry.link, until: turn.now + time + ProtocolLimits.helloTime))
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
      if !entry.isDialled {
        guessedWrong(entry.peer, at: entry.remote.host, isCounted: isCounted, isTold: true, in: &turn)
      } else if !proven.contains(entry.peer) {
        guesses.failOwn(at: turn.now)
      }
      turn.tell(.close(link, .passcodeRefused))
    }
  }

  private mutating func succeeded(_ entry: LinkDirectory.Entry, isCounted: Bool, in turn: inout Turn) {
    guesses.succeed(entry.peer, at: entry.remote.host, isCounted: isCounted)
    if proven.count >= ProtocolLimits.roster { proven = proven.filter(turn.mesh.roster.admits) }
    proven.insert(entry.peer)
    turn.tell(.proven(entry.link, .passcode))
  }

  private mutating func guessedWrong(
    _ peer: PeerID, at host: SocketAddress.Host, isCounted: Bool, isTold: Bool, in turn: inout Turn
  ) {
    // It has shown elsewhere that it knows the passcode.
    if proven.contains(peer) { return guesses.succeed(peer, at: host, isCounted: isCounted) }
    guesses.fail(peer, at: host, now: turn.now)
    if isTold { turn.report(.passcodeWrong(peer, at: host, left: guesses.left)) }
    guard guesses.isLocked, !exchange(&isLockTold, with: true) else { return }
    turn.report(.passcodeLocked)
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

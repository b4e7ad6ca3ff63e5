import Authentication
import Basics
import WorldModel

/// The organ of the code: six digits on both screens, which two people compare before either end of a link invites or admits.
///
/// It takes place on the link that carries a peer's traffic if either end asks for it, after the proof of the passcode and the word
/// of the apps' drivers. Both people must confirm. Its limits keep strangers from flooding a user with questions, and from trying until two codes are equal.
struct Comparison: Organ {
  /// How far the comparison on a link has come.
  private struct Run: Sendable {
    /// Whether this side dialled.
    let isDialled: Bool
    var exchange: CodeExchange
    /// Whether a frame of it was sent.
    var hasBegun = false
    /// When it is over unless both people have confirmed; nil before the app shows the code.
    var end: Instant?
    /// Whether our user, and theirs, has confirmed.
    var weConfirm = false
    var theyConfirm = false
  }

  private var runs = PerLink<Run>()
  /// The links whose runs have begun, in the order of their beginnings.
  private var begun: [LinkRef] = []
  /// Devices and addresses with which a comparison has failed.
  private var penalties = Penalties(first: ProtocolTimes.codePause, most: ProtocolTimes.codePauseMost)
  /// The comparisons that others have begun.
  private var pace = RateLimit(ProtocolLimits.codesOfStrangersASecond, at: .zero)
  /// The keys that were compared in this process.
  private var compared: KeySet<PeerID> = []

  // MARK: Links

  /// A TLS connection is up; `secrets` belong to it.
  mutating func open(_ id: LinkID, secrets: ChannelSecrets?, in turn: inout Turn) {
    guard turn.configuration.showsCodes, let link = turn.mesh.links.link(id), let entry = turn.mesh.links[link] else {
      return
    }
    guard let secrets else { return turn.tell(.close(link, nil)) }
    let (role, initiator, responder) = entry.sides(of: turn.me.peer)
    let exchange = CodeExchange(role, initiator: initiator, responder: responder, secrets: secrets)
    runs.begin(link, with: Run(isDialled: entry.isDialled, exchange: exchange))
  }

  /// A link carries its peer's traffic and owes nothing but the code: the side that dialled begins, a code that is known already
  /// is shown.
  mutating func begin(_ link: LinkRef, in turn: inout Turn) {
    guard let entry = turn.mesh.links[link], let run = runs[link] else { return }
    guard entry.isDialled, !run.hasBegun else { return show(link, in: &turn) }
    guard mayBegin(entry, in: turn) else { return turn.tell(.close(link, .codeBusy)) }
    note(link)
    advance(link, in: &turn) { exchange, turn throws(CodeFailure) in
      let commitment = CodeCommitment(try exchange.begin())
      turn.send(.codeCommitment, on: link) { commitment.write(to: &$0) }
    }
  }

  /// A link has ended: a comparison on it that was not confirmed has failed.
  mutating func unlinked(_ closed: ClosedLink, in turn: inout Turn) {
    begun.removeAll { $0 == closed.link }
    guard let run = runs.end(closed.link), run.hasBegun else { return }
    if hasFailed(run, on: closed, in: turn) {
      penalties.fail(closed.peer, at: closed.remote.host.network, now: turn.now)
    }
    if run.end != nil { turn.report(.codeEnded(closed.link.id, closed.peer, isConfirmed: false)) }
  }

  /// Whether a run that was not confirmed counts as failed.
  ///
  /// The side that accepted has given its nonce away, so each run counts; but not where two dials have crossed, which no peer brings
  /// about alone. The side that dialled counts those that its user saw.
  private func hasFailed(_ run: Run, on closed: ClosedLink, in turn: borrowing Turn) -> Bool {
    switch closed.cause {
    case .ended(.duplicate), .goodbye(.duplicate): return !run.isDialled && !hasDialled(closed.peer, in: turn)
    case .ended, .goodbye, .dropped, .lost: return !run.isDialled || run.end != nil
    }
  }

  /// Whether a link to a peer stands that this side has dialled.
  private func hasDialled(_ peer: PeerID, in turn: borrowing Turn) -> Bool {
    turn.mesh.links.all.contains { other in
      guard let entry = turn.mesh.links[other] else { return false }
      return entry.peer == peer && entry.isDialled && entry.node != nil
    }
  }

  // MARK: Frames

  /// The frames of this organ.
  enum Frame {
    case commitment, nonce, reveal, confirmed
  }

  /// Takes a step of the other side.
  mutating func receive(
    _ frame: Frame, _ body: RawSpan, on link: LinkRef, in turn: inout Turn
  ) throws(DecodingFailure) {
    guard let entry = turn.mesh.links[link], entry.owed == .code, let run = runs[link] else { throw Self.outOfOrder }
    switch frame {
    case .commitment:
      let commitment = try CodeCommitment(body: body)
      guard !entry.isDialled, !run.hasBegun else { throw Self.outOfOrder }
      guard mayBegin(entry, in: turn) else { return turn.tell(.close(link, .codeBusy)) }
      note(link)
      advance(link, in: &turn) { exchange, turn throws(CodeFailure) in
        let nonce = CodeNonce(try exchange.receive(commitment: commitment.bytes))
        turn.send(.codeNonce, on: link) { nonce.write(to: &$0) }
      }
    case .nonce:
      let nonce = try CodeNonce(body: body)
      advance(link, in: &turn) { exchange, turn throws(CodeFailure) in
        let own = CodeNonce(try exchange.receive(nonce: nonce.bytes))
        turn.send(.codeReveal, on: link) { own.write(to: &$0) }
      }
    case .reveal:
      let nonce = try CodeNonce(body: body)
      advance(link, in: &turn) { exchange, _ throws(CodeFailure) in try exchange.receive(reveal: nonce.bytes) }
    case .confirmed:
      guard run.exchange.code != nil, !run.theyConfirm else { throw Self.outOfOrder }
      runs[link]?.theyConfirm = true
      conclude(link, in: &turn)
    }
  }

  private static let outOfOrder = DecodingFailure.invalid("a step of the comparison that is not due", offset: 0)

  /// Takes one step of the exchange, and shows the code once it is known; a step that fails ends the link.
  private mutating func advance(
    _ link: LinkRef, in turn: inout Turn, _ step: (inout CodeExchange, inout Turn) throws(CodeFailure) -> Void
  ) {
    guard var exchange = runs[link]?.exchange else { return }
    do throws(CodeFailure) {
      try step(&exchange, &turn)
      runs[link]?.exchange = exchange
      show(link, in: &turn)
    } catch {
      turn.tell(.close(link, .protocolError))
    }
  }

  // MARK: People

  /// Asks the user to compare, once the code is known and the link carries its peer's traffic.
  private mutating func show(_ link: LinkRef, in turn: inout Turn) {
    guard let entry = turn.mesh.links[link], let run = runs[link], let code = run.exchange.code, run.end == nil,
      turn.mesh.links.carrier(of: entry.peer) == link
    else { return }
    let end = turn.now + ProtocolTimes.comparison
    runs[link]?.end = end
    // Its own end comes first.
    turn.tell(.extend(link, until: end + ProtocolLimits.helloTime))
    turn.report(.codeShown(link.id, entry.peer, code))
  }

  /// The user's answer; one that comes after the comparison has ended is ignored.
  mutating func answer(_ id: LinkID, isSame: Bool, in turn: inout Turn) {
    guard let link = turn.mesh.links.link(id), let run = runs[link], run.end != nil, !run.weConfirm else { return }
    guard isSame else { return turn.tell(.close(link, .codeRefused)) }
    runs[link]?.weConfirm = true
    turn.send(.codeConfirmed, on: link)
    conclude(link, in: &turn)
  }

  /// Ends the comparison if both people have confirmed.
  private mutating func conclude(_ link: LinkRef, in turn: inout Turn) {
    guard let entry = turn.mesh.links[link], let run = runs[link], run.weConfirm, run.theyConfirm else { return }
    runs.end(link)
    begun.removeAll { $0 == link }
    penalties.clear(entry.peer, at: entry.remote.host.network)
    if compared.count >= ProtocolLimits.roster { compared = compared.filter(turn.mesh.roster.admits) }
    compared.insert(entry.peer)
    turn.mesh.publish(compared: compared)
    turn.report(.codeEnded(link.id, entry.peer, isConfirmed: true))
    turn.tell(.proven(link, .code))
  }

  // MARK: Limits

  /// A run has begun.
  private mutating func note(_ link: LinkRef) {
    runs[link]?.hasBegun = true
    begun.append(link)
  }

  /// Whether a run with the other end of a link may begin now.
  ///
  /// The rate matters most: a stranger that dials knows the code one step before this side, and could break off until it likes it.
  private mutating func mayBegin(_ entry: LinkDirectory.Entry, in turn: borrowing Turn) -> Bool {
    let network = entry.remote.host.network
    guard penalties.isFree(entry.peer, at: network, now: turn.now) else { return false }
    guard !entry.isDialled else { return true }
    var strangers: [SocketAddress.Host] = []
    for link in begun {
      if let other = turn.mesh.links[link], !other.isDialled { strangers.append(other.remote.host.network) }
    }
    return strangers.count < ProtocolLimits.codesOfStrangers && !strangers.contains(network)
      && pace.admits(at: turn.now)
  }

  // MARK: Time

  /// When the time to compare is over; nil for never.
  func deadline(in turn: inout Turn) -> Instant? { begun.compactMap { runs[$0]?.end }.min() }

  /// Ends what nobody has answered in time.
  mutating func tick(in turn: inout Turn) {
    for link in begun where runs[link]?.end.map({ $0 <= turn.now }) == true {
      runs[link]?.end = .distantFuture
      turn.tell(.close(link, .timedOut))
    }
  }

  /// Grants people the time in which this node stood still.
  mutating func excuse(_ gap: Duration, in turn: inout Turn) {
    for link in begun {
      if let end = runs[link]?.end { runs[link]?.end = end + gap }
    }
  }
}

extension Turn {
  /// Whether this node asks for a comparison before it admits a peer.
  func asksForCode(of peer: PeerID) -> Bool {
    guard let known = configuration.compared else { return false }
    return !known.contains(peer) && !mesh.compared.contains(peer)
  }

  /// The capabilities that a hello to a peer says.
  func capabilities(toward peer: PeerID) -> Capabilities {
    var capabilities = Capabilities.current
    if configuration.passcode != nil { capabilities.insert(.passcode) }
    if configuration.showsCodes { capabilities.insert(.showsCodes) }
    if asksForCode(of: peer) { capabilities.insert(.asksForCode) }
    if configuration.driverTime != nil { capabilities.insert(.driver) }
    return capabilities
  }
}

import AnchorReplication
import Basics
import WorldModel

/// The organ of the apps' own authentication: it carries the data of the drivers at both ends of a link, and holds back
/// invitations and admission until both have authenticated the other end.
///
/// An app may have accounts, tickets or a shared secret that this library knows nothing of. Its driver asks a file, a
/// server or a person, so it cannot run in the node, which answers at once and must stay a value that a simulation can
/// copy and replay. The drivers run in the apps; here are their data, bounded by size, number and time, since the other
/// end may be anybody, and the two verdicts.
///
/// One verdict is not enough. One side knows first that it is content. Took it that for the end, its invitation could
/// arrive before the other side's driver has finished, as a breach of the protocol or a hole in the check. So each side
/// says *authenticated*, and the order of the link does the rest: what follows that word follows all data.
///
/// A handshake takes place on each link that carries a peer's traffic, after the proof of the passcode, also with a
/// peer that was authenticated before: a proof is bound to one TLS connection (its exporter, RFC 8446 §7.5), and a
/// process that has taken over the key must not live on an earlier one. Why it is so:
/// Documentation/Decisions/0016-drivers.md.
struct Handshake: Organ {
  /// Data in one direction.
  private struct Load: Sendable {
    private var count = 0
    private var bytes = 0

    /// Counts data; whether there may be so many.
    mutating func admits(_ data: [UInt8]) -> Bool {
      count += 1
      bytes += data.count
      return data.count <= ProtocolLimits.handshakeData && count <= ProtocolLimits.handshakeSteps
        && bytes <= ProtocolLimits.handshakeBytes
    }
  }

  /// The handshake of one link.
  private struct Run: Sendable {
    let binding: [UInt8]
    /// When it is over; nil before the driver was opened.
    var end: Instant?
    var received = Load()
    var sent = Load()
    /// Whether our driver, and theirs, has authenticated the other end.
    var weAre = false
    var theyAre = false
  }

  private var runs = PerLink<Run>()
  /// The links whose drivers were opened, in that order.
  private var begun: [LinkRef] = []
  /// The keys that were authenticated in this process.
  private var known: KeySet<PeerID> = []
  /// The keys whose failure the app was told.
  private var told: KeySet<PeerID> = []

  // MARK: Links

  /// A TLS connection is up; `binding` is its exporter.
  mutating func open(_ id: LinkID, binding: [UInt8]?, in turn: inout Turn) {
    guard turn.configuration.driverTime != nil, let link = turn.mesh.links.link(id) else { return }
    guard let binding else { return turn.tell(.close(link, nil)) }
    runs.begin(link, with: Run(binding: binding))
  }

  /// A link carries its peer's traffic and the driver is due.
  mutating func begin(_ link: LinkRef, in turn: inout Turn) {
    guard let entry = turn.mesh.links[link], let run = runs[link], run.end == nil,
      let time = turn.configuration.driverTime
    else { return }
    let end = turn.now + time
    begun.append(link)
    runs[link]?.end = end
    // Its own end comes first.
    turn.tell(.extend(link, until: end + ProtocolLimits.helloTime))
    let opening = HandshakeOpening(
      peer: entry.peer, isDialled: entry.isDialled, isResumed: known.contains(entry.peer), binding: run.binding)
    turn.report(.handshake(link.id, .began(opening)))
  }

  /// A link has ended.
  mutating func unlinked(_ closed: ClosedLink, in turn: inout Turn) {
    begun.removeAll { $0 == closed.link }
    if let run = runs.end(closed.link), run.end != nil { turn.report(.handshake(closed.link.id, .ended)) }
    switch closed.cause {
    case .ended(let reason), .goodbye(let reason): explain(reason, of: closed, in: &turn)
    case .dropped, .lost: break
    }
  }

  /// Tells the app that a peer was refused; of one that it invites it hears otherwise.
  private mutating func explain(_ reason: EndReason, of closed: ClosedLink, in turn: inout Turn) {
    guard reason.isOfDrivers, !closed.isDialled || turn.mesh.roster.admits(closed.peer) else { return }
    if told.count >= ProtocolLimits.penalties { told = [] }
    if told.insert(closed.peer) { turn.report(.unauthenticated(closed.peer, reason)) }
  }

  // MARK: Steps

  /// Takes a step of the other side.
  mutating func receive(_ body: RawSpan, on link: LinkRef, in turn: inout Turn) throws(DecodingFailure) {
    let frame = try HandshakeFrame(body: body)
    guard let owed = turn.mesh.links[link]?.owed, !owed.contains(.passcode), turn.configuration.driverTime != nil
    else { throw Self.outOfOrder }
    if case .failed(let reason) = frame {
      // Its time may be over in the moment in which this side has concluded.
      return turn.tell(.close(link, .authenticationFailed(HandshakeFailure(reason: reason, isOwn: false))))
    }
    guard let run = runs[link], run.end != nil, !run.theyAre else { throw Self.outOfOrder }
    if case .data(let data) = frame { return take(data, on: link, in: &turn) }
    runs[link]?.theyAre = true
    conclude(link, in: &turn)
  }

  private static let outOfOrder = DecodingFailure.invalid("a step of a handshake that is not due", offset: 0)

  private mutating func take(_ data: [UInt8], on link: LinkRef, in turn: inout Turn) {
    guard runs[link]?.received.admits(data) == true else { return turn.tell(.close(link, .limitExceeded)) }
    if runs[link]?.weAre == false { turn.report(.handshake(link.id, .received(data))) }
  }

  /// Takes a step of our driver; one that comes after its verdict has no effect.
  mutating func take(_ step: HandshakeStep, on id: LinkID, in turn: inout Turn) {
    guard let link = turn.mesh.links.link(id), let run = runs[link], run.end != nil, !run.weAre else { return }
    if let data = step.data {
      guard runs[link]?.sent.admits(data) == true else {
        return refuse(link, because: "the driver sends more than a handshake may carry", in: &turn)
      }
      turn.send(.handshake, on: link) { HandshakeFrame.data(data).write(to: &$0) }
    }
    switch step.verdict {
    case .undecided: break
    case .authenticated:
      runs[link]?.weAre = true
      turn.send(.handshake, on: link) { HandshakeFrame.authenticated.write(to: &$0) }
      conclude(link, in: &turn)
    case .refused(let reason): refuse(link, because: reason, in: &turn)
    }
  }

  private mutating func refuse(_ link: LinkRef, because reason: String, in turn: inout Turn) {
    let failure = HandshakeFailure(
      reason: PlainText.cleaned(reason).utf8Prefix(ProtocolLimits.reason), isOwn: true)
    turn.send(.handshake, on: link) { HandshakeFrame.failed(reason: failure.reason).write(to: &$0) }
    turn.tell(.close(link, .authenticationFailed(failure)))
  }

  /// Ends the handshake if both drivers have authenticated the other end.
  private mutating func conclude(_ link: LinkRef, in turn: inout Turn) {
    guard let run = runs[link], let peer = turn.mesh.links[link]?.peer else { return }
    let isDone = turn.configuration.rules.contains(.bothDrivers) ? run.weAre && run.theyAre : run.weAre || run.theyAre
    guard isDone else { return }
    runs.end(link)
    begun.removeAll { $0 == link }
    if known.count >= ProtocolLimits.roster { known = known.filter(turn.mesh.roster.admits) }
    known.insert(peer)
    told.remove(peer)
    turn.report(.handshake(link.id, .ended))
    turn.tell(.proven(link, .driver))
  }

  // MARK: Time

  /// When the time of a handshake is over; nil for never.
  func deadline(in turn: inout Turn) -> Instant? { begun.compactMap { runs[$0]?.end }.min() }

  /// Ends the handshakes whose time is over.
  mutating func tick(in turn: inout Turn) {
    for link in begun where runs[link]?.end.map({ $0 <= turn.now }) == true {
      runs[link]?.end = .distantFuture
      refuse(link, because: "the drivers took too long", in: &turn)
    }
  }

  /// Grants drivers the time in which this node stood still.
  mutating func excuse(_ gap: Duration, in turn: inout Turn) {
    for link in begun {
      if let end = runs[link]?.end { runs[link]?.end = end + gap }
    }
  }
}

extension EndReason {
  /// Whether it says that a peer was not authenticated by drivers.
  fileprivate var isOfDrivers: Bool {
    if case .authenticationFailed = self { true } else { self == .driverRequired }
  }
}

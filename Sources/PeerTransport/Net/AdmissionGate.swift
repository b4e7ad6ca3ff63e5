package import Basics
package import PeerProtocol

/// Bounds what strangers can cost: how many of their connections are held, and how fast they may try.
///
/// A stranger is an accepted connection whose peer has not greeted properly. It holds a place until it is admitted or its
/// descriptor is closed. A full gate takes the place of a stranger that has had its time from it: first one that is being
/// closed, then an unfinished handshake. So those that only occupy places keep nobody out for long.
///
/// Addresses of members have places of their own besides: all of them may dial a newcomer at once, and to end the
/// handshakes of some for those of others would waste the work of both sides.
///
/// A pure value: time comes in as nanoseconds that never run backwards.
package struct AdmissionGate: Sendable {
  /// The limits of a gate; times in nanoseconds.
  package struct Limits: Sendable {
    /// Strangers in all.
    package var total = 32
    /// Further places that only addresses of known members can take.
    var reserved = ProtocolLimits.members
    /// Strangers from one address.
    package var perAddress = 4
    /// Strangers from one IPv6 network of 64 bits: one machine can have all of its addresses.
    package var perNetwork = 16
    /// How long a handshake keeps its place in a full gate.
    package var patience: UInt64 = 250_000_000
    /// Connections a second from one address, sustained.
    package var rate = 20
    /// Connections from one address at once, after a pause.
    package var burst = 5
    /// Connections a second from all addresses that are not of known members, sustained: their handshakes then take some 2 % of
    /// a processor, so fewer than one in a hundred of the updates of members comes in the middle of one.
    var rateOfAll = 50
    /// Connections from all those addresses at once, after a pause.
    package var burstOfAll = 64
    /// Addresses remembered at a time.
    package var addresses = 4096

    /// The limits of Documentation/Protocol/connection.md.
    package init() {}
  }

  /// Why a connection is turned away.
  package enum Refusal: Error, Equatable, Sendable {
    /// Too many strangers are here, and none has had its time.
    case total
    /// Too many strangers of this address are here.
    case perAddress
    /// Too many strangers of this IPv6 network are here.
    case perNetwork
    /// This address tries too often.
    case rate
    /// All addresses together try too often.
    case rateOfAll
    /// Too many different addresses tried within a moment.
    case crowded

    /// Whether an address of a member would be let in.
    fileprivate var sparesMembers: Bool {
      switch self {
      case .total, .perNetwork, .rateOfAll: true
      case .perAddress, .rate, .crowded: false
      }
    }
  }

  /// How far a stranger has come.
  package enum Stage: Sendable {
    /// TLS is being set up.
    case handshaking
    /// The peer is proven and has yet to greet.
    case open
    /// We are closing.
    case draining
  }

  private struct Stranger {
    let link: LinkID
    let host: SocketAddress.Host
    /// When it came, without the time that this side has taken for its steps.
    var since: UInt64
    let isKnown: Bool
    var stage = Stage.handshaking
    /// Since when this side computes its step of the handshake, or waits for its processor; nil while it does not.
    var computingSince: UInt64?
  }

  private let limits: Limits
  /// Oldest first; their number is bounded, so a search is cheap.
  private var strangers: [Stranger] = []
  private var accounts: [SocketAddress.Host: RateAccount] = [:]
  private var everybody = RateAccount()

  /// An empty gate.
  package init(limits: Limits = Limits()) {
    self.limits = limits
  }

  /// How many strangers are here.
  package var waiting: Int { strangers.count }

  /// Gives a connection a place, or says why not; every success needs one ``release(_:)``.
  ///
  /// - Parameter isKnown: Whether `host` is an address of a member of the session; called only where the answer decides.
  /// - Returns: A stranger that has lost its place to this one; the caller closes it at once.
  package mutating func enter(
    _ link: LinkID, from host: SocketAddress.Host, at now: UInt64, isKnown: () -> Bool = { false }
  ) throws(Refusal) -> LinkID? {
    let isFull = strangers.count { !$0.isKnown } >= limits.total
    if isFull, isKnown() { return try enter(link, from: host, isKnown: true, at: now) }
    do throws(Refusal) {
      return try enter(link, from: host, isKnown: false, at: now)
    } catch {
      guard error.sparesMembers, !isFull, isKnown() else { throw error }
      return try enter(link, from: host, isKnown: true, at: now)
    }
  }

  private mutating func enter(
    _ link: LinkID, from host: SocketAddress.Host, isKnown: Bool, at now: UInt64
  ) throws(Refusal) -> LinkID? {
    guard strangers.count(where: { $0.host == host }) < limits.perAddress else { throw .perAddress }
    if let network = host.network, !isKnown {
      guard strangers.count(where: { $0.host.network == network }) < limits.perNetwork else { throw .perNetwork }
    }
    let evicted = try makeRoom(isKnown: isKnown, at: now)
    try charge(host, isKnown: isKnown, at: now)
    if let evicted { release(evicted) }
    strangers.append(Stranger(link: link, host: host, since: now, isKnown: isKnown))
    assert(strangers.count <= limits.total + limits.reserved, "more strangers are here than have places")
    return evicted
  }

  /// Notes how far a stranger has come; nothing happens for a link that is none.
  package mutating func note(_ stage: Stage, of link: LinkID) {
    guard let index = strangers.firstIndex(where: { $0.link == link }) else { return }
    strangers[index].stage = stage
  }

  /// From now on this side computes a step of a handshake, or waits for its processor: the peer is not to blame for that time.
  ///
  /// If it were, on a slow machine each newcomer would end a handshake for which this side has done most, and none would
  /// come to its end.
  package mutating func beginComputing(for link: LinkID, at now: UInt64) {
    guard let index = strangers.firstIndex(where: { $0.link == link }) else { return }
    strangers[index].computingSince = now
  }

  /// The step is over; returns how long it took.
  package mutating func endComputing(for link: LinkID, at now: UInt64) -> UInt64 {
    guard let index = strangers.firstIndex(where: { $0.link == link }), let start = strangers[index].computingSince
    else { return 0 }
    strangers[index].computingSince = nil
    strangers[index].since += now - start
    return now - start
  }

  /// Frees the place of a stranger that was admitted or is gone; nothing happens for a link that is none.
  package mutating func release(_ link: LinkID) {
    strangers.removeAll { $0.link == link }
  }

  /// The stranger that has to go so that another can come; nil when there is a free place.
  private func makeRoom(isKnown: Bool, at now: UInt64) throws(Refusal) -> LinkID? {
    let rivals = strangers.filter { $0.isKnown == isKnown }
    if rivals.count < (isKnown ? limits.reserved : limits.total) { return nil }
    if let leaving = rivals.first(where: { $0.stage == .draining }) { return leaving.link }
    let late = rivals.first {
      $0.stage == .handshaking && $0.computingSince == nil && now >= $0.since + limits.patience
    }
    guard let late else { throw .total }
    return late.link
  }

  /// Counts the attempt against the rates, or says that one of them is used up.
  private mutating func charge(
    _ host: SocketAddress.Host, isKnown: Bool, at now: UInt64
  ) throws(Refusal) {
    var account = accounts[host] ?? RateAccount()
    guard account.take(rate: limits.rate, burst: limits.burst, at: now) else { throw .rate }
    if accounts[host] == nil, accounts.count >= limits.addresses {
      let present = Set(strangers.map(\.host))
      accounts = accounts.filter { present.contains($0.key) || $0.value.emptyAt > now }
      guard accounts.count < limits.addresses else { throw .crowded }
    }
    guard isKnown || everybody.take(rate: limits.rateOfAll, burst: limits.burstOfAll, at: now) else {
      throw .rateOfAll
    }
    accounts[host] = account
  }
}

/// A leaky bucket: full when `emptyAt − now = burst / rate` (GCRA, ITU-T I.371).
private struct RateAccount: Sendable {
  var emptyAt: UInt64 = 0

  /// Adds one attempt, unless the bucket would run over.
  mutating func take(rate: Int, burst: Int, at now: UInt64) -> Bool {
    let interval = 1_000_000_000 / UInt64(rate)
    let level = max(emptyAt, now) + interval
    guard level - now <= interval * UInt64(burst) else { return false }
    emptyAt = level
    return true
  }
}

extension SocketAddress.Host {
  /// The upper 64 bits of an IPv6 address, with its scope; nil for IPv4.
  fileprivate var network: [UInt64]? {
    switch self {
    case .ipv4: nil
    case .ipv6(let high, _, let scope): [high, UInt64(scope)]
    }
  }
}

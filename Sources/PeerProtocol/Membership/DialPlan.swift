package import Basics

/// How one target is dialled: its addresses in turn, staggered, then again after a pause that doubles
/// until there is news of it.
package struct DialPlan: Sendable {
  /// The addresses, in the order they are tried.
  package private(set) var addresses: [SocketAddress]
  /// When the next address is tried.
  package private(set) var nextAttempt: Instant
  /// Dials that have neither opened nor failed.
  package private(set) var pending: [DialID] = []
  /// Those of them at whose address somebody is: the two authenticate.
  private var answered: KeySet<DialID> = []
  /// Whether every address answered with a refusal since the last link.
  package private(set) var allRefused = false

  /// Whether the target was ever linked, or is known not to be invented: else the pauses grow longer, and news is rarer.
  package var isKnown = true

  private var index = 0
  private var pause = ProtocolTimes.dialBackoff
  private var refusals = 0
  /// Before this, news counts as told already.
  private var nextNews = Instant.zero

  /// A plan whose first attempt is at `start`.
  package init(addresses: [SocketAddress], start: Instant) {
    self.addresses = Array(addresses.prefix(ProtocolLimits.addresses))
    nextAttempt = addresses.isEmpty ? .distantFuture : start
  }

  /// Adds addresses that are not known yet, the newest first.
  package mutating func add(_ more: [SocketAddress], at now: Instant) {
    let new = more.filter { !addresses.contains($0) }
    // A member that invents addresses is not to be followed at once each time.
    if !new.isEmpty, isKnown || addresses.isEmpty { nextAttempt = min(nextAttempt, now) }
    addresses = Array((new + addresses).prefix(ProtocolLimits.addresses))
  }

  /// Gives an address up; whether others are left.
  package mutating func drop(_ address: SocketAddress, at now: Instant) -> Bool {
    if let position = addresses.firstIndex(of: address) {
      addresses.remove(at: position)
      if position < index { index -= 1 }
    }
    if index < addresses.count { nextAttempt = min(nextAttempt, now) }
    return !addresses.isEmpty
  }

  /// Whether there is an address to dial now.
  func isDue(at now: Instant) -> Bool { now >= nextAttempt && !addresses.isEmpty }

  /// The address that is dialled next.
  package var nextAddress: SocketAddress? { addresses.isEmpty ? nil : addresses[index < addresses.count ? index : 0] }

  /// Waits longer, because too much is dialled already.
  mutating func postpone(to later: Instant) { nextAttempt = max(nextAttempt, later) }

  /// The address to dial now as `dial`, if it is time.
  package mutating func attempt(_ dial: DialID, at now: Instant, random: inout SeededRandom) -> SocketAddress? {
    guard isDue(at: now) else { return nil }
    if index >= addresses.count { index = 0 }
    let address = addresses[index]
    index += 1
    pending.append(dial)
    if index < addresses.count {
      nextAttempt = now + ProtocolTimes.dialStagger
    } else {
      nextAttempt = now + ProtocolTimes.dialTurn + takePause(random: &random)
    }
    return address
  }

  /// Somebody is at the address of a dial: the next address waits until the two have authenticated, which takes a slow machine
  /// longer than a connection.
  ///
  /// Behind the last address nothing is dialled until that dial has ended. Where many join on slow machines each dial that is
  /// repeated meanwhile makes all others slower, until none ends in time.
  package mutating func connected(_ dial: DialID, at now: Instant) {
    guard pending.contains(dial) else { return }
    answered.insert(dial)
    nextAttempt = index < addresses.count ? max(nextAttempt, now + ProtocolTimes.dialTurn) : .distantFuture
  }

  /// A dial ended without a link; the next address need not wait for the stagger.
  package mutating func failed(_ dial: DialID, refused: Bool, at now: Instant) {
    pending.removeAll { $0 == dial }
    answered.remove(dial)
    refusals = refused ? refusals + 1 : 0
    allRefused = refusals >= addresses.count
    if index < addresses.count { nextAttempt = min(nextAttempt, now) }
    beginAgain(at: now + pause)
  }

  /// Goes on with the first address at `start` where what was waited for has ended.
  private mutating func beginAgain(at start: Instant) {
    if answered.isEmpty, nextAttempt == .distantFuture, !addresses.isEmpty { nextAttempt = start }
  }

  /// There is news that the target may answer again: it is dialled at `soon` at the latest, and the pauses start again.
  ///
  /// News counts once in ``ProtocolTimes/news``, so that a member that makes much of it causes no storm.
  package mutating func hasten(to soon: Instant) {
    guard soon >= nextNews, !addresses.isEmpty, answered.isEmpty || index < addresses.count else { return }
    nextNews = soon + (isKnown ? ProtocolTimes.news : ProtocolTimes.newsOfUnknown)
    nextAttempt = min(nextAttempt, soon)
    pause = ProtocolTimes.dialBackoff
  }

  /// The link that another plan for the target led to did not last: the pauses go on growing from there.
  package mutating func goOn(from brief: DialPlan, at now: Instant, random: inout SeededRandom) {
    pause = brief.pause
    nextNews = brief.nextNews
    guard !addresses.isEmpty else { return }
    nextAttempt = max(nextAttempt, now + takePause(random: &random))
  }

  /// The pause that is due, with its jitter; the next one is longer.
  private mutating func takePause(random: inout SeededRandom) -> Duration {
    let most = isKnown ? ProtocolTimes.dialBackoffMost : ProtocolTimes.dialBackoffOfUnknown
    defer { pause = min(pause * 2, most) }
    return pause + .nanoseconds(Int64.random(in: 0..<100_000_000, using: &random))
  }

  /// A dial became a link; if that ends before it carries a member's traffic, the next dial is due.
  package mutating func opened(_ dial: DialID, at now: Instant) {
    pending.removeAll { $0 == dial }
    answered.remove(dial)
    beginAgain(at: now + ProtocolTimes.dialTurn + pause)
  }
}

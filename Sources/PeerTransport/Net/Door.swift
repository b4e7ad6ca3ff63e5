import Basics

/// Decides which strangers the kernel turns away, so that a flood of refused connections costs this process nothing.
///
/// To accept a connection and to reset it costs microseconds, and tens of thousands come in a second. After
/// ``refusals`` of them within ``window`` the door shuts for ``pause``: to the few addresses that most of them came
/// from, or, when they came from many, to all addresses but those of members. A connection that comes meanwhile is
/// never accepted; an honest dialler's kernel tries again after a second.
///
/// A pure value: time comes in as nanoseconds that never run backwards.
struct Door: Sendable {
  /// Refused connections within one window that shut the door: more than a room of devices makes that start at once.
  static let refusals = 128
  /// The time in which they are counted (ns).
  static let window: UInt64 = 100_000_000
  /// How long the door is shut (ns).
  static let pause: UInt64 = 250_000_000
  /// An address that was refused so often within the window is one of few.
  static let share = refusals / 8

  /// When the door opens; nil while it is open.
  private(set) var opensAt: UInt64?
  /// The addresses that it is shut to.
  private(set) var shutOut: Set<SocketAddress.Host> = []
  /// Whether it is shut to all addresses but those of members.
  private(set) var isForMembers = false

  private var counts: [SocketAddress.Host: Int] = [:]
  private var count = 0
  private var windowEnd: UInt64 = 0

  /// Counts a refused connection; whether the door has shut, or shut to more addresses than before.
  mutating func note(refusalOf host: SocketAddress.Host, at now: UInt64) -> Bool {
    if now >= windowEnd {
      beginCount()
      windowEnd = now + Self.window
    }
    counts[host, default: 0] += 1
    count += 1
    guard count == Self.refusals else { return false }
    let loud = counts.filter { $0.value >= Self.share }
    shutOut.formUnion(loud.keys)
    if 2 * loud.values.reduce(0, +) < count { isForMembers = true }
    opensAt = now + Self.pause
    beginCount()
    return true
  }

  /// Opens the door when its time has come; whether it has.
  mutating func open(at now: UInt64) -> Bool {
    guard let opensAt, opensAt <= now else { return false }
    self = Door()
    return true
  }

  private mutating func beginCount() {
    counts.removeAll(keepingCapacity: true)
    count = 0
  }
}

internal import Basics
internal import BasicsLinux
internal import Glibc

/// Keeps a thread that handles what anybody on the network sends to a small share of a processor.
///
/// Any machine on the network may multicast as much as it carries, and forge every sender: one account stands for all of them.
/// Messages that come while the thread rests wait in the buffers of its sockets, and the kernel drops those that do not fit.
///
/// Confined to its thread.
struct NetworkPace {
  /// One part in 32 of a processor: in it a thread handles a thousand messages a second, many times what honest networks have.
  ///
  /// The savings pay for the answers of a hundred services at once.
  static let limits = WorkBudget.Limits(burst: 4_000_000 * WorkBudget.Limits.slowness, debt: 10_000_000, share: 32)
  /// The least rest: a thread that wakes for every message costs more by waking than by handling it.
  static let shortestRest: Duration = .milliseconds(5)

  private let start: ContinuousClock.Instant
  private var budget: WorkBudget
  /// The processor time that is charged.
  private var charged: UInt64

  /// The pace of a thread that has used so much of a processor (ns).
  init(at now: ContinuousClock.Instant, used: UInt64) {
    (start, charged) = (now, used)
    budget = WorkBudget(Self.limits, at: 0)
  }

  /// Charges what the thread has used of a processor (ns, in all); returns how long it rests now, or nil.
  mutating func rest(at now: ContinuousClock.Instant, used: UInt64) -> Duration? {
    let time = UInt64(max(0, (now - start) / .nanoseconds(1)))
    budget.charge(used - charged, for: 0, at: time)
    charged = used
    return budget.rest(at: time).map { max(.nanoseconds(Int64($0)), Self.shortestRest) }
  }
}

extension NetworkPace {
  /// The pace of this thread.
  init() { self.init(at: .now, used: POSIXThread.processorTime) }

  /// Charges what this thread has done since the last call, and lets it rest when that was too much.
  mutating func keep() {
    let now = ContinuousClock.now
    guard let rest = rest(at: now, used: POSIXThread.processorTime) else { return }
    poll(nil, 0, milliseconds(until: now + rest))
  }
}

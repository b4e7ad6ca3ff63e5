package import Basics

/// How fast bytes have been verified of late.
package struct TransferRate: Sendable {
  /// The time that is looked back.
  private static let window: Duration = .seconds(2)
  private static let spacing: Duration = .milliseconds(100)

  private var samples: [(time: Instant, bytes: Int)] = []

  package init() {}

  /// Notes that `bytes` are verified by now.
  package mutating func record(_ bytes: Int, at now: Instant) {
    if let last = samples.last, now - last.time < Self.spacing { return }
    samples.append((now, bytes))
    while samples.count > 2, now - samples[1].time >= Self.window { samples.removeFirst() }
  }

  /// Bytes a second up to now, when `bytes` are verified; 0 while nothing is known.
  package func bytesPerSecond(with bytes: Int, at now: Instant) -> Int {
    guard let first = samples.first, first.time < now, bytes > first.bytes else { return 0 }
    let nanoseconds = Double(now.nanoseconds(since: first.time))
    return Int(Double(bytes - first.bytes) * 1e9 / nanoseconds)
  }
}

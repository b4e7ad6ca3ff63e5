import Glibc

/// Times that single messages took (nanoseconds).
struct Latencies: Sendable {
  private(set) var all: [UInt64] = []

  /// The clock of all such times.
  static var now: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  /// Adds a message that was sent at `start` and is here now.
  mutating func add(since start: UInt64) { all.append(Self.now - start) }

  /// Adds a message that was sent and came at these times.
  mutating func add(from start: UInt64, to end: UInt64) { all.append(end - start) }

  mutating func add(_ other: Latencies) { all += other.all }

  /// The time (µs) that a part of the messages stayed below.
  func percentile(_ part: Double) -> Double {
    let sorted = all.sorted()
    guard !sorted.isEmpty else { return .nan }
    return Double(sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))]) / 1000
  }
}

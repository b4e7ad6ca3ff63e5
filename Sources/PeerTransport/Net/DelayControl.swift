/// Bounds a link's bytes in flight by the delay they cause, so that urgent frames need not queue behind a map.
///
/// TCP fills the queue before the slowest hop until it overflows, and all that shares the hop waits. This keeps the
/// standing queue of a link that always has more to send near a target, as LEDBAT (RFC 6817) does: the delay is what
/// the round trip takes above the least ever seen. Nothing is bounded before the delay is over the target once.
struct DelayControl {
  /// The range of the bound (bytes): the lowest sustains 10 Mbit/s at a round trip of 20 ms.
  static let windows = 24 * 1024...4 * 1024 * 1024
  /// Nanoseconds from one look to the next.
  static let interval: UInt64 = 20_000_000

  /// The most the link may have in flight; nil while TCP alone decides.
  private(set) var window: Int?
  private let target: Double

  /// The most bytes to give the kernel at once: it accepts all of them whenever it has any room.
  var sendSize: Int { window.map { $0 / 2 } ?? .max }

  /// - Parameter target: How long bytes may wait in the network because of this link (nanoseconds).
  init(target: UInt64) {
    self.target = Double(target)
  }

  /// Records that the `bytes` in flight wait for `delay` nanoseconds.
  mutating func note(delay: UInt64, inFlight bytes: Int) {
    let excess = Double(delay) / target
    if let window {
      // Down by a quarter at most, up by an eighth: the round trip that is reported is itself an average.
      self.window = Self.clamp(Double(window) * min(1.125, max(0.75, 1 + (1 - excess) / 4)))
    } else if excess > 1 {
      window = Self.clamp(Double(bytes) / excess)
    }
  }

  private static func clamp(_ bytes: Double) -> Int {
    Int(min(Double(windows.upperBound), max(Double(windows.lowerBound), bytes)))
  }
}

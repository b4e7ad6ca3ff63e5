import Basics

/// How long the pieces that one end of a connection in memory receives are on their way.
///
/// Each delay is a function of the network's seed, of the connection and of the number of the piece alone: it does not depend on
/// what happens elsewhere on the network meanwhile, and so not on which thread runs first.
struct MemoryDelays {
  private let range: ClosedRange<Duration>
  private var random: SeededRandom

  /// The delays of one direction of a connection.
  ///
  /// - Parameters:
  ///   - from: The port that began the connection.
  ///   - to: The port that it leads to.
  ///   - number: Counts the connections that one port began to the other.
  ///   - isBack: Whether the pieces go to the port that began it.
  init(
    _ range: ClosedRange<Duration>, seed: UInt64, from: UInt16, to: UInt16, number: UInt32, isBack: Bool
  ) {
    self.range = range
    let direction = UInt64(from) << 48 | UInt64(to) << 32 | UInt64(number << 1) | (isBack ? 1 : 0)
    var network = SeededRandom(seed: seed)
    random = SeededRandom(seed: network.next() ^ direction)
  }

  /// The delay of the next piece (ns).
  mutating func next() -> UInt64 {
    let span = (range.upperBound - range.lowerBound) / .nanoseconds(1)
    let extra = span > 0 ? random.below(UInt64(span) + 1) : 0
    return UInt64(range.lowerBound / .nanoseconds(1)) + extra
  }
}

import Basics

/// When a node of an election dials which peers; of two peers, the one with the lower number dials the other.
struct RedialPlan {
  private let index: Int
  private var random: SeededRandom
  /// By peer number: when to dial next.
  private var times: [Instant?]
  /// The earliest of them; nil when there is none.
  private(set) var deadline: Instant?

  /// Dials every peer of a number above `index` now.
  init(after index: Int, count: Int, random: SeededRandom, at now: Instant) {
    self.index = index
    self.random = random
    times = (0..<count).map { $0 > index ? now : nil }
    deadline = index + 1 < count ? now : nil
  }

  /// Dials a peer again after 50 to 150 ms.
  mutating func plan(_ peer: Int, at now: Instant) {
    guard peer > index else { return }
    times[peer] = now.advanced(byNanoseconds: 50_000_000 + Int64(random.below(UInt64(100_000_000))))
    deadline = times.compactMap(\.self).min()
  }

  /// Dials a peer no longer.
  mutating func cancel(_ peer: Int) {
    times[peer] = nil
    deadline = times.compactMap(\.self).min()
  }

  /// The next peer to dial now, in the order of the numbers; nil when there is none.
  mutating func next(at now: Instant) -> Int? {
    guard let deadline, deadline <= now, let peer = times.firstIndex(where: { $0.map { $0 <= now } ?? false }) else {
      return nil
    }
    cancel(peer)
    return peer
  }
}

/// The processor time that others may cost this peer: an account that their bytes and the time fill.
///
/// The cost of their bytes is taken from it. A peer that has overdrawn it rests until the time has filled it again, so
/// that a small frame with a dear answer slows down nobody but the one that sends it.
///
/// A pure value: costs and times come in (nanoseconds), and the times never run backwards.
package struct WorkBudget: Sendable {
  /// The terms of a budget; times in nanoseconds.
  package struct Limits: Sendable {
    /// The most that is saved up.
    package var burst: Int64
    /// The most that is owed: what costs more is forgiven, so that a rest lasts for `debt` × `share` at most.
    package var debt: Int64
    /// The worth of a byte that comes.
    package var perByte: Int64
    /// The worth of the time that passes: one part in so many.
    package var share: Int64

    package init(burst: Int64, debt: Int64, perByte: Int64 = 0, share: Int64) {
      (self.burst, self.debt, self.perByte, self.share) = (burst, debt, perByte, share)
    }

    #if DEBUG
    /// A build without optimisation takes so many times as long for the same work.
    package static let slowness: Int64 = 20
    #else
    package static let slowness: Int64 = 1
    #endif
  }

  private let limits: Limits
  private var balance: Int64
  private var filledAt: UInt64

  /// A full account.
  package init(_ limits: Limits, at now: UInt64) {
    self.limits = limits
    balance = limits.burst
    filledAt = now
  }

  /// Takes the cost of some bytes from the account, and fills in what they and the time are worth.
  package mutating func charge(_ cost: UInt64, for bytes: Int, at now: UInt64) {
    let time = worth(of: now)
    balance = filled(by: time)
    // The rest of the division counts next time.
    filledAt += UInt64(time * limits.share)
    let worth = Int64(clamping: bytes) * limits.perByte
    // The cost last: nothing that is filled in together with it is lost to the burst.
    balance = max(min(balance + worth - Int64(clamping: cost), limits.burst), -limits.debt)
    assert(filledAt <= now, "the time of an account runs ahead")
  }

  /// How long the one with the account has to rest; nil while it may go on.
  package func rest(at now: UInt64) -> UInt64? {
    let balance = filled(by: worth(of: now))
    return balance < 0 ? UInt64(-balance * limits.share) : nil
  }

  /// Whether nothing would be lost if the account were opened again.
  package func isFull(at now: UInt64) -> Bool { filled(by: worth(of: now)) == limits.burst }

  private func worth(of now: UInt64) -> Int64 { Int64(clamping: now - filledAt) / limits.share }

  private func filled(by worth: Int64) -> Int64 {
    min(balance + min(worth, limits.burst + limits.debt), limits.burst)
  }
}

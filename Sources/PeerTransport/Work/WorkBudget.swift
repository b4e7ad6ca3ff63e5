/// The processor time that one peer may cost this one: an account that its bytes and the time fill.
///
/// The cost of the peer's bytes is taken from it. A peer that has overdrawn it rests until the time has filled it again, so
/// that a small frame with a dear answer slows down nobody but the peer that sends it.
///
/// A pure value: costs and times come in (nanoseconds), and the times never run backwards.
struct WorkBudget: Sendable {
  /// The terms of a budget; times in nanoseconds.
  struct Limits: Sendable {
    /// The most that is saved up: a whole snapshot at the join costs less.
    var burst: Int64 = 250_000_000 * Self.slowness
    /// The most that is owed: what costs more is forgiven, so that a peer rests for a second at most and its link does not end
    /// for silence.
    var debt: Int64 = 125_000_000
    /// The worth of a byte that the peer sends: ten times what it costs in a frame whose cost is linear in its bytes.
    var perByte: Int64 = 50 * Self.slowness
    /// The worth of the time that passes: one part in so many.
    var share: Int64 = 8

    #if DEBUG
      /// A build without optimisation takes so many times as long for the same work.
      private static let slowness: Int64 = 20
    #else
      private static let slowness: Int64 = 1
    #endif
  }

  private let limits: Limits
  private var balance: Int64
  private var filledAt: UInt64

  /// A full account.
  init(_ limits: Limits, at now: UInt64) {
    self.limits = limits
    balance = limits.burst
    filledAt = now
  }

  /// Takes the cost of some bytes of the peer from the account, and fills in what they and the time are worth.
  mutating func charge(_ cost: UInt64, for bytes: Int, at now: UInt64) {
    let time = worth(of: now)
    balance = filled(by: time)
    // What the division leaves over counts next time.
    filledAt += UInt64(time * limits.share)
    let worth = Int64(clamping: bytes) * limits.perByte
    // The cost last: nothing that is filled in together with it is lost to the burst.
    balance = max(min(balance + worth - Int64(clamping: cost), limits.burst), -limits.debt)
  }

  /// How long the peer has to rest; nil while it may go on.
  func rest(at now: UInt64) -> UInt64? {
    let balance = filled(by: worth(of: now))
    return balance < 0 ? UInt64(-balance * limits.share) : nil
  }

  /// Whether nothing would be lost if the account were opened again.
  func isFull(at now: UInt64) -> Bool { filled(by: worth(of: now)) == limits.burst }

  private func worth(of now: UInt64) -> Int64 { Int64(clamping: now - filledAt) / limits.share }

  private func filled(by worth: Int64) -> Int64 {
    min(balance + min(worth, limits.burst + limits.debt), limits.burst)
  }
}

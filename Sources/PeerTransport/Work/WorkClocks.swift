/// The clocks by which the work for a peer is measured (nanoseconds, each from an arbitrary start).
struct WorkClocks {
  /// The time; a look at it costs a few nanoseconds.
  var time: () -> UInt64
  /// The processor time of this thread; a look at it is a system call.
  var processorTime: () -> UInt64

  /// Those of the machine.
  static var machine: WorkClocks {
    WorkClocks(time: { MonotonicClock.now }, processorTime: { MonotonicClock.processorTime })
  }
}

/// Measures what pieces of work cost, by the processor's time where it matters.
struct WorkMeter {
  /// Pieces that are over so soon count with the time that has passed: a preempted thread cannot have lost more.
  private static let short: UInt64 = 50_000

  let clocks: WorkClocks
  /// The processor time at the last look.
  private var lastLook: UInt64

  init(_ clocks: WorkClocks) {
    self.clocks = clocks
    lastLook = clocks.processorTime()
  }

  /// The cost of the work between two times; it ends now.
  ///
  /// On a busy machine much of a long time was other programs'. The processor's time since the last look bounds the cost as
  /// well; so nobody pays for a look at it but those whose work takes long.
  mutating func cost(from start: UInt64, to end: UInt64) -> UInt64 {
    guard end - start > Self.short else { return end - start }
    let look = clocks.processorTime()
    defer { lastLook = look }
    return min(end - start, look - lastLook)
  }
}

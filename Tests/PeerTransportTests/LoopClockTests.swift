import TestSupport
import Testing

@testable import PeerTransport

/// A timer on a loop.
private actor Alarm {
  nonisolated let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
  private var timer: LoopTimer?

  init(_ loop: EventLoop) { self.loop = loop }

  /// Waits; returns when the timer has fired and when it was due, by the loop's clock.
  func ring(after duration: Duration) async -> (fired: UInt64, due: UInt64) {
    let due = loop.time(after: duration)
    return await withCheckedContinuation { done in
      timer = loop.makeTimer { [loop] in done.resume(returning: (loop.now, due)) }
      timer?.deadline = due
    }
  }
}

@Suite("The time of loops", .endsHangs)
struct LoopClockTests {
  /// Lets some of the machine's time pass, and returns how much passed by a clock, and at least and at most by the machine.
  private static func pass(_ clock: LoopClock) -> (shown: UInt64, least: UInt64, most: UInt64) {
    let outer = MonotonicClock.now
    let first = clock.now
    let inner = MonotonicClock.now
    while MonotonicClock.now < inner + 100_000 {}
    let end = MonotonicClock.now
    let last = clock.now
    return (last - first, end - inner, MonotonicClock.now - outer)
  }

  @Test("while nobody works it passes so many times faster, and else as that of the machine")
  func pace() {
    let clock = LoopClock(speed: 50)
    var time = Self.pass(clock)
    #expect((time.least * 50...time.most * 50).contains(time.shown))
    clock.begin()
    time = Self.pass(clock)
    #expect((time.least...time.most).contains(time.shown))
    clock.begin()
    clock.end()
    time = Self.pass(clock)
    #expect((time.least...time.most).contains(time.shown))
    clock.end()
    time = Self.pass(clock)
    #expect((time.least * 50...time.most * 50).contains(time.shown))
  }

  @Test("that of the machine is never faster")
  func machine() {
    let time = Self.pass(.machine)
    #expect((time.least...time.most).contains(time.shown))
  }

  @Test("a loop's timers run by its clock, and none is early")
  func timers() async throws {
    let loop = try EventLoop(clock: LoopClock(speed: 100))
    defer { loop.stop() }
    let alarm = Alarm(loop)
    for duration in [Duration.milliseconds(1), .seconds(1), .seconds(20)] {
      let (fired, due) = await alarm.ring(after: duration)
      #expect(fired >= due)
    }
  }
}

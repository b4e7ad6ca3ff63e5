import CMachine
import Foundation
import Glibc

extension RawTCP {
  /// How long single frames take to each of `receivers`, `rate` a second, one `send` each.
  static func latencies(receivers: Int, rate: Int, count: Int) throws -> Latencies {
    let pairs = try (0..<receivers).map { _ in try pair() }
    defer { for pair in pairs { close(pair.sender) } }
    for pair in pairs { sendAtOnce(pair.sender) }
    let done = DispatchSemaphore(value: 0)
    let results = UnsafeMutablePointer<Latencies>.allocate(capacity: receivers)
    results.initialize(repeating: Latencies(), count: receivers)
    defer { results.deinitialize(count: receivers).deallocate() }
    for (index, pair) in pairs.enumerated() {
      nonisolated(unsafe) let result = results + index
      Thread.detachNewThread {
        receive(count, on: pair.receiver, into: &result.pointee)
        close(pair.receiver)
        done.signal()
      }
    }
    var bytes = [UInt8](repeating: 0, count: frame)
    let start = Latencies.now
    for number in 0..<count {
      sleep(until: start + UInt64(number) * 1_000_000_000 / UInt64(rate))
      bytes.withUnsafeMutableBytes { $0.storeBytes(of: Latencies.now, as: UInt64.self) }
      for pair in pairs { try sendAll(bytes, to: pair.sender) }
    }
    for _ in pairs { done.wait() }
    return (0..<receivers).reduce(into: Latencies()) { $0.add(results[$1]) }
  }

  /// The numbers of messages, `rate` a second.
  ///
  /// A thread that sleeps gives them out, as one does that sends over plain TCP. The timers of Dispatch, which `Task.sleep` uses,
  /// wake three threads, and these would be in the way of those whose latency is measured.
  static func ticks(_ count: Int, rate: Int) -> AsyncStream<Int> {
    let (ticks, source) = AsyncStream.makeStream(of: Int.self)
    Thread.detachNewThread {
      let start = Latencies.now + 200_000_000
      for number in 0..<count {
        sleep(until: start + UInt64(number) * 1_000_000_000 / UInt64(rate))
        source.yield(number)
      }
      source.finish()
    }
    return ticks
  }

  /// How long a frame takes there and back, one after the other, between two threads.
  ///
  /// Each has a processor of its own where there are two: on one, which the scheduler chooses now and then, a frame takes
  /// a fraction of the time.
  static func roundTrips(count: Int) throws -> Latencies {
    let pair = try pair()
    defer { close(pair.sender) }
    for socket in [pair.sender, pair.receiver] { sendAtOnce(socket) }
    Thread.detachNewThread {
      use_processor(1)
      var bytes = [UInt8](repeating: 0, count: frame)
      while read(&bytes, from: pair.receiver) { try? sendAll(bytes, to: pair.receiver) }
      close(pair.receiver)
    }
    use_processor(0)
    defer { use_own_processors() }
    var bytes = [UInt8](repeating: 0, count: frame)
    var times = Latencies()
    for _ in 0..<count {
      let start = Latencies.now
      try sendAll(bytes, to: pair.sender)
      guard read(&bytes, from: pair.sender) else { throw Failure(call: "recv") }
      times.add(since: start)
    }
    return times
  }

  private static func receive(_ count: Int, on socket: Int32, into times: inout Latencies) {
    var bytes = [UInt8](repeating: 0, count: frame)
    for number in 0..<count where read(&bytes, from: socket) && number >= LatencyRows.warmUp {
      times.add(since: bytes.withUnsafeBytes { $0.load(as: UInt64.self) })
    }
  }

  private static func read(_ bytes: inout [UInt8], from socket: Int32) -> Bool {
    recv(socket, &bytes, bytes.count, Int32(MSG_WAITALL)) == bytes.count
  }

  private static func sendAtOnce(_ socket: Int32) {
    var isOn: Int32 = 1
    setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
  }

  private static func sleep(until time: UInt64) {
    var wake = timespec(tv_sec: Int(time / 1_000_000_000), tv_nsec: Int(time % 1_000_000_000))
    clock_nanosleep(CLOCK_MONOTONIC, Int32(TIMER_ABSTIME), &wake, nil)
  }
}

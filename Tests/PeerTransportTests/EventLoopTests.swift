import Glibc
import PeerTransport
import Synchronization
import TestSupport
import Testing

private actor Counter {
  nonisolated let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
  private var value = 0
  private var timer: LoopTimer?

  init(_ loop: EventLoop) { self.loop = loop }

  func increment() -> Int {
    value += 1
    return value
  }

  func thread() -> UInt { UInt(pthread_self()) }

  /// Enters the actor from a plain callback on the loop.
  nonisolated func incrementFromCallback() -> Int {
    assumeIsolated { counter in
      counter.value += 1
      return counter.value
    }
  }

  func timer(after nanoseconds: UInt64) async -> UInt64 {
    await withCheckedContinuation { continuation in
      timer = loop.makeTimer { continuation.resume(returning: MonotonicClock.now) }
      timer?.deadline = MonotonicClock.now + nanoseconds
    }
  }

  /// Sets a timer, puts it off, and drops another one that is due first.
  func timer(after first: UInt64, thenPutOffTo second: UInt64) async -> UInt64 {
    await withCheckedContinuation { continuation in
      let start = MonotonicClock.now
      timer = loop.makeTimer { continuation.resume(returning: MonotonicClock.now) }
      timer?.deadline = start + first
      timer?.deadline = start + second
      var dropped: LoopTimer? = loop.makeTimer { continuation.resume(returning: 0) }
      dropped?.deadline = start + first
      dropped = nil
    }
  }

  func watchPipe() async throws -> [Readiness] {
    var ends: (Int32, Int32) = (0, 0)
    withUnsafeMutableBytes(of: &ends) { _ = pipe($0.baseAddress!.assumingMemoryBound(to: Int32.self)) }
    defer {
      close(ends.0)
      close(ends.1)
    }
    let seen: [Readiness] = try await withCheckedThrowingContinuation { continuation in
      let handler = PipeHandler(loop: loop, file: ends.0) { continuation.resume(returning: $0) }
      do {
        try loop.watch(ends.0, for: .readable, handler: handler)
        write(ends.1, "x", 1)
      } catch {
        continuation.resume(throwing: error)
      }
    }
    return seen
  }
}

/// The thread the caller runs on.
private func currentThread() -> UInt { UInt(pthread_self()) }

private final class PipeHandler: EventHandler {
  private let loop: EventLoop
  private let file: Int32
  private let done: ([Readiness]) -> Void
  private var seen: [Readiness] = []

  init(loop: EventLoop, file: Int32, done: @escaping ([Readiness]) -> Void) {
    self.loop = loop
    self.file = file
    self.done = done
  }

  func handle(_ readiness: Readiness) {
    seen.append(readiness)
    // Level-triggered: it comes again until the byte is read.
    guard seen.count == 2 else { return }
    loop.unwatch(file)
    done(seen)
  }
}

@Suite(.endsHangs) struct EventLoopTests {
  @Test func `an actor runs on the loop's thread and nowhere else`() async throws {
    let loop = try EventLoop()
    let counter = Counter(loop)
    let first = await counter.thread()
    let others = await withTaskGroup(of: UInt.self) { group in
      for _ in 0..<50 { group.addTask { await counter.thread() } }
      return await group.reduce(into: Set<UInt>()) { $0.insert($1) }
    }
    #expect(others == [first])
    #expect(loop.isIsolatingCurrentContext() == false)
    loop.stop()
    loop.join()
  }

  @Test func `a callback on the loop may enter the actor at once`() async throws {
    let loop = try EventLoop()
    let counter = Counter(loop)
    let value = await withCheckedContinuation { continuation in
      loop.execute { continuation.resume(returning: counter.incrementFromCallback()) }
    }
    #expect(value == 1)
    #expect(await counter.increment() == 2)
    loop.stop()
    loop.join()
  }

  @Test func `jobs of many tasks are all run, one at a time`() async throws {
    let loop = try EventLoop()
    let counter = Counter(loop)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask { for _ in 0..<500 { _ = await counter.increment() } }
      }
    }
    #expect(await counter.increment() == 4001)
    loop.stop()
    loop.join()
  }

  @Test func `work queued before the stop still runs, and so does what comes later`() async throws {
    let loop = try EventLoop()
    let counter = Counter(loop)
    let log = Mutex<[Int]>([])
    await withCheckedContinuation { continuation in
      loop.execute {
        for number in 0..<3 { loop.execute { log.withLock { $0.append(number) } } }
        loop.stop()
        continuation.resume()
      }
    }
    loop.join()
    #expect(log.withLock { $0 } == [0, 1, 2])
    #expect(await counter.increment() == 1)
    #expect(await counter.increment() == 2)
  }

  @Test func `a task that prefers the loop changes threads neither to reach its actor nor to come back`() async throws {
    let loop = try EventLoop()
    let counter = Counter(loop)
    let executor = LoopTaskExecutor(loop)
    let threads = await Task(executorPreference: executor) {
      var threads: Set<UInt> = [currentThread()]
      for _ in 0..<100 {
        threads.insert(await counter.thread())
        threads.insert(currentThread())
      }
      return threads
    }.value
    #expect(threads == [await counter.thread()])
    loop.stop()
    loop.join()
    // A loop that has ended still runs what comes, on another thread.
    #expect(await Task(executorPreference: executor) { await counter.increment() }.value == 1)
  }

  @Test func `work that work causes is all run, however much of it, and sockets are served after it`() async throws {
    let loop = try EventLoop()
    let counter = Counter(loop)
    // More generations than one round takes up.
    let depth = await withCheckedContinuation { (continuation: CheckedContinuation<Int, Never>) in
      @Sendable func descend(_ depth: Int) {
        if depth == 100 { continuation.resume(returning: depth) } else { loop.execute { descend(depth + 1) } }
      }
      loop.execute { descend(0) }
    }
    #expect(depth == 100)
    #expect(try await counter.watchPipe() == [.readable, .readable])
    loop.stop()
    loop.join()
  }

  @Test func `a timer that is put off fires at its new time, and one that is dropped never`() async throws {
    let loop = try EventLoop()
    let counter = Counter(loop)
    let start = MonotonicClock.now
    #expect(await counter.timer(after: 5_000_000, thenPutOffTo: 30_000_000) >= start + 30_000_000)
    loop.stop()
    loop.join()
  }

  @Test func `a timer fires once and not early`() async throws {
    let loop = try EventLoop()
    let counter = Counter(loop)
    let start = MonotonicClock.now
    let fired = await counter.timer(after: 20_000_000)
    #expect(fired >= start + 20_000_000)
    let soon = await counter.timer(after: 0)
    #expect(soon >= fired)
    loop.stop()
    loop.join()
  }

  @Test func `a descriptor is reported as long as it is ready`() async throws {
    let loop = try EventLoop()
    #expect(try await Counter(loop).watchPipe() == [.readable, .readable])
    loop.stop()
    loop.join()
  }

  @Test func `clocks run forward and the boot clock is never behind`() {
    let (first, boot) = (MonotonicClock.now, MonotonicClock.boot)
    #expect(MonotonicClock.now >= first)
    #expect(boot >= first)
  }
}

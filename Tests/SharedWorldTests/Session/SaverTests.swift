import PeerTransport
import Synchronization
import TestSupport
import Testing

@testable import SharedWorld

@Suite("One write at a time", .endsHangs)
struct SaverTests {
  /// A disk whose writes wait until they are let through, or fail.
  private actor Disk {
    private(set) var written: [Int] = []
    private var begun: [CheckedContinuation<Void, Never>] = []
    private var awaited: CheckedContinuation<Void, Never>?
    private(set) var mostAtOnce = 0
    var failure: SessionError?

    func write(_ value: Int) async throws(SessionError) {
      await withCheckedContinuation { write in
        begun.append(write)
        mostAtOnce = max(mostAtOnce, begun.count)
        awaited.take()?.resume()
      }
      if let failure { throw failure }
      written.append(value)
    }

    /// Waits until a write has begun, and lets it end.
    func finish(with failure: SessionError? = nil) async {
      if begun.isEmpty { await withCheckedContinuation { awaited = $0 } }
      self.failure = failure
      begun.removeFirst().resume()
    }
  }

  /// Runs `body` with a saver of the number in `latest`, which is nil once it was taken.
  private func withSaver(
    _ body: (Saver<Int>, Disk, _ offer: @Sendable (Int) -> Void, EventHub) async throws -> Void
  ) async throws {
    let (loop, jobs, hub, disk) = (try EventLoop(), JobQueue(), EventHub(), Disk())
    let offer = Offer()
    let saver = Saver<Int>(on: loop, jobs: jobs, hub: hub, retryingAfter: .milliseconds(1)) { isRetry in
      offer.state.withLock { isRetry ? $0.last : $0.new.take() }
    } write: { value async throws(SessionError) in
      try await disk.write(value)
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await jobs.run() }
      try await body(saver, disk, { value in offer.state.withLock { $0 = (value, value) } }, hub)
      jobs.finish()
    }
    loop.stop()
  }

  /// The number to be written.
  private final class Offer: Sendable {
    let state = Mutex<(new: Int?, last: Int)>((nil, 0))
  }

  @Test("what changes while a write is under way is written after it, as one, and the latest value wins")
  func latestWins() async throws {
    try await withSaver { saver, disk, offer, _ in
      for value in 1...5 {
        offer(value)
        await saver.save()
      }
      await disk.finish()
      await disk.finish()
      try await until { await disk.written.count == 2 }
      #expect(await disk.written == [1, 5])
      #expect(await disk.mostAtOnce == 1)
    }
  }

  @Test("a saver that was stopped tells nothing of a queue that takes no more")
  func stopped() async throws {
    let (loop, jobs, hub) = (try EventLoop(), JobQueue(), EventHub())
    let saver = Saver<Int>(on: loop, jobs: jobs, hub: hub) { _ in
      1
    } write: { _ in
    }
    #expect(await !saver.stop())
    jobs.finish()
    await saver.save()
    hub.publish([.lockChanged(isLocked: true)])
    var events = Session.Events(hub: hub).makeAsyncIterator()
    if case .lockChanged? = await events.next() {} else { Issue.record("a problem was told") }
    loop.stop()
  }

  @Test("a failure is told once, retried by itself until it works, and told again when it comes back")
  func retried() async throws {
    try await withSaver { saver, disk, offer, hub in
      var events = Session.Events(hub: hub).makeAsyncIterator()
      let full = SessionError(.io, "full")
      offer(7)
      await saver.save()
      for _ in 0..<3 { await disk.finish(with: full) }
      await disk.finish()
      try await until { await !disk.written.isEmpty }
      #expect(await disk.written == [7])
      offer(8)
      await saver.save()
      await disk.finish(with: SessionError(.io, "full again"))
      hub.publish([.lockChanged(isLocked: true)])
      var told: [String] = []
      while told.count < 2, let event = await events.next() {
        if case .problem(let error) = event { told.append(error.message) }
      }
      #expect(told == ["full", "full again"])
      // The retry: a write that nobody lets through would never end.
      await disk.finish()
      try await until { await disk.written.count == 2 }
      #expect(await disk.written == [7, 8])
      try await until { await !saver.stop() }
    }
  }
}

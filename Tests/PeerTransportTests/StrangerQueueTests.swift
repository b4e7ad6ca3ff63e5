import Basics
import Testing

@testable import PeerTransport

/// What strangers may have of the loop's time.
@Suite(.timeLimit(.minutes(2))) struct StrangerQueueTests {
  /// Calls its action at the end of each round until that says no.
  fileprivate final class Sampler: RoundHandler {
    private let loop: EventLoop
    private let sample: () -> Bool

    init(_ loop: EventLoop, _ sample: @escaping () -> Bool) { (self.loop, self.sample) = (loop, sample) }

    func endRound() { if sample() { loop.atEndOfRound(self) } }
  }

  @Test func `what can wait comes after all else of the round`() async throws {
    let loop = try EventLoop(name: "late")
    defer { loop.stop() }
    let order = await withCheckedContinuation { done in
      loop.execute {
        var order: [String] = []
        loop.afterRound(
          Sampler(loop) {
            order.append("late")
            done.resume(returning: order)
            return false
          })
        for name in ["one", "two"] {
          loop.atEndOfRound(
            Sampler(loop) {
              order.append(name)
              return false
            })
        }
      }
    }
    #expect(order == ["one", "two", "late"])
  }

  @Test func `strangers that are ready in the same round are served one a round`() async throws {
    let listener = try TestPeer()
    let port = try await listener.start().port
    let (counts, clients) = try await listener.counts(of: 4, port: port)
    // The failure of each is one step.
    #expect(counts.last == 4)
    #expect(zip(counts, counts.dropFirst()).allSatisfy { $1 - $0 <= 1 })
    for client in clients { #expect(await blocking { client.isEnded() }) }
    await listener.stop()
  }
}

extension TestPeer {
  /// Connects clients that send junk before the loop looks again, and counts after each round the events until all have failed.
  fileprivate func counts(of count: Int, port: UInt16) async throws -> (counts: [Int], clients: [RawClient]) {
    let clients = (0..<count).map { _ in
      let client = RawClient(port: port)
      client.send([UInt8](repeating: 7, count: 64))
      return client
    }
    let counts = await withCheckedContinuation { done in
      var counts: [Int] = []
      StrangerQueueTests.Sampler(loop) { [unowned self] in
        counts.append(self.assumeIsolated { $0.events.count })
        if counts.last == count { done.resume(returning: counts) }
        return counts.last != count
      }.endRound()
    }
    return (counts, clients)
  }
}

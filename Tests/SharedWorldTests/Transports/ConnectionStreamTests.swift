import PeerTransport
import Synchronization
import TestSupport
import Testing

@testable import SharedWorld

/// What a link is told of an app's connection.
@Suite(.endsHangs) struct ConnectionStreamTests {
  /// A connection on which bytes have come, and that takes all that is sent.
  private final class Connection: TransportConnection {
    func open(_ tell: @escaping @Sendable (TransportEvent) -> Void) { tell(.received([1, 2, 3])) }
    func send(_ bytes: [UInt8]) {}
    func setReceiving(_ isReceiving: Bool) {}
    func close() {}
  }

  /// Puts off what it is called for, as a link that waits for its turn.
  private final class Waiting: EventHandler {
    var calls = 0

    func handle(_ readiness: Readiness) { calls += 1 }
  }

  /// Counts the calls at the end of each of ten rounds.
  private final class Count: RoundHandler {
    let (loop, handler, stream): (EventLoop, Waiting, ConnectionStream)
    let report: ([Int]) -> Void
    var counts: [Int] = []

    init(_ loop: EventLoop, _ handler: Waiting, _ stream: ConnectionStream, _ report: @escaping ([Int]) -> Void) {
      (self.loop, self.handler, self.stream, self.report) = (loop, handler, stream, report)
    }

    func endRound() {
      counts.append(handler.calls)
      if counts.count < 10 { return loop.atEndOfRound(self) }
      stream.close(discarding: true)
      report(counts)
    }
  }

  @Test func `a link that reads nothing is called once a round for as long as there is something`() async throws {
    let loop = try EventLoop(name: "stream")
    defer { loop.stop() }
    let counts = await withCheckedContinuation { done in
      loop.execute {
        let (stream, handler) = (ConnectionStream(Connection(), isOpen: true), Waiting())
        try? stream.open(.readable, on: loop, handler: handler, limits: SecureTransport.Configuration())
        Count(loop, handler, stream) { done.resume(returning: $0) }.endRound()
      }
    }
    #expect(counts.last ?? 0 >= 8)
    #expect(zip(counts, counts.dropFirst()).allSatisfy { $1 - $0 <= 1 })
  }
}

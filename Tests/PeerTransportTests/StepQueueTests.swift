import Basics
import PeerProtocol
import TestSupport
import Testing

@testable import PeerTransport

/// Calls its action at the end of each round until that says no.
final class RoundSampler: RoundHandler {
  private let loop: EventLoop
  private let sample: () -> Bool

  init(_ loop: EventLoop, _ sample: @escaping () -> Bool) { (self.loop, self.sample) = (loop, sample) }

  func endRound() { if sample() { loop.atEndOfRound(self) } }
}

/// What those may have of the loop's time who wait for their turn.
@Suite(.endsHangs) struct StepQueueTests {
  @Test func `what can wait comes after all else of the round`() async throws {
    let loop = try EventLoop(name: "late")
    defer { loop.stop() }
    let order = await withCheckedContinuation { done in
      loop.execute {
        var order: [String] = []
        let last = RoundSampler(loop) {
          order.append("last")
          done.resume(returning: order)
          return false
        }
        loop.afterRound(
          RoundSampler(loop) {
            order.append("late")
            // In this round, though it is nearly over.
            loop.beforeNextRound(last)
            loop.atEndOfRound(
              RoundSampler(loop) {
                order.append("next")
                return false
              })
            return false
          })
        for name in ["one", "two"] {
          loop.atEndOfRound(
            RoundSampler(loop) {
              order.append(name)
              return false
            })
        }
      }
    }
    #expect(order == ["one", "two", "late", "last"])
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

extension StepQueueTests {
  @Test func `attack: of many small records of a stranger a few are read in a step`() async throws {
    try await Pair.with { pair in
      try await pair.listener.use { $0.setReceiving(pair.listenerLink, false) }
      let bytes = noise(100)
      // Each leaves at once, as a record of its own; several that are sent in one round would share one.
      for _ in 0..<80 { _ = try await pair.dialer.use { $0.sendNow(pair.dialerLink, bytes.span.bytes) } }
      try await pair.listener.use { $0.setReceiving(pair.listenerLink, true) }
      try await pair.listener.wait { $0.receivedCount == 8000 }
      #expect(await pair.listener.largestBatch <= 2048)
    }
  }
}

/// How much is read at once.
@Suite(.endsHangs) struct ReadingTests {
  @Test func `while more is read than is handled less is read, but a record`() {
    var reading = Reading(room: 512 * 1024)
    #expect(reading.most == 512 * 1024 && !reading.isReduced)
    reading.isOn = false
    var sizes: [Int] = []
    for _ in 0..<8 {
      reading.note(reading.most)
      sizes.append(reading.most / 1024)
    }
    #expect(sizes == [256, 128, 64, 32, 16, 16, 16, 16] && reading.isReduced)
    reading.isOn = true
    for _ in 0..<5 { reading.note(1) }
    #expect(reading.most == 512 * 1024 && !reading.isReduced)
    reading.isOn = false
    reading.note(100_000)
    #expect(reading.most == 50_000)
  }

  @Test func `no more is read than there is room for`() {
    var reading = Reading(room: 4096)
    reading.isOn = false
    reading.note(4096)
    #expect(reading.most == 4096)
  }

  @Test func `a link whose bytes wait is read in small steps, behind the links that are ready in the same round`()
    async throws
  {
    let (listener, flooder, other) = (try TestPeer(), try TestPeer(), try TestPeer())
    let address = try await listener.start()
    let (flood, calm) = (
      try await flooder.link(to: listener, at: address, number: 1),
      try await other.link(to: listener, at: address, number: 2)
    )
    let pattern = [UInt8](repeating: 7, count: 65_536)
    await listener.expect(pattern)
    await listener.slowDown(flood.there)
    await flooder.stream(flood.here, pattern, count: 8 << 20)
    try await listener.wait { $0.receivedCount == 8 << 20 }
    // Half a record may be left of each read for the next one.
    #expect(await listener.batches.dropFirst(8).allSatisfy { $0.count <= 2 * TLSChannel.recordSize })
    let before = await listener.batches.count
    await listener.stall {
      for (peer, link) in [(flooder, flood.here), (other, calm.here)] {
        _ = try await peer.use { $0.sendNow(link, [7].span.bytes) }
      }
    }
    try await listener.wait { $0.batches.count == before + 2 }
    #expect(await listener.batches.suffix(2).map(\.link) == [calm.there, flood.there])
    for peer in [listener, flooder, other] { await peer.stop() }
  }
}

extension TestPeer {
  /// Connects to another peer, whose link number `number` it is; the link as each end names it, confirmed.
  fileprivate func link(
    to listener: TestPeer, at address: SocketAddress, number: Int
  ) async throws -> (here: LinkID, there: LinkID) {
    _ = try start()
    _ = try use { $0.connect(DialID(rawValue: UInt64(number)), to: address) }
    let here = try await opened()
    try await listener.wait { $0.openLinks.count == number }
    let there = await listener.openLinks[number - 1]
    try await listener.use { $0.confirm(there) }
    return (here, there)
  }

  /// Connects clients that send junk before the loop looks again, and counts after each round the events until all have failed.
  fileprivate func counts(of count: Int, port: UInt16) async throws -> (counts: [Int], clients: [RawClient]) {
    let clients = (0..<count).map { _ in
      let client = RawClient(port: port)
      client.send([UInt8](repeating: 7, count: 64))
      return client
    }
    let counts = await withCheckedContinuation { done in
      var counts: [Int] = []
      RoundSampler(loop) { [unowned self] in
        counts.append(self.assumeIsolated { $0.events.count })
        if counts.last == count { done.resume(returning: counts) }
        return counts.last != count
      }.endRound()
    }
    return (counts, clients)
  }
}

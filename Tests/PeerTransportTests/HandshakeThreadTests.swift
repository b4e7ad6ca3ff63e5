import Basics
import Dispatch
import PeerProtocol
import Synchronization
import TestSupport
import Testing

@testable import PeerTransport

/// Handshakes of strangers, which are computed beside the loop.
@Suite(.endsHangs) struct HandshakeThreadTests {
  /// The machine may be busy; only the test of the deadline wants one.
  private static let patient = {
    var limits = SecureTransport.Configuration()
    (limits.firstByteTimeout, limits.handshakeTimeout, limits.gate.patience) = (.day, .day, .day)
    return limits
  }()
  /// Bytes that are no TLS.
  private static let junk: [UInt8] = [UInt8](repeating: 7, count: 64)

  @Test func `while a handshake is computed members have all the time of the loop`() async throws {
    let (listener, member, newcomer) = (try TestPeer(), try TestPeer(), try TestPeer())
    let address = try await listener.start(Self.patient)
    for peer in [member, newcomer] { _ = try await peer.start() }
    _ = try await member.use { $0.connect(DialID(rawValue: 1), to: address) }
    let link = try await member.opened()
    try await listener.wait { $0.openLinks.count == 1 }
    let busy = try await listener.occupyHandshakes()
    _ = try await newcomer.use { $0.connect(DialID(rawValue: 1), to: address) }
    await listener.untilHandshakeIsAway()
    _ = try await member.send(link, [1, 2, 3])
    try await listener.wait { $0.receivedCount == 3 }
    #expect(await listener.openLinks.count == 1)
    busy.signal()
    _ = try await newcomer.opened()
    try await listener.wait { $0.openLinks.count == 2 }
    for peer in [listener, member, newcomer] { await peer.stop() }
  }

  @Test func `what came behind the end of a handshake is read though it came with it`() async throws {
    let listener = try TestPeer()
    let port = try await listener.start(Self.patient).port
    let (client, last) = try await blocking { Result { try RawClient.almostConnected(port: port, saying: [1, 2, 3]) } }
      .get()
    client.send(last)
    try await listener.wait { $0.received == [1, 2, 3] }
    await listener.stop()
  }

  @Test func `a connection that breaks while its handshake is computed ends at once`() async throws {
    let (listener, newcomer) = (try TestPeer(), try TestPeer())
    let address = try await listener.start(Self.patient)
    let busy = try await listener.occupyHandshakes()
    let client = RawClient(port: address.port)
    client.send(Self.junk)
    await listener.untilHandshakeIsAway()
    client.reset()
    try await listener.wait { $0.events == [.stranger(.truncated)] }
    busy.signal()
    // What the step gave is told of to nobody, and the next one has its turn.
    _ = try await newcomer.start()
    _ = try await newcomer.use { $0.connect(DialID(rawValue: 1), to: address) }
    try await listener.wait { $0.openLinks.count == 1 }
    #expect(await listener.events.count == 2)
    for peer in [listener, newcomer] { await peer.stop() }
  }

  @Test func `a handshake that is computed for too long ends by its deadline`() async throws {
    let listener = try TestPeer()
    var limits = Self.patient
    limits.handshakeTimeout = 50_000_000
    let port = try await listener.start(limits).port
    let busy = try await listener.occupyHandshakes()
    let client = RawClient(port: port)
    client.send(Self.junk)
    try await listener.wait { $0.events == [.stranger(.handshakeTimedOut)] }
    #expect(await blocking { client.isEnded() })
    busy.signal()
    await listener.stop()
  }

  @Test func `a transport that is shut down does not wait for a handshake that is computed`() async throws {
    let listener = try TestPeer()
    let port = try await listener.start(Self.patient).port
    let busy = try await listener.occupyHandshakes()
    let client = RawClient(port: port)
    client.send(Self.junk)
    await listener.untilHandshakeIsAway()
    await listener.stop()
    #expect(await blocking { client.isEnded() })
    busy.signal()
  }

  /// OpenSSL keeps something for each thread that used it, which must not be given back while the process ends.
  @Test func `who waits for a loop waits for the thread of its handshakes, and for the steps that it has taken over`()
    async throws
  {
    let listener = try TestPeer()
    _ = try await listener.start(Self.patient)
    let isTaken = Mutex(false)
    let busy = try await listener.occupyHandshakes()
    try await listener.use { transport in
      transport.handshakes?.run {
        // Longer than a loop takes to end.
        let sum = (0..<5_000_000).reduce(0, &+)
        isTaken.withLock { $0 = sum != 0 }
      }
    }
    await listener.stop()
    DispatchQueue.global().async { busy.signal() }
    await blocking { listener.loop.join() }
    #expect(isTaken.withLock { $0 })
  }
}

extension TestPeer {
  /// Keeps the thread of handshakes busy until the semaphore is signalled.
  fileprivate func occupyHandshakes() throws -> DispatchSemaphore {
    let busy = DispatchSemaphore(value: 0)
    try use { $0.handshakes?.run { busy.wait() } }
    return busy
  }

  /// Waits until the handshake of some link waits for its thread, or is computed there.
  fileprivate func untilHandshakeIsAway() async {
    await withCheckedContinuation { done in
      RoundSampler(loop) { [unowned self] in
        let isAway = self.assumeIsolated { peer in
          (try? peer.use { $0.links.values.contains { $0.phase == .away } }) ?? true
        }
        if isAway { done.resume() }
        return !isAway
      }.endRound()
    }
  }
}

extension RawClient {
  /// A client that still has to send the last flight of its handshake, and that flight with encrypted bytes behind it.
  fileprivate static func almostConnected(
    port: UInt16, saying bytes: [UInt8]
  ) throws -> (client: RawClient, last: [UInt8]) {
    let (client, channel) = (
      RawClient(port: port), try TLSChannel(context: TLSContext(identity: TLSIdentity()), role: .dialer)
    )
    var buffer = [UInt8](repeating: 0, count: 4096)
    channel.shakeHands(over: [])
    while channel.peer == nil {
      client.send(Array(channel.output))
      channel.consumeOutput(channel.output.count)
      let count = client.receive(into: &buffer)
      try #require(count > 0)
      channel.shakeHands(over: Array(buffer[..<count]))
      _ = try channel.step.get()
    }
    _ = try bytes.withUnsafeBytes { try channel.encrypt($0) }
    return (client, Array(channel.output))
  }
}

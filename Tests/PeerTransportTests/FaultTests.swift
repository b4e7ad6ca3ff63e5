import Basics
import BasicsLinux
import COpenSSL
import Dispatch
import Glibc
import PeerProtocol
import TestSupport
import Testing

@testable import PeerTransport

/// Clients that misbehave, numbered as in Documentation/faults.md.
@Suite(.endsHangs) struct FaultTests {
  /// Starts a listener, runs `body` and stops it.
  private func withListener(
    _ configuration: SecureTransport.Configuration = .init(), _ body: (TestPeer, UInt16) async throws -> Void
  ) async throws {
    let listener = try TestPeer()
    do {
      try await body(listener, try await listener.start(configuration).port)
    } catch {
      await listener.stop()
      throw error
    }
    await listener.stop()
  }

  private func configuration(
    _ change: (inout SecureTransport.Configuration) -> Void
  ) -> SecureTransport.Configuration {
    var configuration = SecureTransport.Configuration()
    change(&configuration)
    return configuration
  }

  @Test func `fault 1, bytes that are no TLS end the connection at once`() async throws {
    try await withListener { listener, port in
      #expect(
        await blocking {
          let client = RawClient(port: port)
          return client.send(noise(5000)) && client.isEnded()
        })
      try await listener.wait { $0.events.count == 1 }
      guard case .stranger(.tls) = await listener.events[0] else {
        Issue.record("unexpected \(await listener.events)")
        return
      }
    }
  }

  @Test func `fault 2, a silent and a dribbling client are dropped at the deadline`() async throws {
    try await withListener(configuration { $0.handshakeTimeout = 200_000_000 }) { listener, port in
      let start = MonotonicClock.now
      let silent = RawClient(port: port)
      // The first bytes of a ClientHello, which promise 500 more.
      let hello: [UInt8] = [22, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3] + noise(400)
      let taken = await blocking { RawClient(port: port).dribble(hello) }
      #expect(taken > 0 && taken < hello.count)
      #expect(await blocking { silent.isEnded() })
      try await listener.wait { $0.events == [.stranger(.handshakeTimedOut), .stranger(.handshakeTimedOut)] }
      #expect(MonotonicClock.now - start >= 200_000_000)
      #expect(try await listener.use { $0.strangers } == 0)
    }
  }

  @Test func `fault 3, a flood from one address holds four connections and members notice nothing`() async throws {
    // Nobody's time runs out or makes room for another while a busy machine is at the 10,000.
    let patient = configuration {
      ($0.firstByteTimeout, $0.handshakeTimeout, $0.gate.patience) = (.day, .day, .day)
      $0.gate.burst = 20_000
    }
    try await Pair.with(patient) { pair in
      try await pair.listener.use { $0.confirm(pair.listenerLink) }
      let port = try await pair.listener.use { try $0.listen(on: .loopback(port: 0)).port }
      let held = (0..<4).map { _ in RawClient(port: port) }
      // A fifth is refused once they have their places.
      #expect(await blocking { RawClient(port: port).isEnded() })
      let start = MonotonicClock.now
      for number in UInt8(1)...10 {
        // A member is heard while the flood lasts.
        async let isTried: Void = blocking { RawClient.flood(port: port, 1000) }
        _ = try await pair.dialer.send(pair.dialerLink, [number])
        try await pair.listener.wait { $0.received == Array(1...number) }
        await isTried
      }
      // What was made between two looks at the queue of the kernel, which holds 128, is refused each time that the door is open.
      let openings = (MonotonicClock.now - start) / Door.pause + 1
      #expect(await pair.listener.refused <= Int(openings) * 3 * Door.refusals)
      #expect(try await pair.listener.use { $0.strangers } == 4)
      withExtendedLifetime(held) {}
    }
  }

  @Test func `links count as strangers until they are confirmed`() async throws {
    let dialer = try TestPeer()
    _ = try await dialer.start()
    try await withListener(configuration { $0.gate.burst = 100 }) { listener, port in
      for number in 1...4 {
        try await dialer.use { $0.connect(DialID(rawValue: UInt64(number)), to: .loopback(port: port)) }
      }
      try await listener.wait { $0.openLinks.count == 4 }
      try await dialer.use { $0.connect(DialID(rawValue: 5), to: .loopback(port: port)) }
      try await dialer.wait { $0.events.contains { if case .dialFailed = $0 { true } else { false } } }
      let first = await listener.openLinks[0]
      try await listener.use { $0.confirm(first) }
      try await dialer.use { $0.connect(DialID(rawValue: 6), to: .loopback(port: port)) }
      try await listener.wait { $0.openLinks.count == 5 }
    }
    await dialer.stop()
  }

  @Test func `fault 4, TLS 1_2 is refused`() async throws {
    try await expectRefusal(RawTLS(lowest: TLS1_2_VERSION, highest: TLS1_2_VERSION), .tls("unsupported protocol"))
  }

  @Test func `fault 4, a client without a certificate is refused`() async throws {
    try await expectRefusal(RawTLS(key: nil), .refused(.missing))
  }

  @Test func `fault 4, an RSA certificate is refused`() async throws {
    // OpenSSL's client does not even show it, because the listener asks for Ed25519.
    try await expectRefusal(RawTLS(key: .rsa), .refused(.missing))
  }

  @Test(arguments: [1, 2000]) func `fault 4, a chain of certificates is refused`(extra: Int) async throws {
    try await expectRefusal(RawTLS(extraCertificates: extra), .refused(.chainTooLong))
  }

  @Test func `fault 4, one certificate of more than four kilobytes is refused`() async throws {
    try await expectRefusal(RawTLS(nameEntries: 60), .refused(.chainTooLong))
  }

  private func expectRefusal(_ client: RawTLS, _ failure: TransportFailure) async throws {
    try await withListener { listener, port in
      #expect(await blocking { client.run(port: port) } == .refused)
      try await listener.wait { !$0.events.isEmpty }
      #expect(await listener.events == [.stranger(failure)])
    }
  }

  @Test func `fault 6, the own certificate is refused by both ends`() async throws {
    let peer = try TestPeer()
    let address = try await peer.start()
    try await peer.use { $0.connect(DialID(rawValue: 1), to: address) }
    try await peer.wait { $0.events.count == 2 }
    #expect(await peer.events.contains(.dialFailed(DialID(rawValue: 1), .refused(.ownIdentity))))
    #expect(await peer.openLinks.isEmpty)
    await peer.stop()
  }

  @Test func `an end in order and a reset are told apart`() async throws {
    try await withListener { listener, port in
      let orderly = await blocking {
        RawTLS().run(port: port) { ssl, client in
          SSL_write(ssl, "bye", 3)
          SSL_shutdown(ssl)
          shutdown(client.descriptor, Int32(SHUT_WR))
        }
      }
      #expect(orderly == .closedInOrder)
      try await listener.wait { $0.events.count == 2 }
      let first = await listener.openLinks[0]
      #expect(await listener.events.last == .closed(first, nil))
      #expect(await listener.received == Array("bye".utf8))
      let hasOpened = DispatchSemaphore(value: 0)
      async let reset = blocking {
        RawTLS().run(port: port) { _, client in
          hasOpened.wait()
          client.reset()
        }
      }
      try await listener.wait { $0.openLinks.count == 2 }
      hasOpened.signal()
      _ = await reset
      try await listener.wait { $0.events.count == 4 }
      let second = await listener.openLinks[1]
      #expect(await listener.events.last == .closed(second, .system(SystemCallFailure("recv", code: ECONNRESET))))
    }
  }

  @Test func `fault 25, accepting rests while there is no descriptor and goes on later`() async throws {
    await #expect(processExitsWith: .success) {
      let listener = try TestPeer()
      var configuration = SecureTransport.Configuration()
      configuration.acceptPause = 10_000_000
      let port = try await listener.start(configuration).port
      let client = RawClient()
      var limit = rlimit()
      getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      let lowest = dup(0)
      close(lowest)
      var low = rlimit(rlim_cur: rlim_t(lowest), rlim_max: limit.rlim_max)
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &low)
      #expect(client.connect(port: port))
      try await listener.wait { $0.events == [.paused(.system(SystemCallFailure("accept", code: EMFILE)))] }
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      try await listener.wait { $0.events.last == .resumed }
      try await listener.wait { peer in (try? peer.use { $0.strangers == 1 }) ?? false }
      await listener.stop()
    }
  }
}

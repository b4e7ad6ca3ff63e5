import Basics
import BasicsLinux
import COpenSSL
import Glibc
import PeerProtocol
import TestSupport
import Testing

@testable import PeerTransport

/// What connections of strangers cost a process that listens.
@Suite(.endsHangs) struct AttackTests {
  /// How many descriptors this process has open; a child of the test runs it, so nobody else opens any.
  private static func openDescriptors() -> Int {
    guard let folder = opendir("/proc/self/fd") else { return 0 }
    defer { closedir(folder) }
    var count = 0
    while readdir(folder) != nil { count += 1 }
    return count
  }

  private static func setDescriptorLimit(_ count: Int32) {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    limit.rlim_cur = rlim_t(count)
    limit.rlim_max = max(limit.rlim_max, limit.rlim_cur)
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }

  @Test func `strangers that are being closed and never close keep their places and no more`() async throws {
    var configuration = SecureTransport.Configuration()
    // They are counted before their time to linger ends, on a busy machine too.
    configuration.strangerLingerTimeout = .day
    try await Pair.with(configuration) { pair in
      try await pair.listener.use { $0.confirm(pair.listenerLink) }
      let port = try await pair.listener.use { try $0.listen(on: .loopback(port: 0)).port }
      // Each is proven, is closed as after a bad hello, and reads nothing of that.
      let dialers = try (0..<4).map { _ in try TestPeer() }
      for (number, dialer) in dialers.enumerated() {
        _ = try await dialer.start()
        try await dialer.use { $0.connect(DialID(rawValue: UInt64(number)), to: .loopback(port: port)) }
        let link = try await dialer.opened()
        try await dialer.use { $0.setReceiving(link, false) }
      }
      try await pair.listener.wait { $0.openLinks.count == 5 }
      for link in await pair.listener.openLinks.dropFirst() {
        try await pair.listener.use { $0.close(link, flushing: true) }
      }
      #expect(try await pair.listener.use { $0.strangers } == 4)
      // Each connection that is tried now takes the place of one that is being closed.
      for dialer in dialers { await dialer.stop() }
    }
  }

  @Test func `1,000 connections from 250 addresses that stay open take at most forty descriptors`() async throws {
    await #expect(processExitsWith: .success) {
      AttackTests.setDescriptorLimit(4096)
      let listener = try TestPeer()
      var configuration = SecureTransport.Configuration()
      configuration.handshakeTimeout = .day
      let port = try await listener.start(configuration).port
      let idle = AttackTests.openDescriptors()
      let clients = await blocking {
        (0..<1_000).map { number in
          let client = RawClient(port: port, from: 0x7f00_0101 + UInt32(number % 250))
          // The first byte of a ClientHello, so that the silence of the others does not end it early.
          client.send([22])
          return client
        }
      }
      let held = try await listener.use { $0.strangers }
      #expect(held > 0 && held <= 32)
      #expect(AttackTests.openDescriptors() - clients.count <= idle + 40)
      await listener.stop()
    }
  }

  @Test func `1,000 strangers from 250 addresses that are being closed take at most forty descriptors`() async throws {
    await #expect(processExitsWith: .success) {
      AttackTests.setDescriptorLimit(4096)
      let listener = try TestPeer()
      var configuration = SecureTransport.Configuration()
      (configuration.handshakeTimeout, configuration.strangerLingerTimeout) = (.day, .day)
      // None is kept away by how many there are a second: each is to have its place for a moment.
      configuration.gate.burst = 2_000
      let port = try await listener.start(configuration).port
      let idle = AttackTests.openDescriptors()
      let closing = Task {
        // Each that is proven is closed, as after a bad hello.
        for number in 0... {
          try await listener.wait(seconds: 300) { $0.openLinks.count > number }
          try await listener.use { $0.close(listener.assumeIsolated { $0.openLinks[number] }, flushing: true) }
        }
      }
      var clients = await blocking {
        var clients: [RawClient] = []
        for number in 0..<1_000 {
          // It leaves its end open, whatever it has heard.
          _ = RawTLS().run(port: port, from: 0x7f00_0101 + UInt32(number % 250)) { clients.append($1) }
        }
        return clients
      }
      let held = try await listener.use { $0.strangers }
      #expect(clients.count > held && held > 0 && held <= 32)
      #expect(AttackTests.openDescriptors() - clients.count <= idle + 40)
      closing.cancel()
      // A link that is being closed ends when its other end does.
      clients = []
      await listener.stop()
    }
  }

  @Test func `the last descriptors are not for connections from outside`() async throws {
    await #expect(processExitsWith: .success) {
      let listener = try TestPeer()
      var configuration = SecureTransport.Configuration()
      configuration.reservedDescriptors = 10
      let client = RawClient()
      // What the child has of its parent leaves gaps: all numbers are taken, so that these alone are free.
      AttackTests.setDescriptorLimit(256)
      var taken: [Int32] = []
      while case let next = dup(0), next >= 0 { taken.append(next) }
      // One for the listener; the connection would have the next one, which is among the last.
      for descriptor in taken.suffix(3) { close(descriptor) }
      let port = try await listener.start(configuration).port
      #expect(client.connect(port: port))
      // A busy machine looks after the listener has tried again, and found nobody left to refuse.
      let pause = TestPeer.Event.paused(.system(SystemCallFailure("accept", code: EMFILE)))
      try await listener.wait { $0.events.first == pause }
      #expect(client.isEnded())
      let spare = dup(0)
      #expect(spare >= 0)
      await listener.stop()
    }
  }

  @Test func `a connection that says nothing is dropped before one that has begun to speak`() async throws {
    var configuration = SecureTransport.Configuration()
    // Longer than a busy machine lets the byte of the other client wait.
    configuration.firstByteTimeout = 2_000_000_000
    configuration.handshakeTimeout = .day
    let listener = try TestPeer()
    let port = try await listener.start(configuration).port
    let silent = RawClient(port: port)
    let speaking = RawClient(port: port)
    #expect(speaking.send([22]))
    #expect(await blocking { silent.isEnded() })
    try await listener.wait { $0.events == [.stranger(.handshakeTimedOut)] }
    #expect(try await listener.use { $0.strangers } == 1)
    await listener.stop()
  }

  @Test func `a peer that changes its keys again and again is dropped after sixteen times`() async throws {
    let listener = try TestPeer()
    let port = try await listener.start().port
    for (updates, outcome) in [(16, RawTLS.Outcome.closedInOrder), (17, .refused), (1_000, .refused)] {
      let end = Task {
        await blocking {
          RawTLS().run(port: port) { ssl, _ in
            for _ in 0..<updates {
              SSL_key_update(ssl, SSL_KEY_UPDATE_REQUESTED)
              SSL_do_handshake(ssl)
            }
            // What the listener answers to, so that it has read all before it.
            SSL_shutdown(ssl)
          }
        }
      }
      #expect(await end.value == outcome)
    }
    await listener.stop()
  }
}

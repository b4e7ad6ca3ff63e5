import Basics
import BasicsLinux
import Glibc
import PeerProtocol
import TestSupport
import Testing

@testable import PeerTransport

@Suite(.endsHangs) struct SecureTransportTests {
  @Test func `both ends learn who the other is`() async throws {
    try await Pair.with { pair in
      let (dialed, accepted) = (await pair.dialer.events, await pair.listener.events)
      #expect(
        dialed == [.opened(pair.dialerLink, dial: DialID(rawValue: 1), peer: pair.listener.identity.peerID)])
      #expect(accepted == [.opened(pair.listenerLink, dial: nil, peer: pair.dialer.identity.peerID)])
      #expect(pair.dialer.identity.peerID != pair.listener.identity.peerID)
    }
  }

  @Test func `a message crosses in each direction`() async throws {
    try await Pair.with { pair in
      #expect(try await pair.dialer.send(pair.dialerLink, Array("ping".utf8)) == 4)
      try await pair.listener.wait { $0.received == Array("ping".utf8) }
      #expect(try await pair.listener.send(pair.listenerLink, Array("pong".utf8)) == 4)
      try await pair.dialer.wait { $0.received == Array("pong".utf8) }
    }
  }

  @Test func `fifty megabytes arrive whole in both directions at once`() async throws {
    let pattern = noise(100_003)
    let count = 50_000_000
    try await Pair.with { pair in
      for peer in [pair.dialer, pair.listener] { await peer.expect(pattern) }
      await pair.dialer.stream(pair.dialerLink, pattern, count: count)
      await pair.listener.stream(pair.listenerLink, pattern, count: count)
      for peer in [pair.dialer, pair.listener] {
        try await peer.wait { $0.receivedCount == count }
        #expect(await peer.isIntact)
        #expect(await peer.writableCalls > 0)
      }
    }
  }

  @Test func `both ends of a connection keep little unsent in the kernel and send at once`() async throws {
    var configuration = SecureTransport.Configuration()
    // A value that tells these two sockets from those of all other tests in this process.
    configuration.unsentLimit = 54_321
    try await Pair.with(configuration) { _ in
      let sockets = (0..<Int32(4096)).filter { option(TCP_NOTSENT_LOWAT, of: $0) == 54_321 }
      #expect(sockets.count == 2)
      #expect(sockets.allSatisfy { option(TCP_NODELAY, of: $0) == 1 })
    }
    #expect(SecureTransport.Configuration().unsentLimit == 64 * 1024)
  }

  /// What a socket has as an option of TCP; nil for what is no socket of TCP.
  private func option(_ option: Int32, of descriptor: Int32) -> Int32? {
    var (value, size): (Int32, socklen_t) = (0, 4)
    return getsockopt(descriptor, Int32(IPPROTO_TCP), option, &value, &size) == 0 ? value : nil
  }

  @Test func `a reader that stops holds the writer at the high watermark`() async throws {
    var configuration = SecureTransport.Configuration()
    configuration.highWatermark = 32 * 1024
    let pattern = noise(65_536)
    let count = 20_000_000
    try await Pair.with(configuration) { pair in
      await pair.listener.expect(pattern)
      try await pair.listener.use { $0.setReceiving(pair.listenerLink, false) }
      await pair.dialer.stream(pair.dialerLink, pattern, count: count)
      // The kernel's buffers fill up, then the queue does and takes nothing more.
      try await pair.dialer.wait { peer in (try? peer.use { $0.queuedBytes(pair.dialerLink) >= 32 * 1024 }) ?? false }
      let queued = try await pair.dialer.use { $0.queuedBytes(pair.dialerLink) }
      #expect(queued <= 32 * 1024 + TLSChannel.outputCapacity)
      #expect(await pair.listener.receivedCount == 0)
      try await pair.listener.use { $0.setReceiving(pair.listenerLink, true) }
      try await pair.listener.wait { $0.receivedCount == count }
      #expect(await pair.listener.isIntact)
    }
  }

  @Test func `closing with flushing delivers everything and ends in order`() async throws {
    let message = noise(60_000)
    try await Pair.with { pair in
      try await pair.dialer.use {
        #expect($0.send(pair.dialerLink, message.span.bytes) == message.count)
        $0.close(pair.dialerLink, flushing: true)
        #expect($0.send(pair.dialerLink, message.span.bytes) == 0)
      }
      try await pair.listener.wait { $0.events.last == .closed(pair.listenerLink, nil) }
      #expect(await pair.listener.received == message)
      #expect(await pair.dialer.events.count == 1, "the side that closes hears nothing more")
    }
  }

  @Test func `closing without flushing looks like a cut`() async throws {
    try await Pair.with { pair in
      try await pair.dialer.use { $0.close(pair.dialerLink, flushing: false) }
      try await pair.listener.wait { $0.events.last == .closed(pair.listenerLink, .truncated) }
      #expect(try await pair.listener.send(pair.listenerLink, [1]) == 0)
    }
  }

  @Test func `the exporter gives both ends the same secret, and another one per label`() async throws {
    try await Pair.with { pair in
      let label = "EXPORTER-sharedworld-test"
      let mine = try await pair.dialer.use { $0.exportKeyingMaterial(pair.dialerLink, label: label) }
      let theirs = try await pair.listener.use { $0.exportKeyingMaterial(pair.listenerLink, label: label) }
      let other = try await pair.listener.use { $0.exportKeyingMaterial(pair.listenerLink, label: label + "2") }
      #expect(mine?.count == 32)
      #expect(mine == theirs)
      #expect(mine != other)
    }
  }

  @Test func `many messages of one round leave together`() async throws {
    try await Pair.with { pair in
      try await pair.dialer.use { transport in
        for _ in 0..<400 { _ = transport.send(pair.dialerLink, noise(100).span.bytes) }
      }
      try await pair.listener.wait { $0.receivedCount == 40_000 }
      // Three records of one or two reads, not 400 records.
      #expect(await pair.listener.largestBatch > 8_000)
    }
  }

  @Test func `a queue that rose over the low watermark announces when it is low again`() async throws {
    try await Pair.with { pair in
      #expect(try await pair.dialer.send(pair.dialerLink, noise(16 * 1024)) == 16 * 1024)
      try await pair.listener.wait { $0.receivedCount == 16 * 1024 }
      #expect(await pair.dialer.writableCalls == 0)
      #expect(try await pair.dialer.send(pair.dialerLink, noise(16 * 1024 + 1)) == 16 * 1024 + 1)
      try await pair.dialer.wait { $0.writableCalls == 1 }
    }
  }

  @Test func `what leaves at once announces its room, also where all of it was taken and encrypted`() async throws {
    var configuration = SecureTransport.Configuration()
    configuration.lowWatermark = 0
    try await Pair.with(configuration) { pair in
      try await pair.listener.use { $0.setReceiving(pair.listenerLink, false) }
      let bytes = noise(30_000)
      let sent = try await pair.dialer.use { transport in
        var sent = 0
        // Less than one send: the last of them waits encrypted, and the kernel has no room for all of it.
        while true {
          let (taken, queued) = transport.sendNow(pair.dialerLink, bytes.span.bytes)
          sent += taken
          if queued > 0 || taken < bytes.count { return sent }
        }
      }
      #expect(sent % bytes.count == 0)
      try await pair.listener.use { $0.setReceiving(pair.listenerLink, true) }
      try await pair.dialer.wait { $0.writableCalls == 1 }
      try await pair.listener.wait { $0.receivedCount == sent }
    }
  }

  @Test func `dials fail with their reason`() async throws {
    let peer = try TestPeer()
    _ = try await peer.start()
    // A port that is taken and not listened on: one that is given back another test may listen on at once.
    let holder = RawClient()
    let taken = SocketAddress.loopback(port: try #require(holder.takePort()))
    try await peer.use { transport in
      transport.connect(DialID(rawValue: 1), to: taken)
    }
    try await peer.wait { !$0.events.isEmpty }
    #expect(
      await peer.events == [.dialFailed(DialID(rawValue: 1), .system(SystemCallFailure("connect", code: ECONNREFUSED)))]
    )
    withExtendedLifetime(holder) {}
    await peer.stop()
  }

  @Test func `one listener takes IPv4 and IPv6`() async throws {
    let (dialer, listener) = (try TestPeer(), try TestPeer())
    _ = try await dialer.start()
    let address = try await listener.start(on: .any(port: 0))
    try await dialer.use {
      $0.connect(DialID(rawValue: 1), to: .loopback(port: address.port))
      $0.connect(DialID(rawValue: 2), to: SocketAddress(host: .ipv6(high: 0, low: 1, scope: 0), port: address.port))
    }
    try await dialer.wait { $0.events.count == 2 }
    try await listener.wait { $0.openLinks.count == 2 }
    #expect(await dialer.openLinks.count == 2)
    await dialer.stop()
    await listener.stop()
  }
}

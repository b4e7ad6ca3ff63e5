import Basics
import PeerProtocol
import TestSupport
import Testing

@testable import PeerTransport

/// Links that are being closed and whose other ends do not take part.
@Suite(.endsHangs) struct ClosingTests {
  /// Stops the reading of the dialer, and sends it more than the kernel takes.
  private static func fill(_ pair: Pair) async throws {
    try await pair.listener.use { $0.confirm(pair.listenerLink) }
    try await pair.dialer.use { $0.setReceiving(pair.dialerLink, false) }
    await pair.listener.stream(pair.listenerLink, noise(40_000), count: 1_000_000_000)
  }

  @Test func `a link that is flushed to nobody ends after the time to linger`() async throws {
    var configuration = SecureTransport.Configuration()
    (configuration.lingerTimeout, configuration.closeTimeout) = (50_000_000, .day)
    try await Pair.with(configuration) { pair in
      try await Self.fill(pair)
      try await pair.listener.use { $0.close(pair.listenerLink, flushing: true) }
      try await Self.awaitEnd(of: pair.listenerLink, at: pair.listener)
    }
  }

  @Test func `a link that is to be closed once its backlog has left ends by a deadline too`() async throws {
    var configuration = SecureTransport.Configuration()
    (configuration.lingerTimeout, configuration.closeTimeout) = (.day, 50_000_000)
    try await Pair.with(configuration) { pair in
      try await Self.fill(pair)
      try await pair.listener.use { $0.limitClosing(pair.listenerLink) }
      try await pair.listener.wait { $0.events.last == .closed(pair.listenerLink, .cancelled) }
    }
  }

  @Test func `one closing link more than are held ends the oldest`() async throws {
    var configuration = SecureTransport.Configuration()
    (configuration.lingerTimeout, configuration.closeTimeout, configuration.closingLinks) = (.day, .day, 2)
    let listener = try TestPeer()
    let address = try await listener.start(configuration)
    let dialers = try (0..<3).map { _ in try TestPeer() }
    for (number, dialer) in dialers.enumerated() {
      _ = try await dialer.start(configuration)
      try await dialer.use { $0.connect(DialID(rawValue: UInt64(number)), to: address) }
      // It does not see that the link is closed, and leaves it open.
      let link = try await dialer.opened()
      try await dialer.use { $0.setReceiving(link, false) }
      try await listener.wait { $0.openLinks.count == number + 1 }
      let accepted = await listener.openLinks[number]
      try await listener.use { transport in
        transport.confirm(accepted)
        transport.close(accepted, flushing: true)
      }
    }
    let accepted = await listener.openLinks
    #expect(try await listener.use { Set($0.links.keys) } == Set(accepted.suffix(2)))
    for peer in dialers + [listener] { await peer.stop() }
  }

  /// Waits until a link is gone, of whose end nobody is told.
  private static func awaitEnd(of link: LinkID, at peer: TestPeer) async throws {
    while try await peer.use({ $0.links[link] != nil }) { try await Task.sleep(for: .milliseconds(5)) }
  }
}

import PeerProtocol
import TestSupport
import Testing

@testable import SharedWorld

@Suite("The total of a session's messages", .endsHangs)
struct MessageTotalSessionTests {
  private static let largest = [UInt8](repeating: 1, count: ProtocolLimits.message)
  private static let cost = ProtocolLimits.cost(ofMessage: largest)
  /// So many that the total is reached while each of their windows still has room for a message.
  private static let receivers = 50
  /// Messages to all of them that stay within the three quarters of 64 MiB that are not for critical ones.
  private static let most = 48 * 1024 * 1024 / (receivers * cost)

  /// Runs `body` with a session whose members acknowledge nothing.
  private static func crowd(_ body: @Sendable (Session, [ScriptedPeer]) async throws -> Void) async throws {
    let network = try MemoryNetwork()
    var configuration = Session.Configuration(service: "swtest")
    configuration.transport = .inMemory(network)
    let scripts = try (0..<receivers).map { _ in try ScriptedPeer(.accept) }
    try await Session.withSession(as: TestSessions.identity("alice"), configuration: configuration) { alice in
      for script in scripts {
        _ = try await alice.join(.address(MemoryNetworkCore.address(of: try await script.start(on: network))))
      }
      try await body(alice, scripts)
    }
    for script in scripts { await script.stop() }
  }

  @Test("beyond 64 MiB to all receivers together sendNow throws and send waits, and it goes on when receivers leave")
  func total() async throws {
    #expect((Self.most + 1) * Self.cost <= ProtocolLimits.messageWindow)
    try await Self.crowd { alice, scripts in
      for _ in 0..<Self.most { try await alice.messages.sendNow(Self.largest) }
      let error = await #expect(throws: SessionError.self) { try await alice.messages.sendNow(Self.largest) }
      #expect(error?.code == .wouldBlock)
      async let last = alice.send(Self.largest)
      try await until { await alice.isFull }
      // What one of them leaves free is less than a message to all the others costs.
      await scripts[0].end(.left)
      await scripts[1].end(.left)
      #expect(try await last.number == UInt64(Self.most + 1))
      // The quarter for critical messages is still there.
      try await alice.messages.sendNow(Self.largest, mode: .critical)
    }
  }
}

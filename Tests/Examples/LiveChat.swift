import SharedWorld
import TestSupport
import Testing

/// MultipeerKit's example: peers that accept everybody send each other text, to all or to one, and handle it by type.
@Suite("Live chat", .endsHangs)
struct LiveChat {
  /// The payload of the example.
  struct ExamplePayload: Codable, Hashable, Sendable {
    let message: String
  }

  /// What the example calls a transceiver: it knows who is there and what they said.
  actor Chat {
    let session: Session
    private(set) var lines: [String] = []

    init(_ session: Session) { self.session = session }

    func broadcast(_ text: String) async throws {
      try await session.send(ExamplePayload(message: text), to: .all, at: "chat")
    }

    func send(_ text: String, to name: String) async throws {
      guard let peer = await session.state.peers.first(where: { $0.peer.name == name }) else { return }
      try await session.send(ExamplePayload(message: text), to: .peer(peer.id), at: "chat")
    }

    /// Handles payloads until there are `count` lines.
    func receive(_ payloads: MessageStream<ExamplePayload>, until count: Int) async {
      for await payload in payloads {
        lines.append("\(payload.sender.name): \(payload.object.message)")
        if lines.count == count { return }
      }
    }
  }

  @Test("what is said to all reaches all, and what is said to one reaches that one")
  func talk() async throws {
    try await Peers.joined(3) { sessions in
      let chats = sessions.map(Chat.init)
      let streams = sessions.map { $0.messages.of(ExamplePayload.self) }
      try await chats[0].broadcast("hello everybody")
      try await chats[0].send("hello you", to: "peer 2")
      try await chats[0].broadcast("bye")
      await chats[1].receive(streams[1], until: 2)
      await chats[2].receive(streams[2], until: 3)
      #expect(await chats[1].lines == ["peer 0: hello everybody", "peer 0: bye"])
      #expect(await chats[2].lines == ["peer 0: hello everybody", "peer 0: hello you", "peer 0: bye"])
    }
  }
}

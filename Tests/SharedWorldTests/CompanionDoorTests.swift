import Foundation
import TestSupport
import Testing

@testable import SharedWorld

/// Sessions that are members through another one of their process.
@Suite("Companions of a session", .endsHangs)
struct CompanionDoorTests {
  /// A session of vera's with a door; `change` gets its configuration and a folder that ends with it.
  private static func withDoor(
    _ change: (inout Session.Configuration, String) -> Void = { _, _ in },
    _ body: (Session, CompanionDoor) async throws -> Void
  ) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "companion-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let identity = try PeerIdentity.loadOrCreate(named: "vera", in: folder.path())
    var configuration = Session.Configuration()
    configuration.discovery.mode = .none
    configuration.listen = PeerAddress(host: "127.0.0.1", port: 0)
    configuration.invitations.incoming = .none
    change(&configuration, folder.path())
    try await Session.withSession(as: identity, configuration: configuration) { session in
      try await body(session, CompanionDoor(of: session))
    }
  }

  /// Identities of so many companions.
  private static func companions(_ count: UInt8) throws -> [PeerIdentity] {
    try (1...count).map { try PeerIdentity(named: "page \($0)", secret: [$0]) }
  }

  @Test("nobody is asked about one, whatever strangers have to show", arguments: ["nothing", "passcode", "code"])
  func enters(asking: String) async throws {
    try await Self.withDoor { configuration, folder in
      if asking == "passcode" { configuration.authentication.passcode = try? Passcode("correct horse") }
      guard asking == "code" else { return }
      configuration.authentication.trust = .code(PinStore(path: folder + "/known-peers"))
      configuration.authentication.codeHandler = { _ in false }
    } _: { session, door in
      let companion = try PeerIdentity(named: "anna", secret: [1])
      try await Session.withSession(as: companion, configuration: door.configuration) { anna in
        try await door.enter(anna)
        try await anna.place(Anchor(name: "lamp"))
        try await until { await session.world.anchors.map(\.name) == ["lamp"] }
      }
      try await until { await session.state.peers.isEmpty }
    }
  }

  @Test("companions have one link each, and reach each other by it")
  func star() async throws {
    try await Self.withDoor { session, door in
      let identities = try Self.companions(3)
      try await Session.withSession(as: identities[0], configuration: door.configuration) { one in
        try await Session.withSession(as: identities[1], configuration: door.configuration) { two in
          try await Session.withSession(as: identities[2], configuration: door.configuration) { three in
            for companion in [one, two, three] { try await door.enter(companion) }
            try await until { await one.state.peers.filter { $0.state == .connected }.count == 3 }
            #expect(await one.state.peers.filter(\.isDirect).map(\.id) == [session.localPeer.id])
            try await two.world.updatePose(Transform(translation: [1, 2, 3]))
            for other in [one, three, session] {
              try await until { await other.world.participants.map(\.transform.translation) == [[1, 2, 3]] }
            }
            try await three.place(Anchor(name: "lamp"))
            try await until { await one.world.anchors.map(\.name) == ["lamp"] }
          }
        }
      }
    }
  }

  @Test("companions share the door's thread, on which one that has left is still answered, and the next one comes in")
  func thread() async throws {
    try await Self.withDoor { session, door in
      let identities = try Self.companions(2)
      try await Session.withSession(as: identities[0], configuration: door.configuration) { one in
        try await door.enter(one)
        let two = try await Session.withSession(as: identities[1], configuration: door.configuration) { two in
          try await door.enter(two)
          #expect(two.loop === one.loop)
          return two
        }
        #expect(await two.world.anchors.isEmpty)
        #expect(two.snapshot.hasEnded)
        await #expect { try await two.place(Anchor(name: "late")) } throws: { ($0 as? SessionError)?.code == .ended }
        try await Session.withSession(as: identities[1], configuration: door.configuration) { two in
          try await door.enter(two)
          try await two.place(Anchor(name: "lamp"))
          try await until { await one.world.anchors.map(\.name) == ["lamp"] }
        }
        #expect(one.loop !== session.loop)
      }
    }
  }

  @Test("a key follows from its secret alone")
  func secret() throws {
    let one = try PeerIdentity(named: "anna", secret: [1, 2, 3])
    #expect(try PeerIdentity(named: "other", secret: [1, 2, 3]).peerID == one.peerID)
    #expect(try PeerIdentity(named: "anna", secret: [1, 2, 4]).peerID != one.peerID)
    #expect(throws: SessionError.self) { try PeerIdentity(named: "", secret: [1]) }
  }
}

import Foundation
import Glibc
import TestSupport
import Testing

@testable import SharedWorld

@Suite("A room that is joined by its name and a code", .endsHangs)
struct RoomSessionTests {
  private static let code = "kitten-lemon-violin-acorn"

  private static func configuration(_ network: MemoryNetwork, code: String) throws -> Session.Configuration {
    var configuration = try Session.Configuration(room: "Kitchen", code: code)
    configuration.transport = .inMemory(network)
    return configuration
  }

  private static func loopback(at place: String? = nil) throws -> Session.Configuration {
    var configuration = try Session.Configuration(room: "kitchen", code: code, at: place)
    configuration.discovery.mode = .none
    configuration.listen = PeerAddress(host: "127.0.0.1", port: 0)
    return configuration
  }

  @Test("two that type the code in their own ways share an anchor, and nothing was answered by hand")
  func joined() async throws {
    let network = try MemoryNetwork(speed: 100)
    let (ada, bob) = (try TestSessions.identity("Ada"), try TestSessions.identity("Bob"))
    try await Session.withSession(as: ada, configuration: Self.configuration(network, code: Self.code)) { ada in
      let lamp = try await ada.place(Anchor(name: "lamp"))
      let typed = try Self.configuration(network, code: "Kitten lemon, VIOLIN acorn ")
      try await Session.withSession(as: bob, configuration: typed) { bob in
        #expect(ada.code == Self.code && bob.code == Self.code)
        let received = try await bob.first { if case .anchorAdded(let anchor, .remote) = $0 { anchor.id } else { nil } }
        #expect(received == lamp)
      }
    }
  }

  @Test("another code is refused in words, and nobody who does not prove the code gets anything")
  func strangers() async throws {
    let network = try MemoryNetwork(speed: 100)
    let ada = try TestSessions.identity("Ada")
    try await Session.withSession(as: ada, configuration: Self.configuration(network, code: Self.code)) { ada in
      _ = try await ada.place(Anchor(name: "lamp"))
      var open = Session.Configuration(service: "kitchen")
      (open.transport, open.invitations.outgoing, open.invitations.incoming) = (.inMemory(network), .all, .all)
      for (configuration, code, words) in [
        (try Self.configuration(network, code: "kitten-lemon-violin-apron"), .passcodeRefused, "passcodes"),
        (open, .passcodeRequired, "passcode"),
      ] as [(Session.Configuration, SessionError.Code, String)] {
        let stranger = try TestSessions.identity("stranger")
        try await Session.withSession(as: stranger, configuration: configuration) { stranger in
          let error = try await stranger.first {
            if case .invitationFailed(_, let error, isRetried: false) = $0 { error } else { nil }
          }
          #expect(error.code == code && error.message.contains(words))
          #expect(await stranger.state.peers.isEmpty)
          #expect(await stranger.world.anchors.isEmpty)
        }
      }
      #expect(await ada.state.peers.isEmpty)
    }
  }

  @Test("an address or a link leads in where nobody is found, and the link names the room and may have the code")
  func places() async throws {
    let (ada, bob) = (try TestSessions.identity("Ada"), try TestSessions.identity("Bob"))
    try await Session.withSession(as: ada, configuration: Self.loopback()) { ada in
      let lamp = try await ada.place(Anchor(name: "lamp"))
      let endpoint = PeerAddress(host: "127.0.0.1", port: ada.port)
      let link = try InvitationLink(to: [endpoint], service: "kitchen", peer: ada.localPeer.id, passcode: Self.code)
      var linked = try Session.Configuration(room: "\(link)")
      (linked.discovery.mode, linked.listen) = (.none, PeerAddress(host: "127.0.0.1", port: 0))
      for configuration in [try Self.loopback(at: "\(endpoint)"), try Self.loopback(at: "\(link)"), linked] {
        try await Session.withSession(as: bob, configuration: configuration) { bob in
          let received = try await bob.first {
            if case .anchorAdded(let anchor, .remote) = $0 { anchor.id } else { nil }
          }
          #expect(received == lamp)
        }
      }
    }
  }

  @Test("a call that makes no sense says so")
  func refused() throws {
    let id = try TestSessions.identity("Ada").peerID
    for (room, code, place, words) in [
      ("a very long room name", Self.code, nil, "1 to 15"), ("kitchen", nil, nil, "has a code"),
      ("kitchen", "a b c", nil, "too short"),
      ("kitchen", "küche-12", nil, "ASCII"),
      ("kitchen", Self.code, "192.0.2.7", "HOST:PORT"), ("sharedworld://192.0.2.7:1/kitchen", nil, nil, "link"),
      ("porch", Self.code, "sharedworld://192.0.2.7:1/kitchen#\(id)", "not into 'porch'"),
    ] as [(String, String?, String?, String)] {
      let error = #expect(throws: SessionError.self) { try Session.Configuration(room: room, code: code, at: place) }
      #expect(error?.code == .invalidArgument && error?.message.contains(words) == true)
    }
  }

  @Test("Ctrl-C in another process: the others see at once that it leaves, and its program comes to its end")
  func interrupted() async throws {
    try await Session.withSession(as: TestSessions.identity("Ada"), configuration: Self.loopback()) { ada in
      let port = ada.port
      async let other: Void = Self.join(at: port)
      let reason = try await ada.first { if case .peerLeft(_, let reason) = $0 { reason } else { nil } }
      #expect(reason == .left)
      await other
    }
  }

  private static func join(at port: UInt16) async {
    await #expect(processExitsWith: .success) { [port] in
      try await TestSessions.withFolder { folder in
        setenv("XDG_STATE_HOME", folder.path(), 1)
        try await Session.join("kitchen", code: RoomSessionTests.code, as: "Bob", at: "127.0.0.1:\(port)") { bob in
          for await event in bob.events { if case .peerJoined = event { kill(getpid(), SIGINT) } }
          // The session is over, and so is what it is asked for: that is no failure of the program.
          _ = try await bob.place(Anchor(name: "late"))
          exit(3)
        }
      }
    }
  }

  @Test("a host has a code of its own, which it can tell; the handle of an object leaves signals alone")
  func hosted() async {
    await #expect(processExitsWith: .signal(SIGTERM)) {
      try await TestSessions.withFolder { folder in
        setenv("XDG_STATE_HOME", folder.path(), 1)
        let handle = try await Session.host("kitchen", as: "Ada")
        let code = try #require(handle.session.code)
        guard code.split(separator: "-").count == 4, Passcode.normalized(code: code) == code else { exit(1) }
        kill(getpid(), SIGTERM)
        await handle.stop()
      }
    }
  }

  @Test("the second signal ends a program that does not come to its end")
  func impatient() async {
    await #expect(processExitsWith: .signal(SIGINT)) {
      try await Session.withSession(as: TestSessions.identity("Ada"), configuration: TestSessions.configuration()) {
        kill(getpid(), SIGINT)
        for await _ in $0.events {}
        kill(getpid(), SIGINT)
        try await Task.sleep(for: .seconds(60))
      }
    }
  }

  @Test("after the session a signal does what it did before, and one that is told not to is left alone")
  func given() async {
    await #expect(processExitsWith: .signal(SIGTERM)) {
      let ada = try TestSessions.identity("Ada")
      try await Session.withSession(as: ada, configuration: TestSessions.configuration()) { _ in }
      kill(getpid(), SIGTERM)
      try await Task.sleep(for: .seconds(60))
    }
    await #expect(processExitsWith: .signal(SIGTERM)) {
      var configuration = TestSessions.configuration()
      configuration.endsOnSignals = false
      try await Session.withSession(as: TestSessions.identity("Ada"), configuration: configuration) {
        kill(getpid(), SIGTERM)
        for await _ in $0.events {}
      }
    }
  }

  @Test("a signal that the app ignores or handles stays the app's")
  func ofTheApp() async {
    await #expect(processExitsWith: .success) {
      signal(SIGTERM, SIG_IGN)
      signal(SIGINT) { _ in exit(EXIT_SUCCESS) }
      try await Session.withSession(as: TestSessions.identity("Ada"), configuration: TestSessions.configuration()) {
        kill(getpid(), SIGTERM)
        _ = try await $0.place(Anchor(name: "lamp"))
        kill(getpid(), SIGINT)
        for await _ in $0.events {}
      }
      exit(3)
    }
  }
}

import Foundation
import TestSupport
import Testing

@testable import SharedWorld

/// Codes that people compare, between real sessions: TLS gives both ends of a connection the same exporter.
@Suite("Codes that people compare", .endsHangs)
struct CodeSessionTests {
  private static func configuration(
    _ store: PinStore?, _ handler: (@Sendable (CodeComparison) async -> Bool)?
  ) -> Session.Configuration {
    var configuration = TestSessions.configuration()
    if let store { configuration.authentication.trust = .code(store) }
    configuration.authentication.codeHandler = handler
    return configuration
  }

  /// A session's configuration whose user looks at the other screen.
  private static func configuration(_ store: PinStore?, _ screens: Screens) -> Session.Configuration {
    configuration(store) { await screens.compare($0.code) }
  }

  @Test("two people see the same digits and confirm: both keys are recorded, and the next time nobody is asked")
  func confirmed() async throws {
    try await TestSessions.withFolder { folder in
      let stores = ["alice", "bob"].map { PinStore(path: folder.path() + "/" + $0) }
      let (alice, bob) = (try TestSessions.identity("alice"), try TestSessions.identity("bob"))
      for isFirst in [true, false] {
        let screens = Screens()
        try await Session.withSession(as: alice, configuration: Self.configuration(stores[0], screens)) { alice in
          try await Session.withSession(as: bob, configuration: Self.configuration(stores[1], screens)) { bob in
            var events = bob.events.makeAsyncIterator()
            #expect(try await alice.peers.invite(bob.address) == bob.localPeer)
            if isFirst {
              let shown = try await events.first { if case .codeShown(let comparison) = $0 { comparison } else { nil } }
              #expect(shown.peer == alice.localPeer && shown.recognition == .neverSeen && shown.code.utf8.count == 6)
              let isConfirmed = try await events.first { event -> Bool? in
                if case .codeEnded(alice.localPeer, shown.id, let isConfirmed) = event { isConfirmed } else { nil }
              }
              #expect(isConfirmed)
            }
            _ = try await events.first { if case .peerJoined(let peer) = $0 { peer } else { nil } }
            #expect(await bob.state.peers.map(\.recognition) == [.known])
          }
        }
        #expect(await screens.codes.count == (isFirst ? 2 : 0))
        #expect(try stores.map { try $0.pins().map(\.id) } == [[bob.peerID], [alice.peerID]])
      }
    }
  }

  @Test("a user who says no ends it for both, and nobody is recorded; the other user is not asked any more")
  func refused() async throws {
    try await TestSessions.withFolder { folder in
      let store = PinStore(path: folder.path() + "/alice")
      let (cancelled, cancel) = AsyncStream.makeStream(of: Void.self)
      let patient = Self.configuration(store) { _ in
        // Until the task is cancelled.
        let never = AsyncStream.makeStream(of: Never.self)
        for await _ in never.stream {}
        if Task.isCancelled { cancel.yield() }
        return true
      }
      try await Session.withSession(as: TestSessions.identity("alice"), configuration: patient) { alice in
        let skeptical = Self.configuration(nil) { _ in false }
        try await Session.withSession(as: TestSessions.identity("bob"), configuration: skeptical) { bob in
          let error = await #expect(throws: SessionError.self) { try await alice.peers.invite(bob.address) }
          #expect(error?.code == .codeRefused)
          for await _ in cancelled { break }
          #expect(await alice.state.peers.isEmpty)
          #expect(await bob.state.peers.isEmpty)
        }
      }
      #expect(try store.pins().isEmpty)
    }
  }

  @Test("a peer whose app shows no codes is told that one is asked for, whoever invites", arguments: [true, false])
  func required(strangerInvites: Bool) async throws {
    try await TestSessions.withFolder { folder in
      let asking = Self.configuration(PinStore(path: folder.path() + "/alice")) { _ in true }
      try await Session.withSession(as: TestSessions.identity("alice"), configuration: asking) { alice in
        let mute = Self.configuration(nil, nil)
        try await Session.withSession(as: TestSessions.identity("bob"), configuration: mute) { bob in
          let error = await #expect(throws: SessionError.self) {
            _ = strangerInvites ? try await bob.peers.invite(alice.address) : try await alice.peers.invite(bob.address)
          }
          #expect(error?.code == .codeRequired)
        }
      }
    }
  }

  @Test("a session that asks for codes and can show none does not start")
  func mute() async throws {
    let configuration = Self.configuration(PinStore(path: "/nowhere"), nil)
    let error = await #expect(throws: SessionError.self) {
      try await Session.withSession(as: TestSessions.identity("alice"), configuration: configuration) { _ in }
    }
    #expect(error?.code == .invalidArgument)
  }

  @Test("a peer that another member admits gets no connection; the app is told, and anchors go through that member")
  func admittedByOthers() async throws {
    try await TestSessions.withFolder { folder in
      let store = PinStore(path: folder.path() + "/alice")
      let (bob, carol) = (try TestSessions.identity("bob"), try TestSessions.identity("carol"))
      try store.add(bob.peerID, name: "bob")
      let careful = Self.configuration(store) { _ in false }
      try await Session.withSession(as: TestSessions.identity("alice"), configuration: careful) { alice in
        try await Session.withSession(as: bob, configuration: TestSessions.configuration()) { bob in
          try await Session.withSession(as: carol, configuration: TestSessions.configuration()) { carol in
            var events = alice.events.makeAsyncIterator()
            _ = try await alice.peers.invite(bob.address)
            _ = try await bob.peers.invite(carol.address)
            let problem = try await events.first { event -> SessionError? in
              if case .problem(let error) = event, error.code == .notPermitted { error } else { nil }
            }
            #expect(problem.message.contains("code was not compared"))
            let lamp = try await carol.place(Anchor(name: "lamp"))
            _ = try await events.first {
              if case .anchorAdded(let anchor, _) = $0, anchor.id == lamp { true } else { nil }
            }
            let refused = try #require(await alice.state.peers.first { $0.id == carol.localPeer.id })
            #expect(refused.recognition == .refused && !refused.isDirect)
          }
        }
      }
    }
  }
}

/// Two screens, and people who look at both.
actor Screens {
  private(set) var codes: [String] = []
  private var waiting: [CheckedContinuation<Void, Never>] = []

  /// Whether both screens show the same, once both show something.
  func compare(_ code: String) async -> Bool {
    codes.append(code)
    if codes.count < 2 { await withCheckedContinuation { waiting.append($0) } }
    for waiter in waiting { waiter.resume() }
    waiting = []
    return Set(codes).count == 1
  }
}

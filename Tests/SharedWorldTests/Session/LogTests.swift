import TestSupport
import Testing

@testable import SharedWorld

@Suite("The app's log", .endsHangs)
struct LogTests {
  @Test("five of a kind come through in ten seconds; the next one says how many were left out")
  func pace() {
    var pace = LogPace()
    let start = ContinuousClock.now
    let admitted = (0..<20).map { pace.admit(.dialFailed, at: start + .milliseconds(100 * $0)) }
    #expect(admitted == Array(repeating: 0, count: 5) + Array(repeating: nil, count: 15))
    #expect(pace.admit(.strangerFailed, at: start) == 0)
    #expect(pace.admit(.dialFailed, at: start + LogPace.period) == 15)
    #expect(pace.admit(.dialFailed, at: start + LogPace.period) == 0)
  }

  @Test("without a log no text is made")
  func silent() {
    var isMade = false
    func text() -> String {
      isMade = true
      return ""
    }
    LogDesk(nil).write(.declined, text())
    #expect(!isMade)
    LogDesk { _ in }.write(.declined, text())
    #expect(isMade)
  }

  /// The first message that `body` causes in a session, of those that meet the condition.
  private static func first(
    where condition: @Sendable (LogMessage) -> Bool, of body: @Sendable (Session) async throws -> Void
  ) async throws -> LogMessage {
    let (messages, log) = AsyncStream.makeStream(of: LogMessage.self)
    var configuration = TestSessions.configuration { _ in .decline(reason: "busy") }
    configuration.log = { log.yield($0) }
    let identity = try TestSessions.identity("alice")
    return try await Session.withSession(as: identity, configuration: configuration) { session in
      try await body(session)
      for await message in messages where condition(message) { return message }
      throw EndedTooSoon()
    }
  }

  @Test("a dial that fails is logged with its address")
  func dial() async throws {
    let message = try await Self.first(where: { $0.subsystem == .transport }) { session in
      // Nothing listens there, and no system gives this port to a program that asks for any.
      let target = InvitationTarget.address(PeerAddress(host: "127.0.0.1", port: 1))
      await #expect(throws: SessionError.self) { try await session.peers.invite(target) }
    }
    #expect(message.level == .debug && message.text.contains("127.0.0.1:"))
    #expect(message.description.hasPrefix("debug transport: "))
  }

  @Test("an invitation that is declined is logged, and so is a stranger that proves nothing")
  func strangers() async throws {
    let declined = try await Self.first(where: { $0.subsystem == .admission }) { alice in
      let bob = try TestSessions.identity("bob")
      try await Session.withSession(as: bob, configuration: TestSessions.configuration()) { bob in
        let error = await #expect(throws: SessionError.self) { try await bob.peers.invite(alice.address) }
        #expect(error?.code == .declined)
      }
    }
    #expect(declined.text.contains("bob") && declined.text.contains("busy"))
    let failed = try await Self.first(where: { $0.subsystem == .admission }) { session in
      Stranger.send("GET / HTTP/1.0\r\n\r\n", to: session.port)
    }
    #expect(failed.level == .debug && failed.text.contains("before its peer was proven"))
  }

  @Test("problems are logged where the app gets them, and a reader that is too slow where events are dropped")
  func problems() async throws {
    let (messages, log) = AsyncStream.makeStream(of: LogMessage.self)
    let hub = EventHub(log: LogDesk { log.yield($0) })
    hub.publish([.problem(SessionError(.diskFull, "no room")), .discoveryUnavailable(reason: "no network")])
    let reader = hub.subscribe()
    hub.publish((0...Session.Events.problemCapacity).map { .problem(SessionError(.divergence, "\($0)")) })
    hub.end()
    hub.publish([.problem(SessionError(.io, "too late for an event"))])
    log.finish()
    var subsystems: [LogMessage.Subsystem] = []
    for await message in messages { subsystems.append(message.subsystem) }
    let divergences = [LogMessage.Subsystem](repeating: .session, count: LogPace.most)
    #expect(subsystems == [.storage, .discovery] + divergences + [.app, .storage])
    // The end is the last that the reader gets, and what comes later is in the log alone.
    #expect(await reader.take()?.count == 3)
    #expect(await reader.take() == nil)
  }
}

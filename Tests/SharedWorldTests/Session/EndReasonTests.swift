import Basics
import PeerProtocol
import SharedWorld
import TestSupport
import Testing
import WorldModel

/// What the app gets for every reason for which an invitation or a membership ends, over real connections.
@Suite("Reasons that the app gets", .endsHangs)
struct EndReasonTests {
  private struct Case: Sendable {
    let reason: EndReason
    /// What an invitation throws.
    let code: SessionError.Code
    /// Why a member is gone.
    let left: Session.LeaveReason

    init(_ reason: EndReason, _ code: SessionError.Code, _ left: Session.LeaveReason) {
      (self.reason, self.code, self.left) = (reason, code, left)
    }
  }

  private static let cases: [Case] = [
    Case(.left, .ended, .left), Case(.kicked, .declined, .lost),
    Case(.versionMismatch(theirs: 4...5), .versionMismatch, .versionMismatch),
    Case(.identityMismatch, .identityMismatch, .identityMismatch), Case(.ownIdentity, .invalidArgument, .lost),
    Case(.duplicate, .invitationTimedOut, .lost), Case(.limitExceeded, .limitExceeded, .limit),
    Case(.protocolError, .notConnected, .refused), Case(.timedOut, .invitationTimedOut, .lost),
    Case(.refused, .declined, .refused), Case(.otherService, .otherService, .refused),
    Case(.connectionLost, .notConnected, .lost), Case(.replaced, .notConnected, .lost),
    Case(.locked, .locked, .locked),
  ]

  /// Runs `body` with a session and a scripted peer that it may invite at the target.
  private static func meeting(
    _ peer: ScriptedPeer, _ body: @Sendable (Session, InvitationTarget) async throws -> Void
  ) async throws {
    let target = InvitationTarget.address(PeerAddress(host: "127.0.0.1", port: try await peer.start()))
    let failure: (any Error)?
    do {
      try await Session.withSession(as: TestSessions.identity("alice"), configuration: TestSessions.configuration()) {
        try await body($0, target)
      }
      failure = nil
    } catch { failure = error }
    await peer.stop()
    if let failure { throw failure }
  }

  /// The code that `body` throws.
  private static func code(of body: @Sendable () async throws(SessionError) -> Void) async -> SessionError.Code? {
    do { try await body() } catch { return error.code }
    return nil
  }

  @Test("an invitation that ends for any reason throws the code for it", arguments: cases.indices)
  func invitationEnds(_ index: Int) async throws {
    let row = Self.cases[index]
    let peer = try ScriptedPeer(.goodbye(row.reason))
    try await Self.meeting(peer) { session, target in
      // Only who hears of another link that is not there waits until the time is up.
      let timeout: Duration = row.reason == .duplicate ? .seconds(8) : .seconds(30)
      let error = await #expect(throws: SessionError.self) { try await session.peers.invite(target, timeout: timeout) }
      // A machine so busy that nobody was there within five seconds says so.
      let isReached = await peer.isInvited
      #expect(error?.code == (isReached ? row.code : .unreachable), "\(row.reason)")
    }
  }

  @Test("what is found wrong with the other side is thrown too")
  func ownFindings() async throws {
    let findings: [(SessionError.Code, @Sendable (inout Hello) -> Void)] = [
      (.versionMismatch, { $0.versions = 7...9 }),
      (
        .identityMismatch,
        { $0.peerID = $0.peerID.other }
      ),
      (.otherService, { $0.service = "chess" }),
    ]
    for (code, change) in findings {
      try await Self.meeting(ScriptedPeer(.silence, hello: change)) { session, target in
        let error = await #expect(throws: SessionError.self) { try await session.peers.invite(target) }
        #expect(error?.code == code)
      }
    }
  }

  @Test("a member that ends for any reason is told as gone for it", arguments: cases.indices)
  func membershipEnds(_ index: Int) async throws {
    let row = Self.cases[index]
    let peer = try ScriptedPeer(.accept)
    try await Self.meeting(peer) { session, target in
      let member = try await session.join(target)
      var events = session.events.makeAsyncIterator()
      // Who hosts is removed by nobody; who knows no host yet believes the only member it has.
      var isAwaited = (joined: true, host: true)
      while isAwaited.joined || isAwaited.host, let event = await events.next() {
        if case .peerJoined(member) = event { isAwaited.joined = false }
        if case .hostChanged(_, to: .some, _, _) = event { isAwaited.host = false }
      }
      await peer.end(row.reason)
      let left = try await events.first { event -> Session.LeaveReason? in
        if case .peerLeft(member, let reason) = event { reason } else { nil }
      }
      #expect(left == row.left, "\(row.reason)")
    }
  }

  @Test(
    "the end is the last event, of a host that leaves its session and of a member that is removed",
    arguments: [true, false])
  func endIsLast(isHost: Bool) async throws {
    try await TestSessions.two { alice, bob in
      _ = try await alice.join(bob.address)
      let host = try await TestSessions.agreedHost([alice, bob])
      let (first, second) = host == alice.localPeer.id ? (alice, bob) : (bob, alice)
      var events = (isHost ? first : second).events.makeAsyncIterator()
      if isHost { await first.leave() } else { try await first.peers.remove(second.localPeer.id) }
      var ends: [Session.LeaveReason?] = []
      while let event = await events.next() {
        if case .ended(let why) = event { ends.append(why) } else { ends.append(nil) }
      }
      let reason: Session.LeaveReason = isHost ? .left : .kicked
      #expect(ends.compactMap(\.self) == [reason] && ends.last == reason)
    }
  }

  @Test("who is invited and has not answered is told as such")
  func invitedIsShown() async throws {
    let peer = try ScriptedPeer(.silence)
    try await Self.meeting(peer) { session, target in
      #expect(await session.state.inviting.isEmpty)
      async let code = Self.code { () async throws(SessionError) in
        _ = try await session.peers.invite(target)
      }
      await peer.invited()
      #expect(await session.state.inviting.map(\.name) == ["script"])
      await peer.end(.locked)
      #expect(await code == .locked)
      #expect(await session.state.inviting.isEmpty)
    }
  }
}

extension PeerID {
  /// Somebody else.
  fileprivate var other: PeerID { PeerID(SHA256Digest(hashing: Array(description.utf8))) }
}

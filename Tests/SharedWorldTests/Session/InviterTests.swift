import Synchronization
import TestSupport
import Testing

@testable import SharedWorld

@Suite("Invitations made", .endsHangs)
struct InviterTests {
  /// What happens to an inviter: answers to its invitations in order, and its pauses.
  private final class Script: Sendable {
    private let answers: Mutex<[SessionError.Code?]>
    let pauses = Mutex<[Duration]>([])
    let invited = Mutex<[InvitationTarget]>([])

    init(_ answers: [SessionError.Code?]) { self.answers = Mutex(answers) }

    func actions(_ report: @escaping @Sendable (InvitationTarget, String) -> Void) -> Inviter.Actions {
      Inviter.Actions(
        invite: { target async throws(SessionError) in
          self.invited.withLock { $0.append(target) }
          let code = self.answers.withLock { $0.isEmpty ? nil : $0.removeFirst() }
          if let code { throw SessionError(code, "it failed; do something") }
          report(target, "joined")
          return InviterTests.bob
        }, place: { _ in InvitationTurns.Place(source: nil, standing: .new) },
        isWorthwhile: { $0 != .candidate("gone") }, pause: { pause in self.pauses.withLock { $0.append(pause) } },
        report: { report($0, "\($1.code), \($2 ? "again" : "no more")") })
    }
  }

  private static let bob = Peer(id: PeerID(SHA256Digest(hashing: [1])), name: "bob")
  private static let address = InvitationTarget.address(PeerAddress(host: "lab", port: 7))
  private static let last = InvitationTarget.candidate("last")

  /// What becomes of invitations to `targets`, made one after the other, up to the end of the one to the last.
  private static func told(_ script: Script, _ targets: [InvitationTarget]) async -> [String] {
    let inviter = Inviter()
    let (outcomes, teller) = AsyncStream.makeStream(of: (InvitationTarget, String).self)
    return await withTaskGroup { group in
      group.addTask { await inviter.run(script.actions { teller.yield(($0, $1)) }) }
      defer { group.cancelAll() }
      for target in targets { inviter.invite(target) }
      var told: [String] = []
      for await (target, outcome) in outcomes {
        told.append(outcome)
        if target == targets.last, !outcome.hasSuffix("again") { break }
      }
      return told
    }
  }

  @Test("an address is invited until its peer joins; each kind of failure is told once")
  func delayed() async {
    let failures: [SessionError.Code?] = [
      .invitationTimedOut, .locked, .locked, .invitationTimedOut, .locked, .notConnected,
    ]
    let script = Script(failures)
    #expect(
      await Self.told(script, [Self.address]) == [
        "invitation-timed-out, again", "locked, again", "not-connected, again", "joined",
      ])
    let pauses: [Duration] = [.seconds(0.25), .seconds(0.5), .seconds(1), .seconds(2), .seconds(4), .seconds(5)]
    #expect(script.pauses.withLock { $0 } == pauses)
  }

  @Test(
    "what another try cannot change is told once and ends the invitation",
    arguments: [
      SessionError.Code.declined, .otherService, .versionMismatch, .identityMismatch, .invalidArgument,
      .passcodeRefused,
      .passcodeRequired, .driverRequired, .authenticationFailed, .codeRefused,
    ])
  func refused(code: SessionError.Code) async {
    let script = Script([code])
    #expect(await Self.told(script, [Self.address]) == ["\(code), no more"])
    #expect(script.invited.withLock { $0 } == [Self.address] && script.pauses.withLock { $0.isEmpty })
  }

  @Test("a room that is locked, or lets this device wait, is asked again after a minute")
  func heldBack() async {
    let script = Script([.passcodeLocked, .passcodeWait, .locked])
    #expect(
      await Self.told(script, [Self.address])
        == ["passcode-locked, again", "passcode-wait, again", "locked, again", "joined"])
    #expect(script.pauses.withLock { $0 } == [.seconds(60), .seconds(60), .seconds(5)])
  }

  @Test("a service that is gone is not invited")
  func gone() async {
    let script = Script([])
    #expect(await Self.told(script, [.candidate("gone"), Self.last]) == ["joined"])
    #expect(script.invited.withLock { $0 } == [Self.last])
  }

  @Test("attack: of 300 services of one machine a few are invited at a time, and the one of another machine meanwhile")
  func flood() async {
    let inviter = Inviter()
    let (begun, teller) = AsyncStream.makeStream(of: InvitationTarget.self)
    let (ends, ender) = AsyncStream.makeStream(of: Void.self)
    let underWay = Mutex(0)
    let real = InvitationTarget.candidate("real")
    let actions = Inviter.Actions(
      invite: { target async throws(SessionError) in
        teller.yield(target)
        guard target != real else { return Self.bob }
        let count = underWay.withLock { count in
          count += 1
          return count
        }
        #expect(count <= InvitationTurns.reaching.ofSource)
        // The others say nothing until the test is over.
        for await _ in ends {}
        return Self.bob
      }, place: { InvitationTurns.Place(source: .ipv4($0 == "real" ? 2 : 1), standing: .new) },
      isWorthwhile: { _ in true }, pause: { _ in }, report: { _, _, _ in })
    await withTaskGroup { group in
      group.addTask { await inviter.run(actions) }
      for number in 0..<300 { inviter.invite(.candidate("forged \(number)")) }
      inviter.invite(real)
      for await target in begun where target == real { break }
      ender.finish()
      group.cancelAll()
    }
  }

  @Test("what is being invited is not invited twice at a time")
  func twice() async {
    let script = Script([.locked])
    #expect(
      await Self.told(script, [Self.address, Self.address]) == ["locked, again", "joined"])
    #expect(script.invited.withLock { $0.count } == 2)
  }
}

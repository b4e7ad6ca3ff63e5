import Synchronization
import Testing

@testable import PeerCLI
@testable import SharedWorld

@Suite("Invitations received")
struct InvitationDeskTests {
  private static let bob = Peer(id: PeerID(SHA256Digest(hashing: [1])), name: "bob")
  private static let invitation = Invitation(peer: bob, context: Array("hi".utf8))

  @Test(
    "without a question the policy answers, and the invitation is reported", arguments: [InvitationPolicy.all, .none])
  func policy(policy: InvitationPolicy) async {
    let reports = Mutex<[String]>([])
    let desk = InvitationDesk(policy: policy) { report in
      reports.withLock { $0.append(report.json(at: 0, clock: 0).text) }
    }
    let decision = await desk.decide(Self.invitation)
    #expect(decision == (policy == .all ? .accept : .decline(reason: "this peer accepts no invitations")))
    let told = reports.withLock { $0 }
    #expect(told.count == 1 && told[0].contains(#""name":"bob","context":"hi","asked":false"#) && desk.peers.isEmpty)
  }

  @Test("a question waits until the user answers", arguments: [InvitationDecision.accept, .decline(reason: "no")])
  func asked(decision: InvitationDecision) async {
    let (questions, asked) = AsyncStream.makeStream(of: Void.self)
    let desk = InvitationDesk(policy: .ask) { _ in asked.yield() }
    async let answer = desk.decide(Self.invitation)
    for await _ in questions { break }
    #expect(desk.peers == [Self.bob])
    desk.answer(PeerID(SHA256Digest(hashing: [2])), .accept)
    #expect(desk.peers == [Self.bob])
    desk.answer(Self.bob.id, decision)
    #expect(await answer == decision && desk.peers.isEmpty)
  }

  @Test("a question whose session ends is withdrawn")
  func cancelled() async {
    let (questions, asked) = AsyncStream.makeStream(of: Void.self)
    let desk = InvitationDesk(policy: .ask) { _ in asked.yield() }
    let decision = await withTaskGroup { group in
      group.addTask { await desk.decide(Self.invitation) }
      for await _ in questions { break }
      group.cancelAll()
      return await group.next()
    }
    #expect(decision == .decline(reason: "withdrawn") && desk.peers.isEmpty)
  }
}

@Suite("Invitations made", .timeLimit(.minutes(5)))
struct InviterTests {
  /// What happens to an inviter: answers to its invitations in order, and its pauses.
  private final class Script: Sendable {
    private let answers: Mutex<[SessionError.Code?]>
    let pauses = Mutex<[Duration]>([])
    let invited = Mutex<[InvitationTarget]>([])

    init(_ answers: [SessionError.Code?]) { self.answers = Mutex(answers) }

    var actions: Inviter.Actions {
      Inviter.Actions(
        invite: { target async throws(SessionError) in
          self.invited.withLock { $0.append(target) }
          let code = self.answers.withLock { $0.isEmpty ? nil : $0.removeFirst() }
          if let code { throw SessionError(code, "it failed; do something") }
          return InviterTests.bob
        }, isWorthwhile: { $0 != .candidate("gone") }, pause: { pause in self.pauses.withLock { $0.append(pause) } })
    }
  }

  private static let bob = Peer(id: PeerID(SHA256Digest(hashing: [1])), name: "bob")
  private static let address = InvitationTarget.endpoint(Endpoint(host: "lab", port: 7))
  private static let last = InvitationTarget.candidate("last")

  /// What is told of invitations to `targets`, made one after the other, up to the one to the last.
  private static func told(_ script: Script, _ targets: [InvitationTarget]) async -> [String] {
    let inviter = Inviter(script.actions)
    let (outcomes, teller) = AsyncStream.makeStream(of: (InvitationTarget, Inviter.Outcome).self)
    return await withTaskGroup { group in
      group.addTask { await inviter.run { teller.yield(($0, $1)) } }
      defer { group.cancelAll() }
      for target in targets { inviter.invite(target) }
      var told: [String] = []
      for await (target, outcome) in outcomes {
        told.append(outcome.report(inviting: "lab:7").map(Self.text) ?? "joined")
        if target == targets.last, case .delayed = outcome {} else if target == targets.last { break }
      }
      return told
    }
  }

  /// The line of a report, and its code.
  private static func text(_ report: Report) -> String {
    let json = report.json(at: 0, clock: 0).text
    let code = json.split(separator: "\"code\":\"").last?.prefix { $0 != "\"" } ?? ""
    return "\(report.lines[0].text(colour: false)) [\(code)]"
  }

  @Test("an address is invited until its peer joins; each kind of failure is told once")
  func delayed() async {
    let failures: [SessionError.Code?] = [
      .invitationTimedOut, .locked, .locked, .invitationTimedOut, .locked, .notConnected,
    ]
    let script = Script(failures)
    #expect(
      await Self.told(script, [Self.address]) == [
        "~ lab:7: it failed; still trying [invitation-timed-out]", "~ lab:7: it failed; still trying [locked]",
        "~ lab:7: it failed; still trying [not-connected]", "joined",
      ])
    let pauses: [Duration] = [.seconds(0.25), .seconds(0.5), .seconds(1), .seconds(2), .seconds(4), .seconds(5)]
    #expect(script.pauses.withLock { $0 } == pauses)
  }

  @Test(
    "what another try cannot change is told once and ends the invitation",
    arguments: [
      SessionError.Code.declined, .otherService, .versionMismatch, .identityMismatch, .invalidArgument,
    ])
  func refused(code: SessionError.Code) async {
    let script = Script([code])
    #expect(await Self.told(script, [Self.address]) == ["✗ \(code): lab:7: it failed; do something [\(code)]"])
    #expect(script.invited.withLock { $0 } == [Self.address] && script.pauses.withLock { $0.isEmpty })
  }

  @Test("a service that is gone is not invited")
  func gone() async {
    let script = Script([])
    #expect(await Self.told(script, [.candidate("gone"), Self.last]) == ["joined"])
    #expect(script.invited.withLock { $0 } == [Self.last])
  }

  @Test("what is being invited is not invited twice at a time")
  func twice() async {
    let script = Script([.locked])
    #expect(
      await Self.told(script, [Self.address, Self.address]) == ["~ lab:7: it failed; still trying [locked]", "joined"])
    #expect(script.invited.withLock { $0.count } == 2)
  }
}

import Testing

@testable import PeerCLI
@testable import SharedWorld

@Suite("Invitations and codes received")
struct InvitationDeskTests {
  private static let bob = Peer(id: PeerID(SHA256Digest(hashing: [1])), name: "bob")
  private static let invitation = Invitation(id: 1, peer: bob, context: Array("hi".utf8))

  @Test("a question waits until the user answers", arguments: [InvitationDecision.accept, .decline(reason: "no")])
  func asked(decision: InvitationDecision) async {
    let (questions, asked) = AsyncStream.makeStream(of: Void.self)
    let desk = InvitationDesk { _ in asked.yield() }
    async let answer = desk.decide(Self.invitation)
    for await _ in questions { break }
    #expect(desk.peers == [Self.bob])
    desk.answer(PeerID(SHA256Digest(hashing: [2])), .accept)
    #expect(desk.peers == [Self.bob])
    desk.answer(Self.bob.id, decision)
    #expect(await answer == decision && desk.peers.isEmpty)
  }

  @Test("an invitation that is over is withdrawn, and a newer one of the same peer stays")
  func withdrawn() async {
    let (questions, asked) = AsyncStream.makeStream(of: Void.self)
    let desk = InvitationDesk { _ in asked.yield() }
    var iterator = questions.makeAsyncIterator()
    async let first = desk.decide(Self.invitation)
    await iterator.next()
    async let second = desk.decide(Invitation(id: 2, peer: Self.bob, context: []))
    await iterator.next()
    desk.withdraw(1)
    #expect(await first == .decline(reason: "withdrawn") && desk.invitations.map(\.id) == [2])
    desk.answer(Self.bob.id, .accept)
    #expect(await second == .accept)
  }

  @Test("a comparison that is over is withdrawn, and a newer one with the same peer stays")
  func withdrawnCode() async {
    let (questions, asked) = AsyncStream.makeStream(of: Void.self)
    let desk = CodeDesk { _ in asked.yield() }
    var iterator = questions.makeAsyncIterator()
    async let first = desk.compare(Self.comparison(1))
    await iterator.next()
    async let second = desk.compare(Self.comparison(2))
    await iterator.next()
    desk.withdraw(1)
    #expect(await first == false && desk.comparisons.map(\.id) == [2])
    desk.answer(Self.bob.id, isSame: true)
    #expect(await second)
  }

  private static func comparison(_ id: UInt64) -> CodeComparison {
    CodeComparison(id: id, peer: bob, code: "000000", recognition: .untracked)
  }

  @Test("a question whose session ends is withdrawn")
  func cancelled() async {
    let (questions, asked) = AsyncStream.makeStream(of: Void.self)
    let desk = InvitationDesk { _ in asked.yield() }
    let decision = await withTaskGroup { group in
      group.addTask { await desk.decide(Self.invitation) }
      for await _ in questions { break }
      group.cancelAll()
      return await group.next()
    }
    #expect(decision == .decline(reason: "withdrawn") && desk.peers.isEmpty)
  }
}

@Suite("Words of invitations")
struct InvitationReportTests {
  @Test("an invitation that nobody was asked about says so")
  func unasked() {
    let bob = Peer(id: PeerID(SHA256Digest(hashing: [1])), name: "bob")
    let report = Report.invitation(Invitation(id: 1, peer: bob, context: Array("hi".utf8)), isAsked: false)
    #expect(report.json(at: 0, clock: 0).text.contains(#""name":"bob","context":"hi","asked":false"#))
  }

  @Test("a failure says whether the invitation is repeated", arguments: [true, false])
  func failed(isRetried: Bool) {
    let report = Report.invitationFailed(
      inviting: "lab:7", SessionError(.locked, "it failed; do something"), isRetried: isRetried)
    let text = report.lines[0].text(color: false)
    #expect(text == (isRetried ? "~ lab:7: it failed; still trying" : "✗ locked: lab:7: it failed; do something"))
  }
}

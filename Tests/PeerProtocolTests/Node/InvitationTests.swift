import Basics
import PeerProtocol
import Testing
import WorldModel

@Suite("Invitation")
struct InvitationTests {
  private let other = NodeProbe.peer(1)

  private func received(_ events: [NodeEvent]) -> [InvitationID] {
    events.compactMap { if case .invitationReceived(let id, _, _, _) = $0 { id } else { nil } }
  }

  private func invite(_ probe: inout NodeProbe, _ number: UInt64, on link: LinkID, wait: UInt32 = 30_000) {
    probe.send(.invite, on: link) { Invite(number: number, wait: wait, context: [1]).write(to: &$0) }
  }

  private func answers(_ probe: inout NodeProbe, on link: LinkID) throws -> [InviteAnswer] {
    try probe.frames(on: link).filter { $0.type == .inviteAnswer }.map { frame in
      var reader = ByteReader(frame.body.span)
      return try InviteAnswer(reading: &reader)
    }
  }

  @Test("an accepted invitation admits both sides")
  func acceptAdmits() throws {
    var probe = NodeProbe()
    let link = probe.join(1, other)
    #expect(try probe.frames(on: link).map(\.type).contains(.admit))
    #expect(probe.node.memberSummaries.map(\.peerID) == [other])
    #expect(probe.node.memberSummaries.first?.status == .connected)
  }

  @Test("an answer after the invitation's time is ignored")
  func ignoresLateAnswer() throws {
    var probe = NodeProbe()
    let link = probe.greet(1, other)
    invite(&probe, 5, on: link, wait: 1000)
    let id = try #require(received(probe.takeEvents()).first)
    probe.wait(.seconds(2))
    probe.input(.answer(id, .accept))
    #expect(try answers(&probe, on: link).isEmpty)
    #expect(probe.node.memberSummaries.isEmpty)
  }

  @Test("Fault 11: the same invitation again makes no second prompt, and an unasked acceptance no member")
  func ignoresReplays() throws {
    var probe = NodeProbe()
    let link = probe.greet(1, other)
    invite(&probe, 5, on: link)
    invite(&probe, 5, on: link)
    #expect(received(probe.takeEvents()).count == 1)
    probe.send(.inviteAnswer, on: link) { InviteAnswer(number: 99, decision: .accept).write(to: &$0) }
    #expect(probe.node.memberSummaries.isEmpty)
  }

  @Test("Fault 12: a device has one prompt, and the 17th invitation in all is refused")
  func boundsInvitations() throws {
    var probe = NodeProbe()
    var links: [LinkID] = []
    for number in 1...17 {
      let remote = SocketAddress(host: .ipv4(0x0a00_0000 + UInt32(number)), port: 50_000)
      links.append(probe.greet(UInt64(number), NodeProbe.peer(number), from: remote))
    }
    for (index, link) in links.enumerated() { invite(&probe, UInt64(index), on: link) }
    #expect(received(probe.takeEvents()).count == 16)
    #expect(try answers(&probe, on: links[16]).map(\.decision) == [.busy])
    invite(&probe, 1000, on: links[0])
    #expect(received(probe.takeEvents()).isEmpty)
    #expect(try answers(&probe, on: links[0]).count == 1)
  }

  @Test("who invites the inviter has agreed: nobody is asked")
  func mutualInvitationsJoin() throws {
    var probe = NodeProbe()
    let id = InvitationID(rawValue: 1)
    probe.input(.invite(id, [.loopback(port: 1)], context: [], timeout: .seconds(5)))
    let link = probe.open(1, other, dial: try #require(probe.dials.first).dial)
    probe.send(.hello, on: link) { NodeProbe.hello(other).write(to: &$0) }
    invite(&probe, 5, on: link)
    probe.send(.admit, on: link)
    let events = probe.takeEvents()
    #expect(received(events).isEmpty)
    #expect(events.contains { if case .invitationEnded(id, .accepted) = $0 { true } else { false } })
    #expect(probe.node.memberSummaries.map(\.peerID) == [other])
  }

  @Test("a withdrawn invitation is forgotten")
  func withdrawnInvitationIsForgotten() throws {
    var probe = NodeProbe()
    let link = probe.greet(1, other)
    invite(&probe, 5, on: link)
    let id = try #require(received(probe.takeEvents()).first)
    probe.send(.inviteCancel, on: link) { $0.write(UInt64(5)) }
    probe.input(.answer(id, .accept))
    #expect(probe.node.memberSummaries.isEmpty)
  }
}

@Suite("Membership")
struct MembershipTests {
  private let other = NodeProbe.peer(1)

  @Test("a member that was removed stays out, and is told so when it comes again")
  func kickedStaysOut() throws {
    var probe = NodeProbe()
    let link = probe.join(1, other)
    probe.wait(.seconds(3.5))
    _ = try probe.frames(on: link)
    #expect(probe.node.mayRule)
    probe.input(.kick(other))
    #expect(try probe.goodbye(on: link) == .kicked)
    let again = probe.greet(2, other)
    #expect(try probe.goodbye(on: again) == .kicked)
    #expect(probe.node.memberSummaries.isEmpty)
  }

  @Test("a new start of a member takes the place of the old one at once")
  func newIncarnationReplaces() throws {
    var probe = NodeProbe()
    let old = probe.join(1, other)
    _ = try probe.frames(on: old)
    let new = probe.open(2, other)
    probe.send(.hello, on: new) { NodeProbe.hello(other, incarnation: 8).write(to: &$0) }
    #expect(probe.closed == [old])
    probe.send(.admit, on: new)
    #expect(probe.node.memberSummaries.map(\.status) == [.connected])
  }

  @Test("a member that breaks off is reconnecting, then lost, stays admitted and is back without an invitation")
  func lostMemberReturns() throws {
    var probe = NodeProbe()
    let link = probe.join(1, other)
    _ = probe.takeEvents()
    probe.input(.linkClosed(link))
    #expect(probe.takeEvents().isEmpty)
    probe.wait(.seconds(1))
    #expect(probe.takeEvents().contains { if case .peerReconnecting(other) = $0 { true } else { false } })
    probe.wait(.seconds(10))
    #expect(
      probe.takeEvents().contains { if case .peerLeft(other, _, .connectionLost) = $0 { true } else { false } })
    let back = probe.greet(2, other)
    probe.send(.admit, on: back)
    #expect(probe.takeEvents().contains { if case .peerJoined(other, _) = $0 { true } else { false } })
  }

  @Test("a silent member's link ends after four seconds, but not when this process itself stood still")
  func silenceEndsLinks() {
    var probe = NodeProbe()
    let link = probe.join(1, other)
    var stalled = probe
    probe.wait(.seconds(5))
    #expect(probe.closed == [link])
    stalled.now += .seconds(5)
    stalled.input(.tick)
    #expect(stalled.closed.isEmpty)
  }

  @Test("goodbye ends a membership at once")
  func goodbyeEndsMembership() {
    var probe = NodeProbe()
    let link = probe.join(1, other)
    _ = probe.takeEvents()
    probe.send(.goodbye, on: link) { Goodbye(.left).write(to: &$0) }
    #expect(probe.takeEvents().contains { if case .peerLeft(other, _, .left) = $0 { true } else { false } })
    #expect(probe.node.memberSummaries.isEmpty)
  }

  @Test("a node copied mid-way goes on exactly like the original")
  func copiesGoOnAlike() throws {
    var probe = NodeProbe()
    let link = probe.join(1, other)
    var copy = probe
    probe.wait(.seconds(3))
    copy.wait(.seconds(3))
    #expect(try probe.frames(on: link).map(\.body) == copy.frames(on: link).map(\.body))
  }

  // MARK: Unreachable targets

  private func results(_ events: [NodeEvent]) -> [InvitationResult] {
    events.compactMap { if case .invitationEnded(_, let result) = $0 { result } else { nil } }
  }

  /// A probe that invites an address, and has dialled it once.
  private func inviting(timeout: Duration = .seconds(30)) throws -> NodeProbe {
    var probe = NodeProbe()
    let address = SocketAddress.loopback(port: 9)
    probe.input(.invite(InvitationID(rawValue: 1), [address], context: [], timeout: timeout))
    #expect(probe.dials.map(\.address) == [address])
    return probe
  }

  @Test("a target that refuses is dialled again, and is unreachable after five seconds or when time is up before")
  func refused() throws {
    for (timeout, reach, least) in [(Duration.seconds(30), Duration.seconds(5), 4), (.seconds(2), .seconds(2), 2)] {
      var probe = try inviting(timeout: timeout)
      let start = probe.now
      var failed = 0
      while probe.now - start < reach - .milliseconds(10) {
        for dial in probe.dials.dropFirst(failed) { probe.input(.dialFailed(dial.dial, refused: true)) }
        failed = probe.dials.count
        probe.wait(.milliseconds(10))
      }
      #expect(failed >= least)
      #expect(results(probe.takeEvents()).isEmpty)
      probe.wait(.milliseconds(20))
      #expect(results(probe.takeEvents()) == [.unreachable])
    }
  }

  @Test("a target where somebody is has all the time of the invitation, also when TLS takes long")
  func connected() throws {
    var probe = try inviting()
    let dial = try #require(probe.dials.first).dial
    probe.wait(.seconds(4))
    probe.input(.dialConnected(dial))
    probe.wait(.seconds(25))
    #expect(results(probe.takeEvents()).isEmpty)
    probe.wait(.seconds(2))
    #expect(results(probe.takeEvents()) == [.timedOut])
  }

  @Test("a node that stood still finds nobody unreachable for that")
  func stoodStill() throws {
    var probe = try inviting()
    probe.now += .seconds(20)
    probe.input(.tick)
    #expect(results(probe.takeEvents()).isEmpty)
    probe.wait(.seconds(6))
    #expect(results(probe.takeEvents()) == [.unreachable])
  }

  // MARK: Waits for a host

  @Test("a wait for a host ends when the peer hosts, when time is up, or in silence when it is cancelled")
  func hostWaits() {
    var probe = NodeProbe()
    probe.wait(.seconds(5))
    #expect(probe.node.host?.peer == NodeProbe.me)
    _ = probe.takeEvents()
    func ended(_ probe: inout NodeProbe) -> [String] {
      probe.takeEvents().compactMap { event in
        if case .hostAwaited(let id, let result) = event { "\(id.rawValue) \(result)" } else { nil }
      }
    }
    probe.input(.awaitHost(HostWaitID(rawValue: 1), NodeProbe.me, timeout: .seconds(1)))
    #expect(ended(&probe) == ["1 hosts"])
    for number: UInt64 in 2...3 {
      probe.input(.awaitHost(HostWaitID(rawValue: number), other, timeout: .seconds(Int(number))))
    }
    probe.input(.cancelHostWait(HostWaitID(rawValue: 3)))
    #expect(ended(&probe).isEmpty)
    probe.wait(.seconds(1.9))
    #expect(ended(&probe).isEmpty)
    probe.wait(.seconds(5))
    #expect(ended(&probe) == ["2 timedOut"])
  }
}

import Basics
import PeerProtocol
import Testing
import WorldModel

/// Every state a peer can be in, and every reason for which that ends.
@Suite("States and ends of a membership")
struct MembershipTableTests {
  /// How far this node and a peer have come when the link between them ends.
  enum Stage: String, CaseIterable {
    /// This node invites it and has no answer.
    case inviting
    /// It invites this node, whose app thinks.
    case invited
    /// It is a member by what others said, and not reached yet.
    case connecting
    case connected
    /// Its link broke a moment ago, and a new one is up but not yet a member's.
    case reconnecting
    /// The same, long after the app was told that it is gone.
    case lost
  }

  static let reasons: [EndReason] = [
    .left, .kicked, .versionMismatch(theirs: 4...5), .identityMismatch, .ownIdentity, .duplicate, .limitExceeded,
    .protocolError, .timedOut, .refused, .otherService, .connectionLost, .replaced, .locked,
  ]

  private static let peer = NodeProbe.peer(1)

  /// What the app is told of the peer, in a word.
  private static func words(_ events: [NodeEvent]) -> [String] {
    events.compactMap { event in
      switch event {
      case .invitationEnded(_, let result): "\(result)"
      case .invitationWithdrawn: "withdrawn"
      case .peerReconnecting(peer): "reconnecting"
      case .peerLeft(peer, _, let reason): "left: \(reason)"
      case .ended(let reason): "ended: \(reason)"
      default: nil
      }
    }
  }

  /// A node at a stage with the peer, and the link that is going to end.
  private static func meeting(_ stage: Stage) throws -> (NodeProbe, LinkID) {
    var probe = NodeProbe()
    var link = LinkID(rawValue: 1)
    switch stage {
    case .inviting:
      probe.input(.invite(InvitationID(rawValue: 1), [.loopback(port: 1)], context: [], timeout: .seconds(5)))
      link = probe.open(1, peer, dial: try #require(probe.dials.first).dial)
      probe.send(.hello, on: link) { NodeProbe.hello(peer).write(to: &$0) }
    case .invited:
      link = probe.greet(1, peer)
      probe.send(.invite, on: link) { Invite(number: 1, wait: 5000, context: []).write(to: &$0) }
    case .connecting:
      let teller = probe.join(2, NodeProbe.peer(2), incarnation: 8)
      let entry = RosterEntry(peerID: peer, version: 1, incarnation: 7, name: "other", addresses: [])
      var writer = ByteWriter()
      Roster.writeFrames([entry], to: &writer)
      probe.send(bytes: writer.bytes, on: teller)
      link = probe.greet(1, peer)
    case .connected: link = probe.join(1, peer)
    case .reconnecting, .lost:
      probe.input(.linkClosed(probe.join(1, peer)))
      if stage == .lost { probe.wait(.seconds(11)) }
      link = probe.greet(3, peer)
    }
    _ = probe.takeEvents()
    return (probe, link)
  }

  /// What the app is told at once, and within the 11 s after that, when the peer ends the link for this reason.
  private static func expected(_ stage: Stage, _ reason: EndReason) -> (now: [String], later: [String]) {
    let stays: EndReason? =
      switch reason {
      case .versionMismatch, .identityMismatch, .protocolError, .timedOut, .otherService: reason
      case .limitExceeded: stage == .connected ? reason : nil
      case .kicked, .ownIdentity, .duplicate, .connectionLost, .replaced: .connectionLost
      default: nil
      }
    switch stage {
    case .inviting: return reason == .duplicate ? ([], ["timedOut"]) : (["failed(\(described(reason)))"], [])
    case .invited: return reason == .duplicate ? ([], ["withdrawn"]) : (["withdrawn"], [])
    case .connecting, .lost: return ([], [])
    case .connected, .reconnecting:
      // There was no host yet, and there is nobody else to ask.
      if reason == .kicked { return (["ended: kicked"], []) }
      guard let stays else { return (["left: \(reason)"], []) }
      return ([], ["reconnecting", "left: \(stays)"])
    }
  }

  /// As the words of an invitation's end name it.
  private static func described(_ reason: EndReason) -> String { "PeerProtocol.EndReason.\(reason)" }

  @Test("a goodbye of every reason in every state", arguments: Stage.allCases)
  func everyGoodbye(_ stage: Stage) throws {
    for reason in Self.reasons {
      var (probe, link) = try Self.meeting(stage)
      probe.send(.goodbye, on: link) { Goodbye(reason, versions: 4...5).write(to: &$0) }
      let (now, later) = Self.expected(stage, reason)
      #expect(probe.closed.contains(link))
      #expect(Self.words(probe.takeEvents()) == now, "\(stage), \(reason)")
      probe.wait(.seconds(11))
      #expect(Self.words(probe.takeEvents()) == later, "\(stage), \(reason), later")
    }
  }

  @Test(
    "who says that it is out is no member afterwards, and whoever else ends a link stays one", arguments: Stage.allCases
  )
  func everyGoodbyeLeavesAState(_ stage: Stage) throws {
    for reason in Self.reasons {
      var (probe, link) = try Self.meeting(stage)
      probe.send(.goodbye, on: link) { Goodbye(reason).write(to: &$0) }
      probe.wait(.seconds(11))
      let status = probe.node.memberSummaries.first { $0.peerID == Self.peer }?.status
      let isOut: Bool =
        switch reason {
        case .left, .refused, .locked: true
        case .limitExceeded: stage != .connected
        default: false
        }
      let hasEnded = reason == .kicked && [.connected, .reconnecting].contains(stage)
      #expect(probe.node.hasEnded == hasEnded)
      if hasEnded { continue }
      let expected: Member.Status? =
        switch stage {
        case .inviting, .invited: nil
        case .connecting: isOut ? nil : .connecting
        case .connected, .reconnecting, .lost: isOut ? nil : .lost
        }
      #expect(status == expected, "\(stage), \(reason)")
    }
  }

  @Test("a connection that closes without a word", arguments: Stage.allCases)
  func closedWithoutAWord(_ stage: Stage) throws {
    var (probe, link) = try Self.meeting(stage)
    probe.input(.linkClosed(link))
    let (now, later) = Self.expected(stage, .connectionLost)
    #expect(Self.words(probe.takeEvents()) == now)
    probe.wait(.seconds(11))
    #expect(Self.words(probe.takeEvents()) == later)
  }

  @Test("what this node finds wrong itself is what its app is told of a member that stays away")
  func ownFindings() throws {
    let findings: [(EndReason, (inout Hello) -> Void)] = [
      (.versionMismatch(theirs: 7...9), { $0.versions = 7...9 }),
      (.identityMismatch, { $0.peerID = NodeProbe.peer(9) }), (.otherService, { $0.service = "chess" }),
    ]
    for (reason, change) in findings {
      var (probe, link) = try Self.meeting(.connected)
      probe.input(.linkClosed(link))
      var hello = NodeProbe.hello(Self.peer)
      change(&hello)
      let again = probe.open(5, Self.peer)
      probe.send(.hello, on: again) { hello.write(to: &$0) }
      #expect(try probe.goodbye(on: again)?.code == reason.code)
      probe.wait(.seconds(11))
      #expect(Self.words(probe.takeEvents()) == ["reconnecting", "left: \(reason)"])
    }
  }

  @Test("silence, a breach of the protocol and a greeting that never comes are told as what they are")
  func silenceAndBreach() throws {
    var (silent, _) = try Self.meeting(.connected)
    silent.wait(.seconds(16))
    #expect(Self.words(silent.takeEvents()) == ["reconnecting", "left: timedOut"])
    var (breaching, link) = try Self.meeting(.connected)
    breaching.send(.hello, on: link) { NodeProbe.hello(Self.peer).write(to: &$0) }
    breaching.wait(.seconds(11))
    #expect(Self.words(breaching.takeEvents()) == ["reconnecting", "left: protocolError"])
    var (mute, lost) = try Self.meeting(.connected)
    mute.input(.linkClosed(lost))
    _ = mute.open(5, Self.peer)
    mute.wait(.seconds(11))
    #expect(Self.words(mute.takeEvents()) == ["reconnecting", "left: timedOut"])
  }

  @Test("a closed socket and a refused redial are suspicion at once, and a loss two seconds later")
  func refusedRedialIsSuspicion() throws {
    var probe = NodeProbe()
    let link = probe.open(1, Self.peer)
    var hello = NodeProbe.hello(Self.peer)
    hello.addresses = [.loopback(port: 4001)]
    probe.send(.hello, on: link) { hello.write(to: &$0) }
    probe.send(.invite, on: link) { Invite(number: 1, wait: 5000, context: []).write(to: &$0) }
    for case .invitationReceived(let id, _, _, _) in probe.takeEvents() { probe.input(.answer(id, .accept)) }
    probe.send(.admit, on: link)
    _ = probe.takeEvents()
    probe.input(.linkClosed(link))
    // The higher id leaves the first dial to the other side.
    if probe.dials.isEmpty { probe.wait(ProtocolTimes.dialTurn) }
    let waited = Self.words(probe.takeEvents())
    for dial in probe.dials { probe.input(.dialFailed(dial.dial, refused: true)) }
    #expect(waited + Self.words(probe.takeEvents()) == ["reconnecting"])
    probe.wait(.seconds(2.5))
    #expect(Self.words(probe.takeEvents()) == ["left: connectionLost"])
  }

  @Test("who stood still accuses nobody", arguments: [Stage.connected, .reconnecting])
  func standstillAccusesNobody(_ stage: Stage) throws {
    var (probe, _) = try Self.meeting(stage)
    probe.now += .seconds(60)
    probe.input(.tick)
    #expect(Self.words(probe.takeEvents()).allSatisfy { $0 == "reconnecting" })
    #expect(probe.closed.isEmpty)
  }
}

import Authentication
import Basics
import PeerProtocol
import Testing
import WorldModel

@Suite("A code that two people compare")
struct ComparisonTests {
  private static let other = NodeProbe.peer(1)
  private static let greeting = ["> hello", "< hello"]
  private static let exchange = ["> codeCommitment", "< codeNonce", "> codeReveal"]

  /// Two nodes whose apps show codes; those whose users ask for them have no key yet.
  private func pair(asks: (Bool, Bool) = (true, true)) -> ProbePair {
    ProbePair(
      NodeProbe(showsCodes: true, compared: asks.0 ? [] : nil),
      NodeProbe(showsCodes: true, compared: asks.1 ? [] : nil, me: Self.other))
  }

  @Test(
    "both screens show the same digits, and nobody is invited before both people have confirmed, whoever asks",
    arguments: [(true, true), (true, false), (false, true)], [true, false])
  func confirmed(asks: (Bool, Bool), diallerIsFirst: Bool) throws {
    var pair = pair(asks: asks)
    let link = try pair.connect()
    #expect(try pair.pump(link) == Self.greeting + Self.exchange)
    let (ours, theirs) = (pair.dialler.shownCodes, pair.acceptor.shownCodes)
    #expect(ours.count == 1 && ours == theirs)
    if diallerIsFirst {
      pair.dialler.input(.answerCode(link, isSame: true))
      #expect(try pair.pump(link) == ["> codeConfirmed"])
      pair.acceptor.input(.answerCode(link, isSame: true))
      #expect(try pair.pump(link).starts(with: ["< codeConfirmed", "> invite", "< inviteAnswer"]))
    } else {
      pair.acceptor.input(.answerCode(link, isSame: true))
      #expect(try pair.pump(link) == ["< codeConfirmed"])
      #expect(pair.acceptor.node.memberSummaries.isEmpty)
      pair.dialler.input(.answerCode(link, isSame: true))
      #expect(try pair.pump(link).starts(with: ["> codeConfirmed", "> invite", "< inviteAnswer"]))
    }
    #expect(pair.dialler.endedComparisons == [true] && pair.acceptor.endedComparisons == [true])
    #expect(pair.dialler.results() == [.accepted(Self.other)])
    #expect(pair.acceptor.node.memberSummaries.map(\.isDirect) == [true])
  }

  @Test("where nobody asks, nothing is different but one bit of the hello")
  func open() throws {
    var pair = pair(asks: (false, false))
    let link = try pair.connect()
    let (said, capabilities) = try pair.pumpHellos(link)
    #expect(capabilities == [0b10111, 0b10111] && !said.contains { $0.contains("code") })
    #expect(pair.dialler.results() == [.accepted(Self.other)])
  }

  @Test("a key that is recorded needs no comparison, on either side")
  func recorded() throws {
    var pair = ProbePair(
      NodeProbe(showsCodes: true, compared: [Self.other]),
      NodeProbe(showsCodes: true, compared: [NodeProbe.me], me: Self.other))
    let link = try pair.connect()
    #expect(try !pair.pump(link).contains { $0.contains("code") })
    #expect(pair.dialler.results() == [.accepted(Self.other)])
  }

  @Test("a key that was compared once is not compared again by this process, also on a new link")
  func remembered() throws {
    var pair = pair()
    let link = try pair.connect()
    try pair.compare(link)
    pair.dialler.input(.linkClosed(link))
    pair.acceptor.input(.linkClosed(link))
    let again = try pair.connect()
    #expect(try !pair.pump(again).contains { $0.contains("code") })
    #expect(pair.dialler.node.memberSummaries.map(\.isDirect) == [true])
  }

  @Test(
    "a peer that cannot show a code, such as one of an older version, is told that one is asked for",
    arguments: [true, false])
  func required(diallerAsks: Bool) throws {
    var pair = ProbePair(
      diallerAsks ? NodeProbe(showsCodes: true, compared: []) : NodeProbe(),
      diallerAsks ? NodeProbe(me: Self.other) : NodeProbe(showsCodes: true, compared: [], me: Self.other))
    let link = try pair.connect()
    #expect(try pair.pump(link) == ["> hello", "< goodbye"])
    #expect(pair.dialler.results() == [.failed(.codeRequired)])
  }

  @Test(
    "a person who says that the digits differ ends the link; both are told, and nobody is a member",
    arguments: [true, false])
  func refused(byDialler: Bool) throws {
    var pair = pair()
    let link = try pair.connect()
    try pair.pump(link)
    // The other person may have confirmed already.
    if byDialler {
      pair.acceptor.input(.answerCode(link, isSame: true))
      pair.dialler.input(.answerCode(link, isSame: false))
    } else {
      pair.dialler.input(.answerCode(link, isSame: true))
      pair.acceptor.input(.answerCode(link, isSame: false))
    }
    try pair.pump(link)
    #expect(pair.dialler.endedComparisons == [false] && pair.acceptor.endedComparisons == [false])
    #expect(pair.dialler.results() == [.failed(.codeRefused)])
    #expect(pair.dialler.node.memberSummaries.isEmpty && pair.acceptor.node.memberSummaries.isEmpty)
    // An answer afterwards has no effect.
    pair.dialler.input(.answerCode(link, isSame: true))
    #expect(try pair.dialler.frames(on: link).isEmpty)
  }

  @Test("after the passcode, where there is one, and never before it")
  func withPasscode() throws {
    var pair = ProbePair(
      NodeProbe(passcode: try Passcode("sesame 1"), showsCodes: true, compared: []),
      NodeProbe(passcode: try Passcode("sesame 1"), showsCodes: true, me: Self.other))
    let link = try pair.connect()
    let proof = ["> passcodeShare", "< passcodeAnswer", "> passcodeProof"]
    #expect(try pair.pump(link) == Self.greeting + proof + Self.exchange)
    try pair.confirm(link)
    #expect(pair.dialler.results() == [.accepted(Self.other)])
    var alone = NodeProbe(passcode: try Passcode("sesame 1"), showsCodes: true, compared: [])
    var stranger = CodeStranger(1)
    #expect(try stranger.begin(&alone, capabilities: [.passcode]) == .protocolError)
  }

  @Test(
    "a frame that invites or admits before both have confirmed ends the link",
    arguments: [FrameType.invite, .admit, .inviteAnswer, .inviteCancel])
  func early(type: FrameType) throws {
    var probe = NodeProbe(showsCodes: true, compared: [])
    var stranger = CodeStranger(1)
    #expect(try stranger.compare(&probe) == nil)
    probe.input(.answerCode(stranger.link, isSame: true))
    probe.sendMembership(type, on: stranger.link)
    #expect(try probe.goodbye(on: stranger.link) == .protocolError)
    #expect(probe.node.memberSummaries.isEmpty && probe.endedComparisons == [false])
  }

  @Test("an invitation has as much time as without a comparison, and is sent after it")
  func invitationTime() throws {
    var pair = pair()
    let link = try pair.connect()
    try pair.pump(link)
    pair.wait(seconds: 55, keeping: link)
    #expect(pair.dialler.endedComparisons.isEmpty && pair.acceptor.endedComparisons.isEmpty)
    try pair.confirm(link)
    #expect(pair.dialler.results() == [.accepted(Self.other)])
  }

  @Test("the pings of the time that people take do not count against a stranger's frames")
  func pings() throws {
    var probe = NodeProbe(showsCodes: true, compared: [])
    var stranger = CodeStranger(1)
    #expect(try stranger.compare(&probe) == nil)
    let pings = ProtocolLimits.strangerFrames * 2 / 3
    for _ in 0..<pings { probe.send(.ping, on: stranger.link) { $0.write(UInt64(1)) } }
    probe.input(.answerCode(stranger.link, isSame: true))
    probe.send(.codeConfirmed, on: stranger.link)
    for _ in 0..<pings { probe.send(.ping, on: stranger.link) { $0.write(UInt64(1)) } }
    #expect(probe.endedComparisons == [true])
    #expect(try probe.goodbye(on: stranger.link) == nil)
    for _ in 0..<pings { probe.send(.ping, on: stranger.link) { $0.write(UInt64(1)) } }
    #expect(try probe.goodbye(on: stranger.link) == .limitExceeded)
  }

  @Test("an invitation that is withdrawn takes the comparison with it")
  func withdrawn() throws {
    var pair = pair()
    let link = try pair.connect()
    try pair.pump(link)
    pair.dialler.input(.cancelInvitation(InvitationID(rawValue: 1)))
    #expect(try pair.pump(link) == ["> goodbye"])
    #expect(pair.acceptor.endedComparisons == [false] && pair.dialler.endedComparisons == [false])
  }

  @Test("a peer that another member admits is not dialled, and gets no further than the comparison when it dials")
  func admittedByOthers() throws {
    let (bob, mallory) = (NodeProbe.peer(4), NodeProbe.peer(2))
    var probe = NodeProbe(showsCodes: true, compared: [bob])
    let link = probe.open(1, bob, secrets: ProbePair.secrets(1, 2))
    probe.join(link, bob)
    let record = RosterEntry(
      peerID: mallory, version: 1, incarnation: 7, name: "mallory", addresses: [.loopback(port: 3)])
    probe.tell([record], on: link)
    #expect(probe.node.roster.admits(mallory))
    probe.wait(seconds: 10, keeping: [link])
    #expect(!probe.dials.contains { $0.address == .loopback(port: 3) })
    var stranger = CodeStranger(2)
    #expect(try stranger.compare(&probe) == nil)
    let sent = try probe.frames(on: stranger.link).map(\.type)
    #expect(!sent.contains(.admit) && !probe.node.isLinked(to: mallory))
    probe.send(.codeConfirmed, on: stranger.link)
    #expect(try probe.frames(on: stranger.link).isEmpty)
    probe.input(.answerCode(stranger.link, isSame: true))
    #expect(try probe.frames(on: stranger.link).map(\.type) == [.codeConfirmed, .admit])
    #expect(probe.node.isLinked(to: mallory))
  }
}

@Suite("Attack: a code that two people compare")
struct ComparisonAttackTests {
  @Test("Fault 7: a man in the middle of two TLS connections makes both screens show different digits")
  func manInTheMiddle() throws {
    let (alice, bob, mallory) = (NodeProbe.peer(1), NodeProbe.peer(2), NodeProbe.peer(3))
    var left = ProbePair(
      NodeProbe(showsCodes: true, compared: [], me: alice), NodeProbe(showsCodes: true, me: mallory))
    var right = ProbePair(
      NodeProbe(showsCodes: true, me: mallory), NodeProbe(showsCodes: true, compared: [], me: bob))
    let (one, two) = (try left.connect(exporters: (1, 1)), try right.connect(exporters: (2, 2)))
    try left.pump(one)
    try right.pump(two)
    let (shown, other) = (left.dialler.shownCodes, right.acceptor.shownCodes)
    #expect(shown.count == 1 && other.count == 1 && shown != other)
  }

  @Test("Fault 7: a man in the middle who passes everything on is refused before the second screen shows digits")
  func passedOn() throws {
    var pair = ProbePair(
      NodeProbe(showsCodes: true, compared: []), NodeProbe(showsCodes: true, compared: [], me: NodeProbe.peer(1)))
    let link = try pair.connect(exporters: (1, 2))
    #expect(try pair.pump(link).last == "< goodbye")
    #expect(pair.acceptor.shownCodes.isEmpty && pair.dialler.endedComparisons == [false])
    #expect(pair.dialler.results() == [.failed(.protocolError)])
  }

  @Test("Fault 8: a wrong commitment or an early reveal ends the link, and no code is shown")
  func commitment() throws {
    var probe = NodeProbe(showsCodes: true, compared: [])
    var wrong = CodeStranger(1)
    #expect(try wrong.begin(&probe) == nil)
    probe.send(.codeReveal, on: wrong.link) { $0.write(bytes: [UInt8](repeating: 9, count: 32)) }
    #expect(try probe.goodbye(on: wrong.link) == .protocolError)
    let early = CodeStranger(2)
    early.greet(&probe)
    probe.send(.codeReveal, on: early.link) { $0.write(bytes: [UInt8](repeating: 9, count: 32)) }
    #expect(try probe.goodbye(on: early.link) == .protocolError)
    #expect(probe.shownCodes.isEmpty)
  }

  @Test("a step that comes twice, or to the side that sends it, ends the link", arguments: 0..<4)
  func replayed(step: Int) throws {
    let types: [FrameType] = [.codeCommitment, .codeNonce, .codeReveal, .codeConfirmed]
    var pair = ProbePair(
      NodeProbe(showsCodes: true, compared: []), NodeProbe(showsCodes: true, compared: [], me: NodeProbe.peer(1)))
    let link = try pair.connect()
    var copy: [UInt8] = []
    func keep(_: Bool, _ type: FrameType?, _ body: inout [UInt8]) -> Bool {
      if type == types[step] { copy = body }
      return true
    }
    try pair.pump(link, change: keep)
    pair.dialler.input(.answerCode(link, isSame: true))
    try pair.pump(link, change: keep)
    if step == 1 {
      pair.dialler.send(types[step], on: link) { $0.write(bytes: copy) }
      #expect(try pair.dialler.goodbye(on: link) == .protocolError)
    } else {
      pair.acceptor.send(types[step], on: link) { $0.write(bytes: copy) }
      #expect(try pair.acceptor.goodbye(on: link) == .protocolError)
    }
  }

  @Test("frames of a comparison that nobody asks for end the link")
  func unasked() throws {
    var probe = NodeProbe(showsCodes: true)
    var stranger = CodeStranger(1)
    #expect(try stranger.begin(&probe) == .protocolError)
  }

  @Test("people have a minute; then the link ends, and both are told")
  func time() throws {
    var probe = NodeProbe(showsCodes: true, compared: [])
    var stranger = CodeStranger(1)
    #expect(try stranger.compare(&probe) == nil)
    probe.wait(seconds: 59, keeping: [stranger.link])
    #expect(try probe.goodbye(on: stranger.link) == nil && probe.endedComparisons.isEmpty)
    probe.wait(seconds: 2, keeping: [stranger.link])
    #expect(probe.closed.contains(stranger.link) && probe.endedComparisons == [false])
  }

  @Test("a device waits 5, 10 and 20 s after a comparison that failed, whatever its address; so does an address")
  func penalties() throws {
    for isDevice in [true, false] {
      var probe = NodeProbe(showsCodes: true, compared: [])
      for (count, wait) in [5, 10, 20].enumerated() {
        func stranger(_ number: Int) -> CodeStranger {
          isDevice ? CodeStranger(1, at: number) : CodeStranger(number, at: 1)
        }
        var first = stranger(10 + count)
        #expect(try first.compare(&probe) == nil)
        probe.input(.answerCode(first.link, isSame: false))
        #expect(try probe.goodbye(on: first.link) == .codeRefused)
        probe.now += .seconds(wait) - .milliseconds(1)
        var second = stranger(20 + count)
        #expect(try second.begin(&probe) == .codeBusy)
        probe.now += .milliseconds(1)
      }
    }
  }

  @Test(
    "a run that is broken off counts as failed, or an attacker could try until it likes the digits",
    arguments: [true, false])
  func brokenOff(isShown: Bool) throws {
    var probe = NodeProbe(showsCodes: true, compared: [])
    var first = CodeStranger(1)
    #expect(try (isShown ? first.compare(&probe) : first.begin(&probe)) == nil)
    probe.input(.linkClosed(first.link))
    #expect(probe.endedComparisons == (isShown ? [false] : []))
    probe.now += .seconds(2)
    var second = CodeStranger(1, at: 2)
    #expect(try second.begin(&probe) == .codeBusy)
  }

  @Test("strangers begin one comparison a second, one an address and four at a time")
  func limits() throws {
    var probe = NodeProbe(showsCodes: true, compared: [])
    var links: [LinkID] = []
    for number in 1...4 {
      var stranger = CodeStranger(number)
      #expect(try stranger.compare(&probe) == nil)
      links.append(stranger.link)
      var hasty = CodeStranger(number + 10)
      #expect(try hasty.begin(&probe) == .codeBusy)
      probe.wait(seconds: 1, keeping: links)
      var neighbor = CodeStranger(number + 20, at: number)
      #expect(try neighbor.begin(&probe) == .codeBusy)
      probe.wait(seconds: 1, keeping: links)
    }
    var fifth = CodeStranger(5)
    #expect(try fifth.begin(&probe) == .codeBusy)
    #expect(probe.shownCodes.count == 4)
  }
}

import Authentication
import Basics
import Testing
import WorldModel

@testable import PeerProtocol

@Suite("Drivers of two apps")
struct HandshakeTests {
  private static let other = NodeProbe.peer(1)
  private static let time: Duration = .seconds(3)

  private func pair(
    _ first: Duration? = Self.time, _ second: Duration? = Self.time, passcode: String? = nil, showingCodes: Bool = false
  ) throws -> ProbePair {
    let passcode = try passcode.map { try Passcode($0) }
    return ProbePair(
      NodeProbe(passcode: passcode, driverTime: first, showsCodes: showingCodes, compared: showingCodes ? [] : nil),
      NodeProbe(
        passcode: passcode, driverTime: second, showsCodes: showingCodes, compared: showingCodes ? [] : nil,
        me: Self.other))
  }

  /// Opens a connection and lets both sides say hello, and what follows without a driver.
  private func opened(_ pair: inout ProbePair) throws -> LinkID {
    let link = try pair.connect()
    try pair.pump(link)
    return link
  }

  private func step(
    _ probe: inout NodeProbe, _ link: LinkID, _ data: [UInt8]? = nil, _ verdict: HandshakeStep.Verdict = .undecided
  ) {
    probe.input(.driverStep(link, HandshakeStep(sending: data, verdict)))
  }

  @Test("data go to and fro until both drivers have authenticated the other end; invitations and admission follow")
  func authenticated() throws {
    var pair = try pair()
    let link = try opened(&pair)
    let (ours, theirs) = (pair.dialler.openings(), pair.acceptor.openings())
    #expect(ours.map(\.peer) == [Self.other] && theirs.map(\.peer) == [NodeProbe.me])
    #expect(ours.map(\.isDialled) == [true] && theirs.map(\.isDialled) == [false])
    #expect(ours.map(\.binding) == theirs.map(\.binding) && ours.first?.binding.count == 32)
    step(&pair.dialler, link, [1])
    #expect(try pair.pump(link) == ["> handshake"])
    #expect(pair.acceptor.data() == [[1]])
    step(&pair.acceptor, link, [2], .authenticated)
    #expect(try pair.pump(link) == ["< handshake", "< handshake"])
    #expect(pair.dialler.data() == [[2]])
    // One of the two is not enough, for either side.
    #expect(!pair.dialler.node.isLinked(to: Self.other) && !pair.acceptor.node.isLinked(to: NodeProbe.me))
    step(&pair.dialler, link, [3], .authenticated)
    let said = try pair.pump(link)
    #expect(said.starts(with: ["> handshake", "> handshake", "> invite", "< inviteAnswer"]))
    #expect(pair.acceptor.data().isEmpty, "what comes after the verdict does not reach the driver")
    #expect(pair.dialler.results() == [.accepted(Self.other)])
    #expect(pair.acceptor.node.memberSummaries.map(\.isDirect) == [true])
  }

  @Test("a driver that refuses ends the link, and both sides have the reason", arguments: [true, false])
  func refused(byDialler: Bool) throws {
    var pair = try pair()
    let link = try opened(&pair)
    let refusal = HandshakeStep.Verdict.refused(reason: "wrong\nsecret")
    if byDialler { step(&pair.dialler, link, nil, refusal) } else { step(&pair.acceptor, link, nil, refusal) }
    try pair.pump(link)
    let (own, foreign) = (
      HandshakeFailure(reason: "wrong\u{fffd}secret", isOwn: true),
      HandshakeFailure(reason: "wrong\u{fffd}secret", isOwn: false)
    )
    #expect(pair.acceptor.unauthenticated() == [.authenticationFailed(byDialler ? foreign : own)])
    #expect(!pair.dialler.isTold, "an inviter has it from the invitation")
    #expect(pair.dialler.results() == [.failed(.authenticationFailed(byDialler ? own : foreign))])
    #expect(pair.dialler.closed == [link] && pair.acceptor.closed == [link])
    #expect(pair.dialler.node.memberSummaries.isEmpty && pair.acceptor.node.memberSummaries.isEmpty)
  }

  @Test("an app is told once of a key that fails, and again after it was authenticated")
  func toldOnce() throws {
    var pair = try pair()
    for number in 1...4 {
      let link = try opened(&pair)
      step(&pair.dialler, link, nil, .authenticated)
      step(&pair.acceptor, link, nil, number == 3 ? .authenticated : .refused(reason: "no"))
      try pair.pump(link)
      let isMember = pair.acceptor.node.isLinked(to: NodeProbe.me)
      #expect(isMember == (number == 3))
      #expect(pair.acceptor.unauthenticated().count == (number == 1 || number == 4 ? 1 : 0), "\(number)")
      guard isMember else { continue }
      pair.dialler.input(.linkClosed(link))
      pair.acceptor.input(.linkClosed(link))
    }
  }

  @Test("a peer that comes back is authenticated again, and its driver is told that it is known")
  func resumed() throws {
    var pair = try pair()
    for number in 1...2 {
      let link = try opened(&pair)
      #expect(pair.acceptor.openings().map(\.isResumed) == [number == 2])
      #expect(pair.dialler.openings().map(\.isResumed) == [number == 2])
      #expect(!pair.acceptor.node.isLinked(to: NodeProbe.me))
      step(&pair.dialler, link, nil, .authenticated)
      step(&pair.acceptor, link, nil, .authenticated)
      try pair.pump(link)
      #expect(pair.acceptor.node.isLinked(to: NodeProbe.me))
      pair.dialler.input(.linkClosed(link))
      pair.acceptor.input(.linkClosed(link))
    }
  }

  @Test(
    "a peer without a driver, such as one of an older version, is told that there is one", arguments: [true, false])
  func required(diallerHasIt: Bool) throws {
    var pair = try pair(diallerHasIt ? Self.time : nil, diallerHasIt ? nil : Self.time)
    let link = try pair.connect()
    #expect(try pair.pump(link) == ["> hello", "< goodbye"])
    #expect(pair.dialler.results() == [.failed(.driverRequired)])
    #expect(pair.acceptor.unauthenticated() == [.driverRequired])
  }

  @Test("without one nothing is different: neither frame nor capability")
  func open() throws {
    var pair = try pair(nil, nil)
    let link = try pair.connect()
    let (said, capabilities) = try pair.pumpHellos(link)
    #expect(capabilities == [7, 7] && !said.contains { $0.contains("handshake") })
    #expect(!pair.dialler.hasEnded && pair.dialler.results() == [.accepted(Self.other)])
  }

  @Test(
    "drivers that say nothing, or not enough, have so long; then both sides have the reason", arguments: [true, false])
  func deadline(isHalfDone: Bool) throws {
    var pair = try pair()
    let link = try opened(&pair)
    if isHalfDone { step(&pair.acceptor, link, nil, .authenticated) }
    try pair.pump(link)
    for _ in 0..<29 {
      pair.acceptor.wait(.milliseconds(100))
      pair.acceptor.send(.ping, on: link) { $0.write(UInt64(1)) }
    }
    #expect(pair.acceptor.closed.isEmpty)
    pair.acceptor.wait(.milliseconds(100))
    try pair.pump(link)
    let (own, foreign) = (
      HandshakeFailure(reason: "the drivers took too long", isOwn: true),
      HandshakeFailure(reason: "the drivers took too long", isOwn: false)
    )
    #expect(pair.acceptor.unauthenticated() == [.authenticationFailed(own)])
    #expect(pair.dialler.hasEnded)
    #expect(pair.dialler.results() == [.failed(.authenticationFailed(foreign))])
  }

  @Test("the time in which a process stood still is not held against drivers")
  func stoodStill() throws {
    var pair = try pair()
    let link = try opened(&pair)
    pair.acceptor.input(.clockJumped(by: .seconds(2)))
    for _ in 0..<49 {
      pair.acceptor.wait(.milliseconds(100))
      pair.acceptor.send(.ping, on: link) { $0.write(UInt64(1)) }
    }
    #expect(pair.acceptor.closed.isEmpty)
    pair.acceptor.wait(.milliseconds(100))
    #expect(pair.acceptor.closed == [link])
  }

  /// The ways to send too much: sizes of the data.
  private static let excesses = [
    [ProtocolLimits.handshakeData + 1],
    Array(repeating: 1, count: ProtocolLimits.handshakeSteps + 1),
    Array(repeating: ProtocolLimits.handshakeData, count: 3) + [1],
  ]

  @Test(
    "data that are too large, too many, or too much in all end the link; what is allowed does not", arguments: 0..<3)
  func excess(_ way: Int) throws {
    var probe = NodeProbe(driverTime: Self.time)
    let link = probe.greetWithDriver(1, Self.other)
    let sizes = Self.excesses[way]
    for size in sizes.dropLast() {
      probe.send(.handshake, on: link) { HandshakeFrame.data([UInt8](repeating: 7, count: size)).write(to: &$0) }
    }
    #expect(probe.closed.isEmpty)
    #expect(probe.data().count == sizes.count - 1)
    let last = sizes[sizes.count - 1]
    probe.send(.handshake, on: link) { HandshakeFrame.data([UInt8](repeating: 7, count: last)).write(to: &$0) }
    #expect(try probe.goodbye(on: link) == (way == 0 ? .protocolError : .limitExceeded))
    #expect(probe.data().isEmpty)
  }

  @Test("a step of an unknown kind is skipped, and counts for nothing")
  func unknownStep() throws {
    var probe = NodeProbe(driverTime: Self.time)
    let link = probe.greetWithDriver(1, Self.other)
    probe.send(.handshake, on: link) { $0.write(UInt8(3)) }
    #expect(probe.closed.isEmpty && probe.data().isEmpty)
    probe.send(.invite, on: link) { Invite(number: 1, wait: 30_000, context: []).write(to: &$0) }
    #expect(try probe.goodbye(on: link) == .protocolError)
  }

  @Test("a driver that sends more than is allowed is told so, and the other side is not flooded", arguments: 0..<3)
  func ownExcess(_ way: Int) throws {
    var probe = NodeProbe(driverTime: Self.time)
    let link = probe.greetWithDriver(1, Self.other)
    for size in Self.excesses[way] { step(&probe, link, [UInt8](repeating: 7, count: size)) }
    let frames = try probe.frames(on: link).filter { $0.type == .handshake }
    #expect(frames.count == Self.excesses[way].count, "all but the last, and the reason")
    #expect(frames.allSatisfy { $0.body.count <= HandshakeFrame.largest })
    #expect(probe.closed == [link])
  }

  @Test("a step that is not due ends the link", arguments: 0..<3)
  func outOfOrder(_ way: Int) throws {
    let passcode = way == 0 ? try Passcode("sesame 1") : nil
    var probe = NodeProbe(passcode: passcode, driverTime: way == 1 ? nil : Self.time)
    let link = probe.greetWithDriver(1, Self.other, passcode: way == 0, driver: way != 1)
    if way == 2 {
      // Behind the last word.
      probe.send(.handshake, on: link) { HandshakeFrame.authenticated.write(to: &$0) }
      #expect(probe.closed.isEmpty)
    }
    probe.send(.handshake, on: link) { HandshakeFrame.data([1]).write(to: &$0) }
    #expect(try probe.goodbye(on: link) == .protocolError)
    #expect(probe.data().isEmpty)
  }

  @Test(
    "a frame that invites or admits before both drivers are done ends the link",
    arguments: [FrameType.invite, .admit, .inviteAnswer, .inviteCancel])
  func notBefore(type: FrameType) throws {
    var probe = NodeProbe(driverTime: Self.time)
    let link = probe.greetWithDriver(1, Self.other)
    step(&probe, link, nil, .authenticated)
    probe.sendMembership(type, on: link)
    #expect(try probe.goodbye(on: link) == .protocolError)
    #expect(probe.node.memberSummaries.isEmpty)
  }

  @Test("the passcode comes first, then the drivers, then the people who compare a code")
  func order() throws {
    var pair = try pair(passcode: "sesame 1", showingCodes: true)
    let link = try pair.connect()
    let first = try pair.pump(link)
    #expect(first == ["> hello", "< hello", "> passcodeShare", "< passcodeAnswer", "> passcodeProof"])
    step(&pair.dialler, link, nil, .authenticated)
    step(&pair.acceptor, link, nil, .authenticated)
    #expect(try pair.pump(link) == ["> handshake", "< handshake", "> codeCommitment", "< codeNonce", "> codeReveal"])
    pair.dialler.input(.answerCode(link, isSame: true))
    pair.acceptor.input(.answerCode(link, isSame: true))
    try pair.pump(link)
    #expect(pair.dialler.results() == [.accepted(Self.other)])
  }

  @Test("an app that never gets its exporter does not connect")
  func noBinding() throws {
    var probe = NodeProbe(driverTime: Self.time)
    let link = probe.open(1, Self.other)
    #expect(probe.closed == [link])
  }
}

extension NodeProbe {
  /// A link on which both sides have said hello, and have drivers.
  fileprivate mutating func greetWithDriver(
    _ number: UInt64, _ peer: PeerID, passcode: Bool = false, driver: Bool = true
  ) -> LinkID {
    let link = LinkID(rawValue: number)
    open(link, peer, dial: nil, secrets: ProbePair.secrets(number, 2))
    var hello = Self.hello(peer)
    if driver { hello.capabilities.insert(.driver) }
    if passcode { hello.capabilities.insert(.passcode) }
    let greeting = hello
    send(.hello, on: link) { greeting.write(to: &$0) }
    return link
  }

  /// Whether a driver is needed no more.
  fileprivate var hasEnded: Bool { events.contains { if case .handshake(_, .ended) = $0 { true } else { false } } }

  /// Whether the app was told of a peer that was not authenticated.
  fileprivate var isTold: Bool { events.contains { if case .unauthenticated = $0 { true } else { false } } }

  /// The links that drivers were opened for since then.
  fileprivate mutating func openings() -> [HandshakeOpening] {
    takeHandshakes { if case .began(let opening) = $0 { opening } else { nil } }
  }

  /// The data that reached drivers since then.
  fileprivate mutating func data() -> [[UInt8]] {
    takeHandshakes { if case .received(let data) = $0 { data } else { nil } }
  }

  /// The reasons that the app was told.
  fileprivate mutating func unauthenticated() -> [EndReason] {
    takeEvents().compactMap { if case .unauthenticated(_, let reason) = $0 { reason } else { nil } }
  }

  private mutating func takeHandshakes<T>(_ body: (HandshakeNews) -> T?) -> [T] {
    takeEvents().compactMap { if case .handshake(_, let news) = $0 { body(news) } else { nil } }
  }
}

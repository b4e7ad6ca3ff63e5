import Authentication
import Basics
import PeerProtocol
import Testing
import WorldModel

@Suite("The passcode of a room")
struct PairingTests {
  private static let other = NodeProbe.peer(1)

  private func pair(_ first: String?, _ second: String?) throws -> ProbePair {
    ProbePair(
      try NodeProbe(passcode: first.map { try Passcode($0) }),
      try NodeProbe(passcode: second.map { try Passcode($0) }, me: Self.other))
  }

  @Test("two peers that know it prove it to each other before either invites or admits")
  func proven() throws {
    var pair = try pair("sesame 1", "sesame 1")
    let link = try pair.connect()
    let said = try pair.pump(link)
    let first = [
      "> hello", "< hello", "> passcodeShare", "< passcodeAnswer", "> passcodeProof", "> invite", "< inviteAnswer",
    ]
    #expect(Array(said.prefix(first.count)) == first)
    #expect(pair.dialler.node.memberSummaries.map(\.isDirect) == [true])
    #expect(pair.acceptor.node.memberSummaries.map(\.isDirect) == [true])
    #expect(pair.dialler.results() == [.accepted(Self.other)])
  }

  @Test("with another passcode nothing is said but that it is wrong")
  func wrong() throws {
    var pair = try pair("sesame 1", "sesame 2")
    let link = try pair.connect()
    #expect(try pair.pump(link) == ["> hello", "< hello", "> passcodeShare", "< passcodeAnswer", "> goodbye"])
    #expect(pair.dialler.results() == [.failed(.passcodeRefused)])
    #expect(pair.acceptor.node.memberSummaries.isEmpty && pair.dialler.node.memberSummaries.isEmpty)
  }

  @Test(
    "a peer without a passcode, such as one of an older version, is told that there is one", arguments: [true, false])
  func required(diallerHasIt: Bool) throws {
    var pair = try pair(diallerHasIt ? "sesame 1" : nil, diallerHasIt ? nil : "sesame 1")
    let link = try pair.connect()
    // The acceptor refuses before it says who it is.
    #expect(try pair.pump(link) == ["> hello", "< goodbye"])
    #expect(pair.dialler.results() == [.failed(.passcodeRequired)])
  }

  @Test("without one nothing is different: neither frame nor capability")
  func open() throws {
    var pair = try pair(nil, nil)
    let link = try pair.connect()
    let (said, capabilities) = try pair.pumpHellos(link)
    #expect(capabilities == [7, 7] && !said.contains { $0.contains("passcode") })
    #expect(pair.dialler.results() == [.accepted(Self.other)])
  }

  @Test(
    "a frame that invites or admits before the proof ends the link",
    arguments: [FrameType.invite, .admit, .inviteAnswer, .inviteCancel])
  func early(type: FrameType) throws {
    var probe = try NodeProbe(passcode: Passcode("sesame 1"))
    let link = LinkID(rawValue: 1)
    probe.open(link, Self.other, dial: nil, secrets: ProbePair.secrets(1, 2))
    probe.greetWithPasscode(link, Self.other)
    _ = try probe.frames(on: link)
    probe.sendMembership(type, on: link)
    #expect(try probe.goodbye(on: link) == .protocolError)
    #expect(probe.node.memberSummaries.isEmpty)
  }

  @Test("an invitation that is accepted when another link has taken over is not answered there before the proof")
  func takenOver() throws {
    var pair = try pair("sesame 1", "sesame 1")
    let first = try pair.connect()
    var invite: [UInt8] = []
    try pair.pump(first) { _, type, body in
      if type == .invite { invite = body }
      return type != .invite
    }
    pair.acceptor.send(.invite, on: first) { $0.write(bytes: invite) }
    let second = LinkID(rawValue: 9)
    pair.acceptor.open(second, NodeProbe.me, dial: nil, secrets: ProbePair.secrets(9, 2))
    var hello = NodeProbe.hello(NodeProbe.me, incarnation: 1)
    hello.capabilities.insert(.passcode)
    let greeting = hello
    pair.acceptor.send(.hello, on: second) { greeting.write(to: &$0) }
    #expect(try pair.acceptor.goodbye(on: first) == .duplicate)
    for case .invitationReceived(let id, _, _, _) in pair.acceptor.events { pair.acceptor.input(.answer(id, .accept)) }
    #expect(try pair.acceptor.frames(on: second).map(\.type) == [.hello])
  }

  @Test("Fault 7: a man in the middle of two TLS connections who passes everything on is refused")
  func manInTheMiddle() throws {
    var pair = try pair("sesame 1", "sesame 1")
    let link = try pair.connect(exporters: (1, 2))
    let said = try pair.pump(link)
    #expect(said.last == "> goodbye" && !said.contains("> invite"))
    #expect(pair.dialler.results() == [.failed(.passcodeRefused)])
  }

  @Test("a step that comes twice, or to the side that sends it, ends the link", arguments: [0, 1, 2])
  func replayed(step: Int) throws {
    let types: [FrameType] = [.passcodeShare, .passcodeAnswer, .passcodeProof]
    var pair = try pair("sesame 1", "sesame 1")
    let link = try pair.connect()
    var copy: [UInt8] = []
    try pair.pump(link) { _, type, body in
      if type == types[step] { copy = body }
      return type != .invite
    }
    if step == 1 {
      pair.dialler.send(types[step], on: link) { $0.write(bytes: copy) }
      #expect(try pair.dialler.goodbye(on: link) == .protocolError)
    } else {
      pair.acceptor.send(types[step], on: link) { $0.write(bytes: copy) }
      #expect(try pair.acceptor.goodbye(on: link) == .protocolError)
    }
  }

  @Test("Fault 9: a share that is no element ends the link, and counts as a wrong passcode")
  func invalidShare() throws {
    var room = try Room()
    for number in 1...20 {
      let link = room.open(number)
      room.probe.send(.passcodeShare, on: link) { $0.write(bytes: [UInt8](repeating: 0, count: 32)) }
      #expect(try room.probe.goodbye(on: link) == .passcodeRefused)
    }
    let link = room.open(21)
    room.probe.send(.passcodeShare, on: link) { $0.write(bytes: [UInt8](repeating: 0, count: 32)) }
    #expect(try room.probe.goodbye(on: link) == .passcodeLocked)
  }

  @Test("an attempt that breaks off and starts over on a new connection succeeds; the first was a wrong guess")
  func restarted() throws {
    var pair = try pair("sesame 1", "sesame 1")
    let first = try pair.connect()
    try pair.pump(first) { _, type, _ in type != .passcodeProof && type != .invite }
    pair.dialler.input(.linkClosed(first))
    pair.acceptor.input(.linkClosed(first))
    let second = try pair.connect()
    // Within a second the device has to wait, on the connection that it has.
    #expect(try pair.pump(second).last == "< passcodeWait")
    pair.dialler.wait(.seconds(1))
    pair.acceptor.wait(.seconds(1))
    try pair.pump(second)
    #expect(pair.dialler.results().last == .accepted(Self.other))
  }

  @Test("who is told of a long wait ends the connection and knows the time; of a short one it waits")
  func toldToWait() throws {
    for (milliseconds, result) in [(16_000, InvitationResult.failed(.passcodeWait(.seconds(16)))), (8_000, nil)] {
      var pair = try pair("sesame 1", "sesame 1")
      let link = try pair.connect()
      try pair.pump(link) { _, type, _ in type != .passcodeAnswer }
      pair.dialler.send(.passcodeWait, on: link) { $0.write(UInt32(milliseconds)) }
      #expect(pair.dialler.results().last == result)
    }
  }

  @Test("a time to wait is no step of who has dialled, nor of a proof that is over")
  func strayWait() throws {
    var pair = try pair("sesame 1", "sesame 1")
    let link = try pair.connect()
    try pair.pump(link)
    pair.dialler.send(.passcodeWait, on: link) { $0.write(UInt32(1)) }
    pair.acceptor.send(.passcodeWait, on: link) { $0.write(UInt32(1)) }
    #expect(pair.dialler.closed == [link] && pair.acceptor.closed == [link])
  }
}

/// A node with a passcode, and strangers that try to guess it.
private struct Room {
  static let passcode = "sesame 1"
  var probe: NodeProbe
  private var links: UInt64 = 0

  init() throws {
    probe = try NodeProbe(passcode: Passcode(Self.passcode))
  }

  /// A stranger has dialled, from an address of its own, and said hello.
  mutating func open(_ number: Int, at address: Int? = nil) -> LinkID {
    links += 1
    let link = LinkID(rawValue: links)
    let remote = SocketAddress(host: .ipv4(0x0a00_0000 + UInt32(address ?? number)), port: 50_000)
    probe.open(link, NodeProbe.peer(number), dial: nil, secrets: ProbePair.secrets(links, 2), from: remote)
    probe.greetWithPasscode(link, NodeProbe.peer(number))
    return link
  }

  /// The secrets of a stranger's end of a connection.
  private func secrets(_ link: UInt64) throws -> ChannelSecrets {
    try #require(ProbePair.secrets(link, 1).passcode)
  }

  /// A stranger's attempt at the room, which has not been answered.
  struct Attempt {
    let link: LinkID
    var exchange: PasscodeExchange
  }

  /// A stranger shows what tests a passcode.
  mutating func begin(_ number: Int, at address: Int? = nil, _ text: String) throws -> Attempt {
    let link = open(number, at: address)
    var exchange = try PasscodeExchange(
      .initiator, passcode: Passcode(text), initiator: NodeProbe.peer(number).bytes, responder: NodeProbe.me.bytes,
      secrets: try secrets(links))
    let share = try exchange.begin()
    probe.send(.passcodeShare, on: link) { $0.write(bytes: share) }
    return Attempt(link: link, exchange: exchange)
  }

  /// The reason that an attempt ends for, the time that it has to wait, or nil if its passcode was right.
  mutating func finish(_ attempt: Attempt) throws -> EndReason? {
    let frames = try probe.frames(on: attempt.link)
    if let wait = frames.last(where: { $0.type == .passcodeWait })?.body {
      var reader = ByteReader(wait.span)
      return .passcodeWait(.milliseconds(Int64(try reader.read(UInt32.self))))
    }
    guard let answer = frames.first(where: { $0.type == .passcodeAnswer })?.body else {
      return try frames.last { $0.type == .goodbye }.map { try Goodbye(body: $0.body.span.bytes).reason }
    }
    var exchange = attempt.exchange
    let reply = PasscodeExchange.Answer(share: Array(answer.prefix(32)), tag: Array(answer.dropFirst(32)))
    let proof = (try? exchange.receive(answer: reply)) ?? [UInt8](repeating: 0, count: 64)
    probe.send(.passcodeProof, on: attempt.link) { $0.write(bytes: proof) }
    return try probe.goodbye(on: attempt.link)
  }

  /// A stranger tries a passcode.
  mutating func attempt(_ number: Int, at address: Int? = nil, _ text: String) throws -> EndReason? {
    try finish(begin(number, at: address, text))
  }

  /// The room invites a service, which shows that it has another passcode; the reason that the link ends for.
  mutating func dial(_ number: Int) throws -> EndReason? {
    links += 1
    let link = LinkID(rawValue: links)
    let address = SocketAddress(host: .ipv4(0x0a00_0000 + UInt32(number)), port: 4000)
    probe.input(.invite(InvitationID(rawValue: links), [address], context: [], timeout: .seconds(30)))
    let dial = try #require(probe.dials.last).dial
    probe.open(link, NodeProbe.peer(number), dial: dial, secrets: ProbePair.secrets(links, 2), from: address)
    probe.greetWithPasscode(link, NodeProbe.peer(number))
    if try probe.frames(on: link).contains(where: { $0.type == .passcodeShare }) {
      probe.send(.passcodeAnswer, on: link) { $0.write(bytes: [UInt8](repeating: 9, count: 96)) }
      return try probe.goodbye(on: link)
    }
    return probe.results().compactMap { if case .failed(let reason) = $0 { reason } else { nil } }.last
  }

  /// Lets time pass, in which these attempts show that they are alive.
  mutating func wait(_ time: Duration, keeping attempts: Attempt...) {
    probe.wait(time, keeping: attempts.map(\.link))
  }

  /// How often the app was told that the room is locked.
  mutating func locks() -> Int { probe.takeEvents().count { if case .passcodeLocked = $0 { true } else { false } } }
}

extension NodeProbe {
  /// Says a hello that offers the proof of a passcode.
  fileprivate mutating func greetWithPasscode(_ link: LinkID, _ peer: PeerID) {
    var hello = Self.hello(peer)
    hello.capabilities.insert(.passcode)
    let greeting = hello
    send(.hello, on: link) { greeting.write(to: &$0) }
  }
}

@Suite("Guesses of a passcode")
struct PasscodeGuessTests {
  @Test("Fault 10: 20 wrong passcodes of 20 identities lock the room, for those that know it too, until it is unlocked")
  func locked() throws {
    var room = try Room()
    #expect(try room.attempt(100, Room.passcode) == nil)
    for number in 1...20 {
      #expect(room.locks() == 0)
      #expect(try room.attempt(number, "guess \(number)") == .passcodeRefused)
    }
    #expect(room.locks() == 1)
    #expect(try room.attempt(21, "guess 21") == .passcodeLocked)
    #expect(try room.attempt(22, Room.passcode) == .passcodeLocked)
    #expect(room.locks() == 0)
    // The key that has proven it comes back.
    #expect(try room.attempt(100, Room.passcode) == nil)
    room.probe.input(.unlockPasscode)
    #expect(try room.attempt(22, Room.passcode) == nil)
  }

  @Test("a device waits 1, 2, 4 and 8 s after its wrong passcodes, whatever its address; others need not")
  func deviceWaits() throws {
    var room = try Room()
    #expect(try room.attempt(1, at: 10, "guess 1") == .passcodeRefused)
    for (count, wait) in [1, 2, 4, 8].enumerated() {
      let held = try room.begin(1, at: 20 + count, "guess \(wait)")
      #expect(try room.finish(held) == .passcodeWait(.seconds(wait)))
      #expect(try room.attempt(50 + count, Room.passcode) == nil)
      room.wait(.seconds(wait) - .milliseconds(1), keeping: held)
      #expect(try room.finish(held) == nil)
      room.wait(.milliseconds(1), keeping: held)
      #expect(try room.finish(held) == .passcodeRefused)
    }
    let refused = try room.begin(1, at: 30, Room.passcode)
    #expect(try room.finish(refused) == .passcodeWait(.seconds(16)))
    #expect(room.probe.closed.contains(refused.link))
    room.probe.wait(.seconds(16))
    #expect(try room.attempt(1, Room.passcode) == nil)
  }

  @Test("so does an address, whatever the device; a right passcode comes in at the end, one device at a time")
  func addressWaits() throws {
    var room = try Room()
    #expect(try room.attempt(1, at: 9, "guess 1") == .passcodeRefused)
    let attempts = try [(2, "guess 2"), (3, Room.passcode), (4, Room.passcode)].map {
      try room.begin($0.0, at: 9, $0.1)
    }
    for attempt in attempts { #expect(try room.finish(attempt) == .passcodeWait(.seconds(1))) }
    let (first, second, third) = (attempts[0], attempts[1], attempts[2])
    room.wait(.seconds(1), keeping: first, second, third)
    #expect(try room.finish(first) == .passcodeRefused)
    room.wait(.seconds(1), keeping: second, third)
    // The wrong one has doubled the wait of the others.
    #expect(try room.finish(second) == .passcodeWait(.seconds(1)))
    room.wait(.seconds(1), keeping: second, third)
    #expect(try room.finish(second) == nil)
    #expect(room.probe.node.isLinked(to: NodeProbe.peer(3)))
    #expect(!room.probe.node.isLinked(to: NodeProbe.peer(4)))
    room.wait(.seconds(1), keeping: third)
    #expect(try room.finish(third) == nil)
    #expect(room.probe.node.isLinked(to: NodeProbe.peer(4)))
  }

  @Test("who guards the room hears of each wrong passcode: whose, from where, and how many are left")
  func guarded() throws {
    var room = try Room()
    _ = try room.attempt(7, "guess 1")
    _ = try room.attempt(8, Room.passcode)
    let told = room.probe.takeEvents().compactMap { event -> String? in
      if case .passcodeWrong(let peer, let host, let left) = event {
        "\(peer == NodeProbe.peer(7)) \(host) \(left)"
      } else {
        nil
      }
    }
    #expect(told == ["true 10.0.0.7 19"])
  }

  @Test(
    "rooms that this one dials and that have other passcodes lock it for nobody, and see 20 of its own in four hours")
  func ownAttempts() throws {
    var room = try Room()
    for number in 1...20 { #expect(try room.dial(number) == .passcodeRefused) }
    #expect(try room.dial(21) == .passcodeLocked)
    #expect(room.locks() == 0)
    #expect(try room.attempt(1, Room.passcode) == nil && room.probe.node.isLinked(to: NodeProbe.peer(1)))
    room.probe.now += .seconds(4 * 3600)
    #expect(try room.dial(23) == .passcodeRefused)
  }

  @Test("a guess that is broken off, instead of being shown to be wrong, counts as one", arguments: [true, false])
  func brokenOff(bySilence: Bool) throws {
    var room = try Room()
    for number in 1...20 {
      let link = room.open(number)
      var exchange = try PasscodeExchange(
        .initiator, passcode: Passcode("guess 1"), initiator: NodeProbe.peer(number).bytes,
        responder: NodeProbe.me.bytes, secrets: try #require(ProbePair.secrets(1, 1).passcode))
      let share = try exchange.begin()
      room.probe.send(.passcodeShare, on: link) { $0.write(bytes: share) }
      if !bySilence { room.probe.input(.linkClosed(link)) }
    }
    // Also while the answers are still on their way nobody gets a 21st.
    #expect(try room.attempt(21, Room.passcode) == .passcodeLocked)
    if bySilence { room.probe.wait(.seconds(11)) }
    #expect(room.locks() == 1)
  }
}

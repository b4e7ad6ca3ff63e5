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
    #expect(pair.dialler.node.memberSnapshots.map(\.isDirect) == [true])
    #expect(pair.acceptor.node.memberSnapshots.map(\.isDirect) == [true])
    #expect(pair.dialler.results() == [.accepted(Self.other)])
  }

  @Test("with another passcode nothing is said but that it is wrong")
  func wrong() throws {
    var pair = try pair("sesame 1", "sesame 2")
    let link = try pair.connect()
    #expect(try pair.pump(link) == ["> hello", "< hello", "> passcodeShare", "< passcodeAnswer", "> goodbye"])
    #expect(pair.dialler.results() == [.failed(.passcodeRefused)])
    #expect(pair.acceptor.node.memberSnapshots.isEmpty && pair.dialler.node.memberSnapshots.isEmpty)
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
    #expect(probe.node.memberSnapshots.isEmpty)
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
    // Within a second the device has to wait.
    try pair.pump(second)
    #expect(pair.dialler.results().last == .failed(.passcodeLocked))
    pair.dialler.now += .seconds(1)
    pair.acceptor.now += .seconds(1)
    let third = try pair.connect()
    try pair.pump(third)
    #expect(pair.dialler.results() == [.accepted(Self.other)])
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

  /// A stranger tries a passcode; the reason that its link ends for, or nil if it was right.
  mutating func attempt(_ number: Int, at address: Int? = nil, _ text: String) throws -> EndReason? {
    let link = open(number, at: address)
    var exchange = try PasscodeExchange(
      .initiator, passcode: Passcode(text), initiator: NodeProbe.peer(number).bytes, responder: NodeProbe.me.bytes,
      secrets: try secrets(links))
    let share = try exchange.begin()
    probe.send(.passcodeShare, on: link) { $0.write(bytes: share) }
    let frames = try probe.frames(on: link)
    guard let answer = frames.first(where: { $0.type == .passcodeAnswer })?.body else {
      return try frames.last.map { try Goodbye(body: $0.body.span.bytes).reason }
    }
    let reply = PasscodeExchange.Answer(share: Array(answer.prefix(32)), tag: Array(answer.dropFirst(32)))
    let proof = (try? exchange.receive(answer: reply)) ?? [UInt8](repeating: 0, count: 64)
    probe.send(.passcodeProof, on: link) { $0.write(bytes: proof) }
    return try probe.goodbye(on: link)
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
    for (count, wait) in [1, 2, 4, 8].enumerated() {
      #expect(try room.attempt(1, at: 10 + count, "guess \(count)") == .passcodeRefused)
      room.probe.now += .seconds(wait) - .milliseconds(1)
      #expect(try room.attempt(1, at: 20 + count, Room.passcode) == .passcodeLocked)
      #expect(try room.attempt(50 + count, Room.passcode) == nil)
      room.probe.now += .milliseconds(1)
    }
    #expect(try room.attempt(1, Room.passcode) == nil)
  }

  @Test("so does an address, whatever the device")
  func addressWaits() throws {
    var room = try Room()
    for (count, wait) in [1, 2, 4].enumerated() {
      #expect(try room.attempt(1 + count, at: 9, "guess \(count)") == .passcodeRefused)
      room.probe.now += .seconds(wait) - .milliseconds(1)
      #expect(try room.attempt(30 + count, at: 9, Room.passcode) == .passcodeLocked)
      room.probe.now += .milliseconds(1)
    }
    #expect(try room.attempt(40, at: 9, Room.passcode) == nil)
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

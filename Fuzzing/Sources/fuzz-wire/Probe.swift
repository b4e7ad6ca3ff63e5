import AnchorReplication
import Authentication
import Basics
import PeerProtocol
import WorldModel

/// A node with one link, driven by hand.
struct Probe {
  private var node: Node
  private var now = Instant(nanoseconds: 1_000_000_000)
  private var invitation: InvitationID?
  private var turns = 0
  private let link = LinkID(rawValue: 1)

  /// The peer that Fixtures/Wire calls the origin.
  private static let other = NodeID(
    peer: PeerID(bytes: Array(0..<32)) ?? PeerID(SHA256Digest(hashing: [])), incarnation: 0x1122_3344_5566_7788)

  private let hasDriver: Bool
  /// The other side of the proof of the passcode, which has it too.
  private var prover: PasscodeExchange?
  /// The node's answer to its share.
  private var answer: PasscodeExchange.Answer?

  /// - Parameters:
  ///   - compares: Whether the node asks for a comparison of codes, which its user confirms.
  ///   - hasDriver: Whether the app has a driver, which sends all back and authenticates by the first data that are not empty.
  ///   - hasPasscode: Whether the room has a passcode, which the other side has too.
  init(compares: Bool = false, hasDriver: Bool = false, hasPasscode: Bool = false) {
    self.hasDriver = hasDriver
    let me = PeerID(SHA256Digest(hashing: Array("me".utf8)))
    let address = SocketAddress.loopback(port: 4000)
    var configuration = NodeConfiguration(
      peerID: me, incarnation: 1, name: "me", service: "test", addresses: [address], seed: 1)
    configuration.showsCodes = compares
    configuration.compared = compares ? [] : nil
    configuration.driverTime = hasDriver ? .seconds(10) : nil
    let passcode = hasPasscode ? try? Passcode("correct horse") : nil
    configuration.passcode = passcode
    node = Node(configuration, at: now)
    let zeros = [UInt8](repeating: 0, count: 32)
    let secrets = ChannelSecrets(exporter: zeros, entropy: SecretBytes(copying: zeros + zeros))
    prover = passcode.flatMap { passcode in
      try? PasscodeExchange(
        .initiator, passcode: passcode, initiator: Self.other.peer.bytes, responder: me.bytes, secrets: secrets)
    }
    handle(
      .linkOpened(
        link, peer: Self.other.peer, dial: nil, remote: .loopback(port: 50_000),
        secrets: LinkSecrets(
          passcode: hasPasscode ? secrets : nil, code: compares ? secrets : nil, driver: hasDriver ? zeros : nil)))
  }

  static func frame(_ type: UInt8, _ body: [UInt8]) -> [UInt8] {
    var writer = ByteWriter()
    writer.write(UInt32(body.count))
    writer.write(type)
    writer.write(bytes: body)
    return writer.bytes
  }

  mutating func greet() {
    var writer = ByteWriter()
    writer.writeFrame(.hello) { writer in
      Hello(
        capabilities: .current.union(.showsCodes).union(hasDriver ? Capabilities(rawValue: 1 << 6) : []),
        peerID: Self.other.peer, incarnation: Self.other.incarnation,
        service: "test", name: "other", instance: "",
        addresses: []
      ).write(to: &writer)
    }
    receive(writer.bytes)
  }

  /// Makes the other side a member, by an invitation that the app accepts.
  mutating func join() {
    var writer = ByteWriter()
    writer.writeFrame(.invite) { Invite(number: 1, wait: 30_000, context: []).write(to: &$0) }
    receive(writer.bytes)
    guard let invitation else { preconditionFailure("an invitation did not reach the app") }
    handle(.answer(invitation, .accept))
    receive(Self.frame(FrameType.admit.rawValue, []))
  }

  /// The body of a frame of the proof as one who has the passcode would send it.
  mutating func honest(_ type: FrameType?) -> [UInt8] {
    switch type {
    case .passcodeShare: return (try? prover?.begin()) ?? []
    case .passcodeProof:
      guard let answer else { return [] }
      return (try? prover?.receive(answer: answer)) ?? []
    default: return []
    }
  }

  mutating func receive(_ bytes: [UInt8]) {
    node.receive(bytes.span.bytes, on: link, at: now)
    drain()
  }

  /// Lets time pass, with the ticks the node asks for.
  mutating func wait(_ duration: Duration) {
    let end = now + duration
    while let deadline = node.deadline, deadline <= end {
      turns += 1
      precondition(turns < 100_000, "the node asks for ticks without end")
      now = max(now, deadline)
      handle(.tick)
    }
    now = end
  }

  /// Whatever was received, the anchors are in order.
  mutating func check() {
    precondition(node.allAnchors.allSatisfy { (try? $0.validate()) != nil })
    var anchors = node.anchors
    let bytes = anchors.encodeSnapshot()
    var copy = AnchorSet(actor: ActorID(peer: Self.other.peer, incarnation: 99))
    precondition((try? copy.merge(snapshot: bytes.span.bytes)) != nil && copy.digest == anchors.digest)
  }

  private mutating func handle(_ input: Input) {
    node.handle(input, at: now)
    drain()
  }

  private mutating func drain() {
    while let output = node.nextOutput() {
      switch output {
      case .transmit(let link, let bytes):
        // A header of five bytes; the tag has 64 behind the share.
        if prover != nil, bytes.count == 5 + 32 + 64, bytes[4] == FrameType.passcodeAnswer.rawValue {
          answer = PasscodeExchange.Answer(share: Array(bytes[5..<37]), tag: Array(bytes[37...]))
        }
        node.handle(.writable(link), at: now)
      case .connect(let dial, _): node.handle(.dialFailed(dial, refused: false), at: now)
      case .event(.invitationReceived(let id, _, _, _)): invitation = id
      case .event(.handshake(let link, .began)): node.handle(.driverStep(link, HandshakeStep(sending: [1])), at: now)
      case .event(.handshake(let link, .received(let data))):
        let verdict: HandshakeStep.Verdict = data.isEmpty ? .undecided : .authenticated
        node.handle(.driverStep(link, HandshakeStep(sending: data, verdict)), at: now)
      case .event(.codeShown(let link, _, _)): node.handle(.answerCode(link, isSame: true), at: now)
      default: break
      }
    }
  }
}

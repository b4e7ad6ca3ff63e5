import Authentication
import Basics
import PeerProtocol
import WorldModel

/// A stranger that has dialled a node and compares a code with it, step by step.
struct CodeStranger {
  let link: LinkID
  private let peer: PeerID
  private let remote: SocketAddress
  private let connection: UInt64

  /// The stranger with this number, at an address of its own unless another one is given.
  init(_ number: Int, at address: Int? = nil) {
    connection = UInt64(number * 1_000 + (address ?? 0))
    link = LinkID(rawValue: connection)
    peer = NodeProbe.peer(number)
    remote = SocketAddress(host: .ipv4(0x0a00_0000 + UInt32(address ?? number)), port: 50_000)
  }

  /// Connects and says hello.
  func greet(_ probe: inout NodeProbe, capabilities: Capabilities = []) {
    probe.open(link, peer, dial: nil, secrets: ProbePair.secrets(connection, 2), from: remote)
    var hello = NodeProbe.hello(peer)
    hello.capabilities.formUnion(capabilities.union(.showsCodes))
    let greeting = hello
    probe.send(.hello, on: link) { greeting.write(to: &$0) }
  }

  /// Says hello and sends its commitment; the reason of the goodbye that follows, nil if a nonce does.
  @discardableResult
  mutating func begin(_ probe: inout NodeProbe, capabilities: Capabilities = []) throws -> EndReason? {
    try begin(&probe, capabilities).goodbye
  }

  /// Goes on until the node shows the code.
  mutating func compare(_ probe: inout NodeProbe) throws -> EndReason? {
    let (exchange, nonce, goodbye) = try begin(&probe, [])
    guard var exchange, let nonce else { return goodbye }
    let reveal = try exchange.receive(nonce: nonce)
    probe.send(.codeReveal, on: link) { $0.write(bytes: reveal) }
    return nil
  }

  private func begin(
    _ probe: inout NodeProbe, _ capabilities: Capabilities
  ) throws -> (exchange: CodeExchange?, nonce: [UInt8]?, goodbye: EndReason?) {
    greet(&probe, capabilities: capabilities)
    guard let secrets = ProbePair.secrets(connection, 1).code else { return (nil, nil, nil) }
    var exchange = CodeExchange(
      .initiator, initiator: peer.bytes, responder: NodeProbe.me.bytes, secrets: secrets)
    let commitment = try exchange.begin()
    probe.send(.codeCommitment, on: link) { $0.write(bytes: commitment) }
    let frames = try probe.frames(on: link)
    if let nonce = frames.first(where: { $0.type == .codeNonce })?.body { return (exchange, nonce, nil) }
    let goodbye = frames.last { $0.type == .goodbye }
    return (nil, nil, try goodbye.map { try Goodbye(body: $0.body.span.bytes).reason })
  }
}

extension NodeProbe {
  /// The digits that the app was asked to show.
  var shownCodes: [ComparisonCode] {
    events.compactMap { if case .codeShown(_, _, let code) = $0 { code } else { nil } }
  }

  /// How comparisons have ended.
  var endedComparisons: [Bool] {
    events.compactMap { if case .codeEnded(_, _, let isConfirmed) = $0 { isConfirmed } else { nil } }
  }

  /// A connection of `peer` comes in, with its secrets.
  mutating func open(_ number: UInt64, _ peer: PeerID, secrets: LinkSecrets) -> LinkID {
    let link = LinkID(rawValue: number)
    open(link, peer, dial: nil, secrets: secrets)
    return link
  }

  /// Says hello on a link, invites and admits as `peer`; the app accepts.
  mutating func join(_ link: LinkID, _ peer: PeerID) {
    send(.hello, on: link) { Self.hello(peer).write(to: &$0) }
    send(.invite, on: link) { Invite(number: 1, wait: 30_000, context: []).write(to: &$0) }
    for case .invitationReceived(let id, _, _, _) in events { input(.answer(id, .accept)) }
    send(.admit, on: link)
  }
}

extension ProbePair {
  /// Both people confirm, and everything that follows is passed on.
  mutating func confirm(_ link: LinkID) throws {
    dialler.input(.answerCode(link, isSame: true))
    acceptor.input(.answerCode(link, isSame: true))
    try pump(link)
  }

  /// Both nodes exchange a code, and both people confirm.
  mutating func compare(_ link: LinkID) throws {
    try pump(link)
    try confirm(link)
  }

  /// Lets seconds pass on both sides, in which the link shows that it is alive.
  mutating func wait(seconds: Int, keeping link: LinkID) {
    dialler.wait(seconds: seconds, keeping: [link])
    acceptor.wait(seconds: seconds, keeping: [link])
  }
}

import Authentication
import Basics
import PeerProtocol
import PeerTransport
import TestSupport
import Testing
import WorldModel

@testable import SharedWorld

/// An attacker with a key of its own between two sessions, on real sockets and with real TLS on either side.
@Suite("Attack: a man in the middle", .endsHangs)
struct ManInTheMiddleTests {
  /// Runs `body` with two sessions and the address of an attacker that passes everything on to the second one.
  private static func attacked(
    passcode: String?, driver: (@Sendable (AuthenticationContext) -> any Authenticator)? = nil,
    screens: [@Sendable (CodeComparison) async -> Bool] = [],
    _ body: @Sendable (Session, Session, Middleman, InvitationTarget) async throws -> Void
  ) async throws {
    var configuration = TestSessions.configuration()
    configuration.authentication.passcode = try passcode.map { try Passcode($0) }
    configuration.authentication.authenticator = driver
    configuration.authentication.codeHandler = screens.first
    if !screens.isEmpty { configuration.authentication.trust = .code(PinStore(path: "/nonexistent/known-peers")) }
    let settings = configuration
    configuration.authentication.codeHandler = screens.last
    let others = configuration
    try await Session.withSession(as: TestSessions.identity("alice"), configuration: settings) { alice in
      try await Session.withSession(as: TestSessions.identity("bob"), configuration: others) { bob in
        let mallory = try Middleman(to: bob.port)
        let target = InvitationTarget.address(PeerAddress(host: "127.0.0.1", port: try await mallory.start()))
        try await body(alice, bob, mallory, target)
        await mallory.stop()
      }
    }
  }

  @Test("Fault 7: with a passcode neither side admits the attacker, though it passes every step of the proof on")
  func passcode() async throws {
    try await Self.attacked(passcode: "sesame 1") { alice, bob, mallory, target in
      let error = await #expect(throws: SessionError.self) { try await alice.peers.invite(target) }
      #expect(error?.code == .passcodeRefused)
      // The proof has begun on both connections, and nobody has invited or admitted.
      let passed = await mallory.passed
      #expect(
        passed.starts(with: [.passcodeShare, .passcodeAnswer]) && passed.dropFirst(2).allSatisfy { $0 == .goodbye })
      #expect(await alice.state.peers.isEmpty)
      #expect(await bob.state.peers.isEmpty)
    }
  }

  @Test("Fault 7: drivers that prove the channel binding refuse the attacker, though it passes every step on")
  func driver() async throws {
    try await Self.attacked(passcode: nil, driver: { ProofDriver(secret: "s", context: $0) }) {
      alice, bob, mallory, target in
      let error = await #expect(throws: SessionError.self) { try await alice.peers.invite(target) }
      #expect(error?.code == .authenticationFailed)
      let passed = await mallory.passed
      #expect(passed.first == .handshake && passed.allSatisfy { [.handshake, .goodbye].contains($0) })
      #expect(await alice.state.peers.isEmpty)
      #expect(await bob.state.peers.isEmpty)
    }
  }

  @Test("Fault 7: two people who compare codes see different ones when the attacker exchanges one with each of them")
  func codes() async throws {
    let screens = Screens()
    let person: @Sendable (CodeComparison) async -> Bool = { await screens.compare($0.code) }
    try await Self.attacked(passcode: nil, screens: [person, person]) { alice, bob, mallory, target in
      await mallory.play()
      let error = await #expect(throws: SessionError.self) { try await alice.peers.invite(target) }
      #expect(error?.code == .codeRefused)
      let codes = await screens.codes
      #expect(codes.count == 2 && codes.first != codes.last)
      #expect(await alice.state.peers.isEmpty)
      #expect(await bob.state.peers.isEmpty)
    }
  }

  @Test("Fault 8: an attacker who passes the steps of a code on is refused before the second screen shows one")
  func codePassedOn() async throws {
    let (cancelled, cancel) = AsyncStream.makeStream(of: Void.self)
    let first: @Sendable (CodeComparison) async -> Bool = { _ in
      let never = AsyncStream.makeStream(of: Never.self)
      for await _ in never.stream {}
      cancel.yield()
      return true
    }
    let second: @Sendable (CodeComparison) async -> Bool = { _ in
      Issue.record("a code is shown")
      return true
    }
    try await Self.attacked(passcode: nil, screens: [first, second]) { alice, bob, mallory, target in
      let error = await #expect(throws: SessionError.self) { try await alice.peers.invite(target) }
      #expect(error?.code == .notConnected)
      for await _ in cancelled { break }
      let passed = await mallory.passed
      #expect(passed.starts(with: [.codeCommitment, .codeNonce, .codeReveal]))
      #expect(passed.dropFirst(3).allSatisfy { $0 == .goodbye })
      #expect(await bob.state.peers.isEmpty)
    }
  }

  @Test("without one, an invitation that names the key does not reach the attacker's name")
  func expectedKey() async throws {
    try await Self.attacked(passcode: nil) { alice, bob, mallory, target in
      let error = await #expect(throws: SessionError.self) {
        try await alice.peers.invite(target, expecting: bob.localPeer.id)
      }
      #expect(error?.code == .identityMismatch)
      // Bob may have parted from a stranger that says no more, and Alice has said nothing at all.
      #expect(await mallory.passed.allSatisfy { $0 == .goodbye })
      #expect(await alice.state.peers.isEmpty)
    }
  }
}

/// Accepts a connection, makes one to its victim, says hello on both with its own key, and passes on all other frames.
private actor Middleman: SecureTransportDelegate {
  private nonisolated let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  private let id: PeerID
  private let identity: TLSIdentity
  private let victim: SocketAddress
  private var transport: SecureTransport?
  private var links: (inbound: LinkID?, outbound: LinkID?) = (nil, nil)
  private var buffers: [LinkID: [UInt8]] = [:]
  private var hello: [UInt8]?
  private var dials: UInt64 = 0
  /// The frames that it has passed on, but pings, in order.
  private(set) var passed: [FrameType] = []
  /// Whether it exchanges codes itself instead of passing their steps on.
  private var plays = false
  private var exchanges: [LinkID: CodeExchange] = [:]
  private var peers: [LinkID: PeerID] = [:]

  init(to port: UInt16) throws {
    loop = try EventLoop(name: "middleman")
    identity = try TLSIdentity()
    id = identity.peerID
    victim = .loopback(port: port)
  }

  func start() throws -> UInt16 {
    let transport = try SecureTransport(loop: loop, identity: identity)
    transport.delegate = self
    self.transport = transport
    return try transport.listen(on: .loopback(port: 0)).port
  }

  func stop() async {
    guard let transport else { return }
    self.transport = nil
    await withCheckedContinuation { done in transport.shutDown { done.resume() } }
    loop.stop()
  }

  /// Exchanges codes with either side from now on.
  func play() { plays = true }

  private func opened(_ link: LinkID, dial: DialID?, peer: PeerID) {
    buffers[link] = []
    peers[link] = peer
    if dial == nil {
      links = (link, nil)
      dials += 1
      transport?.connect(DialID(rawValue: dials), to: victim)
    } else {
      links.outbound = link
      sayHello()
    }
  }

  private func take(_ bytes: [UInt8], on link: LinkID) {
    var inbound = buffers[link, default: []] + bytes
    while let head = try? FrameHead.find(in: inbound.span.bytes, at: 0, limit: .max / 2) {
      let frame = Array(inbound[..<head.body.upperBound])
      inbound.removeSubrange(..<head.body.upperBound)
      pass(frame, head, from: link)
    }
    buffers[link] = inbound
  }

  private func pass(_ frame: [UInt8], _ head: FrameHead, from link: LinkID) {
    let isInbound = link == links.inbound
    guard let type = FrameType(rawValue: head.type), type != .hello else {
      if isInbound {
        // The victim hears it under this key, as soon as there is a connection.
        hello = Array(frame[head.body])
        sayHello()
      } else if let back = links.inbound {
        send(renamed(Array(frame[head.body])), on: back)
        if plays { beginCode(on: link) }
      }
      return
    }
    if plays, exchange(type, Array(frame[head.body]), on: link) { return }
    if type != .ping, type != .pong { passed.append(type) }
    if let other = isInbound ? links.outbound : links.inbound { send(frame, on: other) }
  }

  /// Its own side of an exchange of a code.
  private func side(_ role: ExchangeRole, on link: LinkID) -> CodeExchange? {
    guard let peer = peers[link],
      let exporter = transport?.exportKeyingMaterial(link, label: "EXPORTER-sharedworld-code")
    else { return nil }
    let entropy = SecretBytes(copying: (0..<64).map { _ in UInt8.random(in: 0...255) })
    return CodeExchange(
      role, initiator: role == .initiator ? id.bytes : peer.bytes,
      responder: role == .initiator ? peer.bytes : id.bytes,
      secrets: ChannelSecrets(exporter: exporter, entropy: entropy))
  }

  private func beginCode(on link: LinkID) {
    exchanges[link] = side(.initiator, on: link)
    if let commitment = try? exchanges[link]?.begin() { say(.codeCommitment, commitment, on: link) }
  }

  /// Takes a step of an exchange with itself; whether it was one.
  private func exchange(_ type: FrameType, _ body: [UInt8], on link: LinkID) -> Bool {
    switch type {
    case .codeCommitment:
      exchanges[link] = side(.responder, on: link)
      if let nonce = try? exchanges[link]?.receive(commitment: body) { say(.codeNonce, nonce, on: link) }
    case .codeNonce: if let nonce = try? exchanges[link]?.receive(nonce: body) { say(.codeReveal, nonce, on: link) }
    case .codeReveal: break
    default: return false
    }
    return true
  }

  private func say(_ type: FrameType, _ body: [UInt8], on link: LinkID) {
    var writer = ByteWriter()
    writer.writeFrame(type) { $0.write(bytes: body) }
    send(writer.bytes, on: link)
  }

  private func sayHello() {
    guard let hello, let link = links.outbound else { return }
    self.hello = nil
    send(renamed(hello), on: link)
  }

  /// A hello with this attacker's id and everything else as it was.
  private func renamed(_ body: [UInt8]) -> [UInt8] {
    var reader = ByteReader(body.span)
    guard var hello = try? Hello(reading: &reader) else { return [] }
    hello.peerID = id
    let own = hello
    var writer = ByteWriter()
    writer.writeFrame(.hello) { own.write(to: &$0) }
    return writer.bytes
  }

  private func send(_ bytes: [UInt8], on link: LinkID) { _ = transport?.send(link, bytes.span.bytes) }

  nonisolated func linkOpened(_ link: LinkID, dial: DialID?, peer: PeerID, remote: SocketAddress) {
    assumeIsolated { $0.opened(link, dial: dial, peer: peer) }
  }

  nonisolated func linkReceived(_ link: LinkID, _ bytes: RawSpan) {
    let copy = bytes.withUnsafeBytes { Array($0) }
    assumeIsolated { $0.take(copy, on: link) }
  }

  nonisolated func linkWritable(_ link: LinkID) {}
  nonisolated func linkClosed(_ link: LinkID, _ failure: TransportFailure?) {}
  nonisolated func dialFailed(_ dial: DialID, to address: SocketAddress, _ failure: TransportFailure) {}
  nonisolated func listenerPaused(_ failure: TransportFailure) {}
  nonisolated func listenerResumed() {}
}

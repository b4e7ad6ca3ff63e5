import Basics
import PeerProtocol
import PeerTransport
import WorldModel

@testable import SharedWorld

/// A peer on the loopback interface, or on a network in memory, that says by hand what a session has to understand: it never dials.
actor ScriptedPeer: SecureTransportDelegate {
  /// What it does when it is invited.
  enum Answer: Sendable {
    /// It says goodbye for this reason.
    case goodbye(EndReason)
    /// It accepts, and holds the inviter as a member.
    case accept
    case silence
  }

  private nonisolated let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  private let identity: TLSIdentity
  private let hello: Hello
  private let answer: Answer
  private var transport: SecureTransport?
  /// When it speaks although nothing has happened.
  private var pulse: LoopTimer?
  /// The link that said hello last.
  ///
  /// Sessions of other tests may dial this port, at which their own peer listened before; they find another key there and say
  /// nothing.
  private var link: LinkID?
  private var inbound: [LinkID: [UInt8]] = [:]
  /// Whether an invitation has arrived.
  private(set) var isInvited = false
  /// The frames that arrived on all links, in order.
  private(set) var received: [FrameType] = []
  /// Whether a connection has come up and ended.
  private var hasLostLink = false
  private var waiter: CheckedContinuation<Void, Never>?
  private var loser: CheckedContinuation<Void, Never>?

  init(_ answer: Answer, hello change: (inout Hello) -> Void = { _ in }) throws {
    loop = try EventLoop(name: "scripted")
    identity = try TLSIdentity()
    var hello = Hello(
      peerID: identity.peerID, incarnation: 5, service: "swtest", name: "script", instance: "", addresses: [])
    change(&hello)
    (self.hello, self.answer) = (hello, answer)
  }

  /// Listens and returns the port.
  func start(on network: MemoryNetwork? = nil) throws -> UInt16 {
    let medium = network.map { TransportMedium(MemoryTransport($0)) }
    let transport = try SecureTransport(loop: loop, identity: identity, medium: medium)
    transport.delegate = self
    self.transport = transport
    let pulse = loop.makeTimer { [unowned self] in assumeIsolated { $0.beat() } }
    self.pulse = pulse
    pulse.deadline = loop.time(after: ProtocolTimes.ping)
    return try transport.listen(on: .loopback(port: 0)).port
  }

  /// Waits for the first invitation.
  func invited() async {
    if !isInvited { await withCheckedContinuation { waiter = $0 } }
  }

  /// Waits until a connection has come up and ended.
  func lostLink() async {
    if !hasLostLink { await withCheckedContinuation { loser = $0 } }
  }

  /// Says goodbye and listens no longer.
  func end(_ reason: EndReason) async {
    say(goodbye: reason)
    await stop()
  }

  /// Closes everything: a dial to it is refused from now on.
  func stop() async {
    guard let transport else { return }
    self.transport = nil
    pulse = nil
    await withCheckedContinuation { done in transport.shutDown { done.resume() } }
    loop.stop()
  }

  /// Says that it lives: a session that has much to say asks for nothing, and holds a silent peer for dead.
  private func beat() {
    say(.ping) { $0.write(UInt64(0)) }
    pulse?.deadline = loop.time(after: ProtocolTimes.ping)
  }

  private func say(goodbye reason: EndReason) {
    say(.goodbye) { Goodbye(reason, versions: 4...5).write(to: &$0) }
    if let link { transport?.close(link, flushing: true) }
  }

  private func say(_ type: FrameType, _ build: (inout ByteWriter) -> Void = { _ in }) {
    guard let link, let transport else { return }
    var writer = ByteWriter()
    writer.writeFrame(type, build)
    let bytes = writer.bytes
    _ = transport.send(link, bytes.span.bytes)
  }

  private func take(_ bytes: [UInt8], on link: LinkID) {
    var rest = inbound[link, default: []] + bytes
    while let head = try? FrameHead.find(in: rest.span.bytes, at: 0, limit: .max / 2) {
      let body = Array(rest[head.body])
      rest.removeSubrange(..<head.body.upperBound)
      if head.type == FrameType.hello.rawValue { self.link = link }
      if self.link == link, let type = FrameType(rawValue: head.type) { take(type, body) }
    }
    inbound[link] = rest
  }

  private func take(_ type: FrameType, _ body: [UInt8]) {
    received.append(type)
    switch type {
    case .hello: say(.hello) { hello.write(to: &$0) }
    case .ping: say(.pong) { writer in for byte in body { writer.write(byte) } }
    case .invite:
      isInvited = true
      waiter?.resume()
      waiter = nil
      respond(toInvite: body)
    default: break
    }
  }

  private func respond(toInvite body: [UInt8]) {
    switch answer {
    case .goodbye(let reason): say(goodbye: reason)
    case .accept:
      var reader = ByteReader(body.span)
      guard let invite = try? Invite(reading: &reader) else { return }
      say(.inviteAnswer) { InviteAnswer(number: invite.number, decision: .accept).write(to: &$0) }
      say(.admit)
    case .silence: break
    }
  }
}

extension ScriptedPeer {
  nonisolated func linkOpened(_ link: LinkID, dial: DialID?, peer: PeerID, remote: SocketAddress) {}

  nonisolated func linkReceived(_ link: LinkID, _ bytes: RawSpan) {
    let copy = bytes.withUnsafeBytes { Array($0) }
    assumeIsolated { $0.take(copy, on: link) }
  }

  nonisolated func linkWritable(_ link: LinkID) {}
  nonisolated func linkClosed(_ link: LinkID, _ failure: TransportFailure?) {
    assumeIsolated {
      $0.inbound[link] = nil
      $0.hasLostLink = true
      $0.loser.take()?.resume()
    }
  }
  nonisolated func dialFailed(_ dial: DialID, to address: SocketAddress, _ failure: TransportFailure) {}
  nonisolated func listenerPaused(_ failure: TransportFailure) {}
  nonisolated func listenerResumed() {}
}

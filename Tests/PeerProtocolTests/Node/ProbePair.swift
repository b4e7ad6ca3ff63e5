import Authentication
import Basics
import PeerProtocol
import Testing
import WorldModel

/// Two nodes and the connections between them, whose frames a test passes on, holds back or changes.
struct ProbePair {
  var dialler: NodeProbe
  var acceptor: NodeProbe
  private var connections: UInt64 = 0

  init(_ dialler: NodeProbe, _ acceptor: NodeProbe) {
    (self.dialler, self.acceptor) = (dialler, acceptor)
  }

  /// The secrets of one end of a connection; the exporter names the connection.
  static func secrets(_ exporter: UInt64, _ side: UInt64) -> LinkSecrets {
    func secrets(_ purpose: UInt64) -> ChannelSecrets {
      let words = SHA256Digest(words: SIMD4(exporter, side, purpose, 2)).bytes
      return ChannelSecrets(
        exporter: SHA256Digest(words: SIMD4(exporter, 0, 0, purpose)).bytes,
        entropy: SecretBytes(copying: words + words))
    }
    return LinkSecrets(
      passcode: secrets(0), code: secrets(1), driver: SHA256Digest(words: SIMD4(exporter, 0, 0, 2)).bytes)
  }

  /// Lets the dialler invite the acceptor, and opens the connection.
  ///
  /// - Parameters:
  ///   - exporters: What names the connection at either end: where they differ, somebody is in the middle.
  ///   - isInProcess: Whether both are in one process.
  mutating func connect(exporters: (UInt64, UInt64)? = nil, isInProcess: Bool = false) throws -> LinkID {
    connections += 1
    let exporters = exporters ?? (connections, connections)
    dialler.input(
      .invite(InvitationID(rawValue: connections), [.loopback(port: 1)], context: [], timeout: .seconds(30)))
    let dial = try #require(dialler.dials.last).dial
    let link = LinkID(rawValue: connections)
    let (first, second) = (dialler.node.me.peer, acceptor.node.me.peer)
    acceptor.open(link, first, dial: nil, secrets: Self.secrets(exporters.1, 2), isInProcess: isInProcess)
    dialler.open(link, second, dial: dial, secrets: Self.secrets(exporters.0, 1), isInProcess: isInProcess)
    return link
  }

  /// Passes frames on until nobody says anything more; returns their types in the order of sending, with who sent them.
  @discardableResult
  mutating func pump(
    _ link: LinkID, change: (_ isDialler: Bool, FrameType?, inout [UInt8]) -> Bool = { _, _, _ in true }
  ) throws -> [String] {
    var said: [String] = []
    while true {
      let (ours, theirs) = (try dialler.frames(on: link), try acceptor.frames(on: link))
      guard !(ours.isEmpty && theirs.isEmpty) else { return said }
      for (isDialler, frames) in [(true, ours), (false, theirs)] {
        for var frame in frames {
          guard let type = frame.type, type != .ping, type != .pong else { continue }
          said.append("\(isDialler ? ">" : "<") \(type)")
          guard change(isDialler, type, &frame.body) else { continue }
          let body = frame.body
          if isDialler {
            acceptor.send(type, on: link) { $0.write(bytes: body) }
          } else {
            dialler.send(type, on: link) { $0.write(bytes: body) }
          }
        }
      }
      // The app of the acceptor accepts; an answer that comes again has no effect.
      for case .invitationReceived(let id, _, _, _) in acceptor.events { acceptor.input(.answer(id, .accept)) }
    }
  }

  /// The same, and the low byte of the capabilities of both hellos.
  mutating func pumpHellos(_ link: LinkID) throws -> (said: [String], capabilities: [UInt8]) {
    var capabilities: [UInt8] = []
    let said = try pump(link) { _, type, body in
      if type == .hello { capabilities.append(body[8]) }
      return true
    }
    return (said, capabilities)
  }
}

extension NodeProbe {
  /// A connection of `peer` comes in, or the dial `dial` succeeds, with its secrets.
  mutating func open(
    _ link: LinkID, _ peer: PeerID, dial: DialID?, secrets: LinkSecrets,
    from remote: SocketAddress = .loopback(port: 50_000), isInProcess: Bool = false
  ) {
    input(
      .linkOpened(
        link, peer: peer, dial: dial, remote: remote, secrets: secrets, isInProcess: isInProcess))
  }

  /// Sends a frame that invites or admits.
  mutating func sendMembership(_ type: FrameType, on link: LinkID) {
    send(type, on: link) { body in
      switch type {
      case .invite: Invite(number: 1, wait: 30_000, context: []).write(to: &body)
      case .inviteAnswer: InviteAnswer(number: 1, decision: .accept).write(to: &body)
      case .inviteCancel: body.write(UInt64(1))
      default: break
      }
    }
  }

  /// How the invitations of this node ended.
  mutating func results() -> [InvitationResult] {
    takeEvents().compactMap { if case .invitationEnded(_, let result) = $0 { result } else { nil } }
  }
}

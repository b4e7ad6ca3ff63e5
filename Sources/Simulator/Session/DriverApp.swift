import Basics
import PeerProtocol
import WorldModel

/// The part of a simulated app that authenticates others: each side proves that it knows the secret, for this connection and in its
/// own name.
package struct DriverApp: Sendable {
  /// Whose driver it is.
  package enum Kind: Sendable {
    case honest
    /// A stranger's, with this guess of the secret: it authenticates everybody, and sends wrong proofs, those that it has received,
    /// or none.
    case foreign(UInt64)
  }

  private let me: PeerID
  private let kind: Kind
  private var openings: [LinkID: HandshakeOpening] = [:]
  /// Proofs of others that a stranger has received.
  private var heard: [[UInt8]] = []
  /// The links on which it has authenticated the peer at the other end.
  private(set) var authenticated: Set<LinkID> = []

  private static let secret: UInt64 = 0x5e5a_3e01

  init(_ kind: Kind, of me: PeerID) {
    (self.kind, self.me) = (kind, me)
  }

  /// Takes news of a link, and returns the answer if there has to be one.
  mutating func take(_ news: HandshakeNews, on link: LinkID) -> HandshakeStep? {
    switch news {
    case .began(let opening):
      openings[link] = opening
      return begin(opening, on: link)
    case .received(let data):
      guard let opening = openings[link] else { return nil }
      guard case .honest = kind else {
        heard.append(data)
        return HandshakeStep(sending: data)
      }
      guard data == Self.proof(of: opening.peer, opening.binding, Self.secret) else {
        return HandshakeStep(.refused(reason: "wrong secret"))
      }
      authenticated.insert(link)
      return HandshakeStep(.authenticated)
    case .ended:
      openings[link] = nil
      return nil
    }
  }

  private func begin(_ opening: HandshakeOpening, on link: LinkID) -> HandshakeStep {
    switch kind {
    case .honest: HandshakeStep(sending: Self.proof(of: me, opening.binding, Self.secret))
    case .foreign(let guess):
      switch link.rawValue % 4 {
      // It goes on to send back what comes.
      case 0: HandshakeStep()
      case 1: HandshakeStep(.authenticated)
      case 2: HandshakeStep(sending: heard.last, .authenticated)
      default: HandshakeStep(sending: Self.proof(of: me, opening.binding, guess), .authenticated)
      }
    }
  }

  private static func proof(of peer: PeerID, _ binding: [UInt8], _ secret: UInt64) -> [UInt8] {
    var writer = ByteWriter()
    writer.write(secret)
    writer.write(bytes: binding)
    writer.write(peer.digest)
    return SHA256Digest(hashing: writer.bytes).bytes
  }
}

/// A1: a link is a member's only where the drivers of both ends have authenticated the other one.
struct DriverWatch: Sendable {
  /// By peer, the links on which its driver has authenticated the other end; also those of its earlier starts.
  private var authenticated: [PeerID: Set<LinkID>] = [:]

  /// Sees a node after a step, and says what is wrong with it.
  mutating func stepped(_ node: borrowing SessionPeer, isStranger: Bool) -> String? {
    guard let driver = node.driver else { return nil }
    let me = node.node.me.peer
    authenticated[me, default: []].formUnion(driver.authenticated)
    guard !isStranger else { return nil }
    for member in node.node.memberSummaries where member.isDirect {
      guard let link = member.link else { continue }
      for peer in [me, member.peerID] where authenticated[peer]?.contains(link) != true {
        return "A1 has a member's link to \(member.peerID.prefix) on which \(peer.prefix) has authenticated nobody"
      }
    }
    return nil
  }
}

import AnchorReplication
import Basics
package import PeerProtocol
package import WorldModel

/// The parts in a simulated owned session, by the numbers of the machines.
package struct OwnedCast: Sendable {
  /// It begins the session.
  static let creator = 0
  /// It is named by the creator.
  static let moderator = 1
  /// It is removed, and goes on as if nothing had happened.
  static let rebel = 2
  /// It lies, and holds whom it likes as members.
  static let accomplice = 3
  /// The fewest machines: those above, and an honest member; with two more there is a guest.
  package static let fewest = 5

  package let count: Int

  package init(count: Int) {
    self.count = count
  }

  /// It is never admitted, and tries to get in; nil with too few machines.
  var stranger: Int? { count > Self.fewest ? count - 1 : nil }

  /// It is a guest that writes and shares maps nevertheless, which the accomplice hands on; nil with too few machines.
  ///
  /// Where there is one, members share no maps.
  var guest: Int? { count > Self.fewest + 1 ? Self.fewest - 1 : nil }

  /// The machines whose nodes keep all rules, and are not removed.
  var honest: [Int] {
    (0..<count).filter { ![Self.rebel, Self.accomplice, stranger, guest].contains($0) }
  }

  /// Whether the app on a machine invites another one.
  func invites(_ other: Int, _ index: Int) -> Bool {
    index == stranger || index != Self.creator && other == Self.creator
  }

  /// Whether the app on a machine accepts an invitation.
  func accepts(_ peer: PeerID, _ index: Int) -> Bool {
    let isStranger = stranger.map(SessionPeer.identity) == peer
    return !(isStranger && (index == Self.creator || index == Self.moderator))
  }

  /// Changes what a node is told.
  func configure(_ configuration: inout NodeConfiguration, of index: Int) {
    if index == Self.creator {
      configuration.genesisNonce = [UInt8](repeating: 7, count: Genesis.nonceSize)
      configuration.curatesMaps = guest != nil
    }
    if index == Self.accomplice || index == guest { configuration.rules.subtract([.guestsWriteNothing, .mapsByRole]) }
    if index == Self.rebel { configuration.rules.subtract([.signedRemoval, .cuts, .raisedCuts]) }
    if index == Self.accomplice {
      configuration.rules.subtract([.signedAdmission, .signedRemoval, .cuts, .raisedCuts])
    }
  }
}

extension Signatures {
  /// Signatures that cost a hash: the key is the id of the peer, and nobody else in the simulation makes its signatures.
  package init(simulating peer: PeerID) {
    let key = peer.bytes
    self.init(
      publicKey: key, sign: { Self.simulated(over: $0, key: key) },
      verify: { signature, bytes, key in Self.simulated(over: bytes, key: key) == signature },
      peerID: { PeerID(bytes: $0) ?? peer })
  }

  private static func simulated(over bytes: [UInt8], key: [UInt8]) -> [UInt8] {
    let half = SHA256Digest(hashing: key + bytes).bytes
    return half + half
  }
}

/// A2: nobody is a member of an owned session whom no statement admits.
///
/// A3: nobody is removed whom no statement removes.
struct OwnedWatch: Sendable {
  private let cast: OwnedCast

  init(_ cast: OwnedCast) {
    self.cast = cast
  }

  /// Whether a node may be put out of its session: the stranger by everybody, the rebel by the open rules that it keeps.
  func mayEnd(_ index: Int) -> Bool { index == cast.stranger || index == OwnedCast.rebel }

  /// Looks at a node after a step; what is wrong, or nil.
  func stepped(_ index: Int, _ node: borrowing Node, isExpelled expelled: Set<Int>) -> String? {
    guard cast.honest.contains(index), !node.hasEnded else { return nil }
    let view = node.ownedSession
    guard view.roles[node.me.peer] != nil else { return nil }
    for entry in node.roster.entries {
      let machine = (0..<cast.count).first { SessionPeer.identity(of: $0) == entry.peerID }
      switch entry.status {
      case .present where machine == nil || machine == cast.stranger || view.roles[entry.peerID] == nil:
        return "A2 \(index + 1) holds \(entry.peerID.prefix) as a member, which is not admitted"
      case .kicked where machine.map { !expelled.contains($0) } ?? false:
        return "A3 \(index + 1) holds \(entry.peerID.prefix) as removed, which nobody removed"
      case .present, .kicked, .left: break
      }
    }
    return nil
  }
}

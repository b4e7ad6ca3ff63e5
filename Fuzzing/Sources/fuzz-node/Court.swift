import AnchorReplication
import Basics
import PeerProtocol
import WorldModel

/// How a node of an owned session begins.
enum OwnedStart: UInt8 {
  /// It can sign, and is in no session: a charter of another creator leads it into one.
  case alone = 240
  /// It begins an owned session.
  case creator = 241
  /// It begins one in which members share no maps.
  case curator = 242
  /// It is a moderator of a session of peer 1.
  case moderator = 243

  /// Gives a node the keys and the genesis of this start.
  func configure(_ configuration: inout NodeConfiguration) {
    configuration.signatures = Signatures(hashing: configuration.peerID)
    configuration.wallClock = Court.wallClock
    guard self == .creator || self == .curator else { return }
    configuration.genesisNonce = [UInt8](repeating: 1, count: Genesis.nonceSize)
    configuration.curatesMaps = self == .curator
  }
}

/// What the peers of an owned session sign and write.
struct Court {
  /// The time at the beginning of the node's clock (milliseconds since 1970).
  static let wallClock: UInt64 = 1_000_000
  /// The most statements that are kept to be sent again.
  private static let statementLimit = 64

  /// The session of the other peers.
  let genesis: Genesis
  /// What was signed so far.
  private(set) var statements: [Statement] = []
  /// What each run of a peer has written.
  var sets: [ActorID: AnchorSet] = [:]

  init(_ genesis: Genesis) { self.genesis = genesis }

  /// Keeps a statement to be sent again.
  mutating func keep(_ statement: Statement) {
    if statements.count < Self.statementLimit { statements.append(statement) }
  }

  /// Whatever a node was sent, it kept statements with true signatures, all of which count together, in any order of arrival.
  static func check(_ record: GovernanceRecord, of me: PeerID) {
    // The key of each peer is its id.
    let peer = { (key: [UInt8]) in PeerID(bytes: key) ?? me }
    var book = StatementBook(creator: peer(record.genesis.creator))
    var other = book
    for statement in record.statements {
      let signer = peer(statement.key)
      let signed = statement.signed(by: Signatures(hashing: signer), in: record.genesis.session)
      precondition(signed == statement, "a false signature was kept")
      book.add(statement, by: signer)
    }
    precondition(book.statements == record.statements, "statements were kept that do not count")
    // A ruling counts after the naming of its signer, and a raised cut after its ruling.
    for _ in 0..<3 {
      for statement in record.statements.reversed() { other.add(statement, by: peer(statement.key)) }
    }
    precondition(other == book, "the order of arrival changes what counts")
  }
}

extension Signatures {
  /// Signatures that cost a hash: the key is the id of the peer.
  init(hashing peer: PeerID) {
    let sign = { @Sendable (bytes: [UInt8], key: [UInt8]) in
      let half = SHA256Digest(hashing: key + bytes).bytes
      return half + half
    }
    let key = peer.bytes
    self.init(
      publicKey: key, sign: { sign($0, key) }, verify: { signature, bytes, key in sign(bytes, key) == signature },
      peerID: { PeerID(bytes: $0) ?? peer })
  }
}

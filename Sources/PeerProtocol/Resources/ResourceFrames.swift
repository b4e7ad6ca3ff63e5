import Basics
import WorldModel

/// One side's word about a resource to the other; each may be said again, since a link may have lost it.
struct ResourceWord: Sendable, Equatable, FrameBody {
  /// Bytes on the wire.
  static let size = 33

  /// How far it is.
  enum Stage: Sendable, Equatable {
    /// From the receiver: its app has not answered.
    case waiting
    /// From the receiver: it fetches it.
    case accepted
    /// From the receiver: it has all of it.
    case received
    /// From the sender: it has no such resource any more.
    case over
    /// From either: it ends.
    case failed(ResourceFailure)
  }

  let content: ContentID
  let stage: Stage

  init(_ stage: Stage, of content: ContentID) {
    (self.content, self.stage) = (content, stage)
  }

  func write(to writer: inout ByteWriter) {
    writer.write(content.digest)
    switch stage {
    case .waiting: writer.write(UInt8(0))
    case .accepted: writer.write(UInt8(1))
    case .received: writer.write(UInt8(2))
    case .over: writer.write(UInt8(3))
    case .failed(let failure): writer.write(failure.rawValue)
    }
  }

  init(reading reader: inout ByteReader) throws(DecodingFailure) {
    content = ContentID(.resource, try reader.readDigest())
    let start = reader.offset
    switch try reader.readByte() {
    case 0: stage = .waiting
    case 1: stage = .accepted
    case 2: stage = .received
    case 3: stage = .over
    case let code:
      guard let failure = ResourceFailure(rawValue: code) else { throw .unknownKind(offset: start) }
      stage = .failed(failure)
    }
  }
}

/// The peers that fetch a resource or have it, from its sender to each of them: they fetch it from each other.
struct ResourcePeers: Sendable, Equatable, FrameBody {
  /// Bytes of the longest one on the wire.
  static let largest = 32 * (1 + ProtocolLimits.members)

  let content: ContentID
  let peers: [PeerID]

  init(content: ContentID, peers: [PeerID]) {
    (self.content, self.peers) = (content, peers)
  }

  func write(to writer: inout ByteWriter) {
    writer.write(content.digest)
    for peer in peers { writer.write(peer.digest) }
  }

  init(reading reader: inout ByteReader) throws(DecodingFailure) {
    content = ContentID(.resource, try reader.readDigest())
    var peers: [PeerID] = []
    while !reader.isAtEnd { peers.append(PeerID(try reader.readDigest())) }
    self.peers = peers
  }
}

package import AnchorReplication
package import Basics
package import WorldModel

/// A wish of an app about the ownership of an anchor.
package enum OwnershipWish: Equatable, Sendable {
  /// To own it, for this long; nil until it is released, or given away.
  case own(lease: Duration?)
  /// To own it no longer.
  case release
  /// That another member owns it.
  case give(PeerID)
}

/// The result of a wish.
package enum OwnershipResult: Equatable, Sendable {
  /// It is so; the grant that says it.
  case met(AnchorLock)
  /// The owner, or the host in the name of one that is away, keeps it.
  case declined
  /// Nobody answered in time.
  case unanswered
  /// Only the owner may release or give.
  case notOwner
  /// There is no such anchor.
  case unknownAnchor
}

/// A word between requester, host and owner.
package struct OwnershipFrame: RoutedFrame, Equatable, FrameBody {
  /// The kind of word.
  package enum Kind: UInt8, Sendable {
    /// To the host: the sender wants to own.
    case request = 0
    /// To the host: the sender wants to own no longer.
    case release = 1
    /// To the host: the sender wants `subject` to own.
    case give = 2
    /// To the owner: `subject` wants to own.
    case question = 3
    /// To the host: the owner agrees.
    case consent = 4
    /// To the host from the owner, to the requester from the host: no.
    case refusal = 5
  }

  package static let type = FrameType.ownership
  /// Bytes on the wire.
  package static let size = FrameRoute.size + 65

  package var route: FrameRoute
  package var kind: Kind
  package var anchor: AnchorID
  /// The requester's number of the request.
  package var number: UInt64
  /// The node that wants, or is to get, the anchor.
  package var subject: PeerID
  /// How long the requester wants to own (ms); 0 for no end.
  package var lease: UInt32 = 0
  /// How long the requester waits (ms).
  package var wait: UInt32 = 0

  package init(kind: Kind, from: NodeID, to: NodeID, anchor: AnchorID, number: UInt64, subject: PeerID) {
    route = FrameRoute(from: from, to: to)
    self.kind = kind
    self.anchor = anchor
    self.number = number
    self.subject = subject
  }

  /// Appends route, kind, anchor, number, subject, lease and wait: 146 bytes.
  package func write(to writer: inout ByteWriter) {
    route.write(to: &writer)
    writer.write(kind.rawValue)
    writer.write(anchor)
    writer.write(number)
    writer.write(subject.digest)
    writer.write(lease)
    writer.write(wait)
  }

  /// Reads what ``write(to:)`` wrote.
  package init(reading reader: inout ByteReader) throws(DecodingFailure) {
    route = try FrameRoute(reading: &reader)
    let start = reader.offset
    guard let kind = Kind(rawValue: try reader.readByte()) else { throw .unknownKind(offset: start) }
    self.kind = kind
    anchor = try reader.readAnchorID()
    number = try reader.read(UInt64.self)
    subject = PeerID(try reader.readDigest())
    lease = try reader.read(UInt32.self)
    wait = try reader.read(UInt32.self)
  }
}

extension OwnershipFrame {
  /// The frame that brings a wish before the host.
  init(_ request: OwnershipDesk.Request, from me: NodeID, to host: NodeID, at now: Instant) {
    let kind: Kind
    var subject = me.peer
    var lease: UInt32 = 0
    switch request.wish {
    case .own(let duration): (kind, lease) = (.request, duration.map { max(1, $0.milliseconds) } ?? 0)
    case .release: kind = .release
    case .give(let peer): (kind, subject) = (.give, peer)
    }
    self.init(
      kind: kind, from: me, to: host, anchor: request.anchor, number: request.id.rawValue, subject: subject)
    self.lease = lease
    wait = (request.deadline - now).milliseconds
  }

  /// A word about the same request, to its sender or to another node.
  func reply(_ kind: Kind, from me: NodeID, to receiver: NodeID? = nil, about subject: PeerID) -> Self {
    var reply = self
    reply.route = FrameRoute(from: me, to: receiver ?? from)
    reply.kind = kind
    reply.subject = subject
    return reply
  }
}

extension Duration {
  /// Whole milliseconds, from none to 49 days.
  fileprivate var milliseconds: UInt32 { UInt32(clamping: wholeNanoseconds / 1_000_000) }
}

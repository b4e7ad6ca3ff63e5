package import Basics
import WorldModel

/// The members that have to have applied an operation.
package enum AcknowledgementLevel: Equatable, Sendable {
  /// The session's host at that time.
  case host
  /// Every member the app counted as present when it began to wait, and that has not left since.
  case everyPresentMember
  /// The same members; and the receivers of this node's messages have acknowledged them.
  case delivery
}

/// How a wait for acknowledgement ended.
package enum AcknowledgementResult: Equatable, Sendable {
  /// All that were waited for have what was waited for.
  case acknowledged
  /// Not all of them said so in time; the operations stand, and go on spreading.
  case timedOut
}

/// One member asks another how much of its operations that one has applied, or tells.
///
/// It takes the way of the presence graph where the two have no direct link.
package struct AcknowledgementFrame: RoutedFrame, Equatable, FrameBody {
  package static let type = FrameType.acknowledgement
  /// Bytes on the wire.
  package static let size = 10 + 2 * NodeID.wireSize

  /// The kind of word.
  package enum Kind: UInt8, Sendable {
    /// "Tell me once you have applied my operations up to this number."
    case question = 0
    /// "I have applied your operations up to this number."
    case answer = 1
  }

  package var kind: Kind
  /// Members that have passed it on.
  package var hops: UInt8
  package var from: NodeID
  package var to: NodeID
  /// The number of an operation of the one who asks.
  package var sequence: UInt64

  package init(kind: Kind, hops: UInt8 = 0, from: NodeID, to: NodeID, sequence: UInt64) {
    self.kind = kind
    self.hops = hops
    self.from = from
    self.to = to
    self.sequence = sequence
  }

  /// Appends kind, hops, both nodes and the number: 90 bytes.
  package func write(to writer: inout ByteWriter) {
    writer.write(kind.rawValue)
    writer.write(hops)
    from.write(to: &writer)
    to.write(to: &writer)
    writer.write(sequence)
  }

  /// Reads what ``write(to:)`` wrote.
  package init(reading reader: inout ByteReader) throws(DecodingFailure) {
    guard let kind = Kind(rawValue: try reader.readByte()) else { throw .unknownKind(offset: 0) }
    self.kind = kind
    hops = try reader.readByte()
    from = try NodeID(reading: &reader)
    to = try NodeID(reading: &reader)
    sequence = try reader.read(UInt64.self)
  }
}

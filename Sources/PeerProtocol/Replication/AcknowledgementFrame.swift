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
  package static let size = FrameRoute.size + 9

  /// The kind of word.
  package enum Kind: UInt8, Sendable {
    /// "Tell me once you have applied my operations up to this number."
    case question = 0
    /// "I have applied your operations up to this number."
    case answer = 1
  }

  package var route: FrameRoute
  package let kind: Kind
  /// The number of an operation of the one who asks.
  package let sequence: UInt64

  package init(kind: Kind, from: NodeID, to: NodeID, sequence: UInt64) {
    route = FrameRoute(from: from, to: to)
    self.kind = kind
    self.sequence = sequence
  }

  /// Appends route, kind and the number: 90 bytes.
  package func write(to writer: inout ByteWriter) {
    route.write(to: &writer)
    writer.write(kind.rawValue)
    writer.write(sequence)
  }

  /// Reads what ``write(to:)`` wrote.
  package init(reading reader: inout ByteReader) throws(DecodingFailure) {
    route = try FrameRoute(reading: &reader)
    let start = reader.offset
    guard let kind = Kind(rawValue: try reader.readByte()) else { throw .unknownKind(offset: start) }
    self.kind = kind
    sequence = try reader.read(UInt64.self)
  }
}

package import Basics
import WorldModel

/// The reader of a message: the app itself, or the layer between the app and the node that encodes objects.
package enum MessageKind: UInt8, Sendable {
  /// The app's own bytes.
  case bytes = 0
  /// An envelope with an object of the app, or a word about one.
  case envelope = 1
  /// A part of a stream, or a word about one.
  case stream = 2
}

/// The chains in which a sender numbers its reliable messages to a receiver, each with a window of its own.
package enum MessageTrack: Equatable, Sendable {
  /// Messages of the app.
  case ordinary
  /// Messages of the app that leave first.
  case critical
  /// Parts of streams: a receiver never lets them wait unread, because each stream has a window.
  case streams
}

/// Marks a message of the critical chain, and a report about it, in the byte of the kind.
private let criticalBit: UInt8 = 1 << 7
/// Marks a report about the chain of streams.
private let streamsBit: UInt8 = 1 << 6

/// The place of a message among those of one sender to one receiver; its bytes follow.
///
/// A receiver accepts a message only behind the one that `previous` names, so that it needs no memory of numbers.
package struct MessageHead: Equatable, Sendable, FrameBody {
  /// Bytes on the wire.
  package static let size = 21

  /// Counts the fresh beginnings of this sender, from 1; every chain has one receiver.
  package let chain: UInt32
  /// The number of the message before this one in the chain; 0 for the first.
  package let previous: UInt64
  /// The sender's number of the message.
  package let number: UInt64
  /// The reader of the bytes.
  package let kind: MessageKind
  /// Whether the chain is that of critical messages.
  package let isCritical: Bool
  /// The chain that it belongs to.
  @inline(__always)
  var track: MessageTrack { kind == .stream ? .streams : isCritical ? .critical : .ordinary }

  package init(
    chain: UInt32, previous: UInt64, number: UInt64, kind: MessageKind = .bytes, isCritical: Bool = false
  ) {
    self.isCritical = isCritical
    self.chain = chain
    self.previous = previous
    self.number = number
    self.kind = kind
  }

  /// Appends chain, previous, number, and kind with the bit of critical messages.
  package func write(to writer: inout ByteWriter) {
    unsafe writer.write(Self.size) { unsafe store(in: $0, at: 0) }
  }

  /// Puts all fields into memory that has room for them behind `start`.
  fileprivate func store(in raw: UnsafeMutableRawBufferPointer, at start: Int) {
    unsafe raw.storeBytes(of: chain.littleEndian, toByteOffset: start, as: UInt32.self)
    unsafe raw.storeBytes(of: previous.littleEndian, toByteOffset: start + 4, as: UInt64.self)
    unsafe raw.storeBytes(of: number.littleEndian, toByteOffset: start + 12, as: UInt64.self)
    let mark = kind.rawValue | (isCritical ? criticalBit : 0)
    unsafe raw.storeBytes(of: mark, toByteOffset: start + 20, as: UInt8.self)
  }

  /// Reads what ``write(to:)`` wrote.
  package init(reading reader: inout ByteReader) throws(DecodingFailure) {
    let start = reader.offset
    chain = try reader.read(UInt32.self)
    previous = try reader.read(UInt64.self)
    number = try reader.read(UInt64.self)
    guard chain > 0, previous < number, number <= ProtocolLimits.counter else {
      throw .invalid("a message that is not behind the one before it", offset: start)
    }
    let byte = try reader.readByte()
    guard let kind = MessageKind(rawValue: byte & ~criticalBit) else { throw .unknownKind(offset: start) }
    guard kind != .stream || byte & criticalBit == 0 else {
      throw .invalid("a critical message of a stream", offset: start)
    }
    self.kind = kind
    isCritical = byte & criticalBit != 0
  }
}

extension ByteWriter {
  /// Appends the whole frame of a message.
  ///
  /// Its head is put together first: to append one field after the other takes longer than to append the message.
  mutating func writeMessage(_ head: MessageHead, _ bytes: [UInt8]) {
    unsafe write(FrameHead.size + MessageHead.size) { raw in
      let length = UInt32(MessageHead.size + bytes.count)
      unsafe raw.storeBytes(of: length.littleEndian, as: UInt32.self)
      unsafe raw.storeBytes(of: FrameType.message.rawValue, toByteOffset: 4, as: UInt8.self)
      unsafe head.store(in: raw, at: FrameHead.size)
    }
    write(bytes: bytes)
  }

  /// Appends some bytes at once that `fill` puts into memory beforehand.
  @inline(__always)
  fileprivate mutating func write(_ count: Int, filledBy fill: (UnsafeMutableRawBufferPointer) -> Void) {
    unsafe withUnsafeTemporaryAllocation(byteCount: count, alignment: 8) { raw in
      unsafe fill(raw)
      unsafe write(span: RawSpan(_unsafeBytes: UnsafeRawBufferPointer(raw)))
    }
  }
}

/// Tells a sender how far its messages have come, or asks a receiver for that.
package struct MessageReport: Equatable, Sendable, FrameBody {
  /// Bytes on the wire.
  package static let size = 17

  /// The purpose of a report.
  package enum Kind: UInt8, Sendable {
    /// From the receiver: this far.
    case report = 0
    /// From the sender: how far? Chain, last and window are 0.
    case question = 1
    /// From the receiver, to a question: this far, and nothing else of what arrived on this link before the question.
    case answer = 2
  }

  package var kind: Kind
  /// The messages that it is about.
  package var track: MessageTrack
  /// The chain that the receiver follows; 0 for none yet.
  package var chain: UInt32 = 0
  /// The last number of the chain that was handed to the receiver's app; 0 for none.
  package var last: UInt64 = 0
  /// Bytes that the sender may have on their way behind `last`.
  package var window: UInt32 = 0

  package init(_ kind: Kind, _ track: MessageTrack = .ordinary) {
    self.kind = kind
    self.track = track
  }

  /// Appends kind with the bit of its chain, chain, last and window.
  package func write(to writer: inout ByteWriter) {
    let bit: UInt8 =
      switch track {
      case .ordinary: 0
      case .critical: criticalBit
      case .streams: streamsBit
      }
    writer.write(kind.rawValue | bit)
    writer.write(chain)
    writer.write(last)
    writer.write(window)
  }

  /// Reads what ``write(to:)`` wrote.
  package init(reading reader: inout ByteReader) throws(DecodingFailure) {
    let start = reader.offset
    let byte = try reader.readByte()
    guard byte < criticalBit | streamsBit else { throw .invalid("a report about two chains", offset: start) }
    guard let kind = Kind(rawValue: byte & ~(criticalBit | streamsBit)) else { throw .unknownKind(offset: start) }
    self.kind = kind
    track = byte & criticalBit != 0 ? .critical : byte & streamsBit != 0 ? .streams : .ordinary
    chain = try reader.read(UInt32.self)
    last = try reader.read(UInt64.self)
    window = try reader.read(UInt32.self)
    guard kind != .question || chain == 0 && last == 0 && window == 0 else {
      throw .invalid("a question that says something", offset: start)
    }
  }
}

/// A report on its way through members.
package struct RelayedReport: RoutedFrame, Equatable, FrameBody {
  package static let type = FrameType.relayedReport
  /// Bytes on the wire.
  package static let size = FrameRoute.size + MessageReport.size

  /// From the receiver of the messages to their sender.
  package var route: FrameRoute
  package let report: MessageReport

  package init(_ report: MessageReport, from: NodeID, to: NodeID) {
    self.report = report
    route = FrameRoute(from: from, to: to)
  }

  /// Appends the route and the report.
  package func write(to writer: inout ByteWriter) {
    route.write(to: &writer)
    report.write(to: &writer)
  }

  /// Reads what ``write(to:)`` wrote.
  package init(reading reader: inout ByteReader) throws(DecodingFailure) {
    route = try FrameRoute(reading: &reader)
    report = try MessageReport(reading: &reader)
  }
}

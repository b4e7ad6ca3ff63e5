import AnchorReplication
package import Basics

/// The frame in which a process writes poses from some point on.
///
/// It stands in for a frame in every pose: the stamp of an anchor's pose names its author, and the live poses of a process are
/// counted, so a pose needs no further byte. A process that declares nothing writes in the shared frame.
package struct FrameDeclaration: Equatable, Sendable {
  /// The process.
  package var node: NodeID
  /// Counts its declarations from 1, and is the number of the frame.
  package var number: UInt32
  /// Whether it returns to the shared frame instead.
  package var isShared: Bool
  /// The frame holds for poses of anchors with a later clock.
  package var clock: UInt64
  /// The frame holds for live poses with this sequence and later ones.
  package var sequence: UInt64
  /// When it was declared (milliseconds of session time): the oldest frame is the root where nothing else is.
  package var sessionTime: UInt64

  package init(
    node: NodeID, number: UInt32, isShared: Bool, clock: UInt64, sequence: UInt64, sessionTime: UInt64
  ) {
    (self.node, self.number, self.isShared) = (node, number, isShared)
    (self.clock, self.sequence, self.sessionTime) = (clock, sequence, sessionTime)
  }

  /// The declared frame.
  var frame: WorldFrame { isShared ? .shared : WorldFrame(owner: node.actor, number: number) }
}

extension FrameDeclaration {
  /// Bytes on the wire.
  static let wireSize = NodeID.wireSize + 4 + 1 + 8 + 8 + 8

  /// Appends node, number, whether it is the shared frame, clock, sequence and session time.
  package func write(to writer: inout ByteWriter) {
    node.write(to: &writer)
    writer.write(number)
    writer.write(isShared ? 1 as UInt8 : 0)
    writer.write(clock)
    writer.write(sequence)
    writer.write(sessionTime)
  }

  /// Reads what ``write(to:)`` wrote.
  package init(reading reader: inout ByteReader) throws(DecodingFailure) {
    node = try NodeID(reading: &reader)
    let start = reader.offset
    number = try reader.read(UInt32.self)
    isShared = try reader.readFlag()
    clock = try reader.readClock()
    sequence = try reader.read(UInt64.self)
    sessionTime = try reader.read(UInt64.self)
    guard number > 0, sequence > 0, sessionTime <= ProtocolLimits.counter else {
      throw .invalid("number, sequence or session time out of range", offset: start)
    }
  }
}

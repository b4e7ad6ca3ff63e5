import AnchorReplication
package import Basics

/// The frame in which a process writes poses from some point on.
///
/// It stands in for a frame in every pose: the stamp of an anchor's pose names its author, and the live poses of a process are
/// counted, so a pose needs no further byte. A process that declares nothing writes in the shared frame.
package struct FrameDeclaration: Equatable, Sendable {
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

  package init(number: UInt32, isShared: Bool, clock: UInt64, sequence: UInt64, sessionTime: UInt64) {
    (self.number, self.isShared) = (number, isShared)
    (self.clock, self.sequence, self.sessionTime) = (clock, sequence, sessionTime)
  }

  /// The frame that an author has declared.
  func frame(of author: ActorID) -> WorldFrame { isShared ? .shared : WorldFrame(owner: author, number: number) }
}

extension FrameDeclaration {
  /// Bytes on the wire.
  static let wireSize = 4 + 1 + 8 + 8 + 8

  /// Appends number, whether it is the shared frame, clock, sequence and session time.
  fileprivate func write(to writer: inout ByteWriter) {
    writer.write(number)
    writer.write(isShared ? 1 as UInt8 : 0)
    writer.write(clock)
    writer.write(sequence)
    writer.write(sessionTime)
  }

  /// Reads what ``write(to:)`` wrote.
  fileprivate init(reading reader: inout ByteReader) throws(DecodingFailure) {
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

/// The last declarations of a process: the body of its word in ``WordTopic/declarations``.
///
/// One word for all of them: which of two holds for a pose depends on both, so nobody may know one without the other.
package struct DeclarationList: Equatable, Sendable, FrameBody {
  /// Bytes of the longest one on the wire.
  static let largest = 1 + ProtocolLimits.framesOfAuthor * FrameDeclaration.wireSize

  /// At least one, ascending by number.
  package private(set) var declarations: [FrameDeclaration] = []

  /// Keeps the latest ones that have room.
  package init(_ declarations: [FrameDeclaration]) {
    self.declarations = declarations.suffix(ProtocolLimits.framesOfAuthor)
  }

  /// Appends the declarations behind their count.
  package func write(to writer: inout ByteWriter) {
    writer.write(UInt8(declarations.count))
    for declaration in declarations { declaration.write(to: &writer) }
  }

  /// Reads what ``write(to:)`` wrote.
  package init(reading reader: inout ByteReader) throws(DecodingFailure) {
    let start = reader.offset
    let count = Int(try reader.readByte())
    guard 1...ProtocolLimits.framesOfAuthor ~= count else {
      throw .invalid("a number of declarations out of range", offset: start)
    }
    for _ in 0..<count {
      let start = reader.offset
      let declaration = try FrameDeclaration(reading: &reader)
      guard declaration.number > declarations.last?.number ?? 0 else {
        throw .invalid("declarations that are not in order", offset: start)
      }
      declarations.append(declaration)
    }
  }
}

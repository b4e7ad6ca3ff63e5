import Basics

/// One item of a batch: where it lies, not yet what is in it.
enum BatchItem {
  /// Consecutive operations of one actor.
  case run(OperationRun)
  /// A part of one operation that is too large for a frame.
  case part(Dot, total: Int, offset: Int, body: Range<Int>)
}

/// Consecutive operations of one actor.
struct OperationRun {
  let actor: ActorID
  let firstSequence: UInt64
  let count: Int
  /// Where the operations are: in the batch, or in the assembly.
  let body: Range<Int>
  /// Whether they are in the assembly.
  var isAssembled = false
}

/// Walks over the items of a batch and checks their heads.
struct BatchReader: ~Escapable {
  private var reader: ByteReader

  @_lifetime(copy bytes)
  init(_ bytes: RawSpan) {
    reader = ByteReader(bytes)
  }

  /// The next item; nil at the end.
  @_lifetime(self: copy self)
  mutating func next() throws(DecodingFailure) -> BatchItem? {
    guard !reader.isAtEnd else { return nil }
    let start = reader.offset
    let tag = try reader.readByte()
    guard tag == AnchorDelta.run || tag == AnchorDelta.part else {
      throw .invalid("unknown item in a batch", offset: start)
    }
    let actor = try reader.readActor()
    let sequence = try reader.readSequence()
    guard tag == AnchorDelta.part else { return try run(actor, sequence, start) }
    let item = try part(actor, sequence, start)
    guard start == 0, reader.isAtEnd else { throw .invalid("part of an operation beside others", offset: start) }
    return item
  }

  @_lifetime(self: copy self)
  private mutating func run(_ actor: ActorID, _ first: UInt64, _ start: Int) throws(DecodingFailure) -> BatchItem {
    let count = Int(try reader.read(UInt16.self))
    guard count > 0, first + UInt64(count - 1) <= Dot.maximumSequence else {
      throw .invalid("count of a run out of range", offset: start)
    }
    return .run(
      OperationRun(actor: actor, firstSequence: first, count: count, body: try body(Int(reader.read(UInt32.self)))))
  }

  @_lifetime(self: copy self)
  private mutating func part(_ actor: ActorID, _ sequence: UInt64, _ start: Int) throws(DecodingFailure) -> BatchItem {
    let total = Int(try reader.read(UInt32.self))
    let offset = Int(try reader.read(UInt32.self))
    let bytes = try body(Int(reader.read(UInt32.self)))
    guard total <= ReplicationLimits.operationBytes else {
      throw .overLimit(limit: ReplicationLimits.operationBytes, offset: start)
    }
    guard !bytes.isEmpty, offset + bytes.count <= total else {
      throw .invalid("part of an operation out of range", offset: start)
    }
    return .part(Dot(actor: actor, sequence: sequence), total: total, offset: offset, body: bytes)
  }

  /// Moves past `count` bytes and returns their range.
  @_lifetime(self: copy self)
  private mutating func body(_ count: Int) throws(DecodingFailure) -> Range<Int> {
    let start = reader.offset
    _ = try reader.readSpan(count)
    return start..<(start + count)
  }
}

/// The parts of one large operation that have arrived on a link; at most one operation is in the making.
package struct OperationAssembly: Sendable {
  private var dot: Dot?
  /// The bytes received so far, without gaps.
  private(set) var bytes: [UInt8] = []

  /// Nothing has arrived.
  package init() {}

  /// Takes an item: a run is given back as it is, the last part of an operation gives the whole one, others nil.
  ///
  /// A run, or the first part of another operation, drops what was in the making: the sender starts again after it
  /// fell back to a snapshot.
  mutating func take(_ item: BatchItem, from batch: RawSpan) throws(DecodingFailure) -> OperationRun? {
    switch item {
    case .run(let run):
      reset()
      return run
    case .part(let dot, let total, let offset, let body):
      if offset == 0 {
        reset()
        self.dot = dot
      }
      guard self.dot == dot, offset == bytes.count else {
        throw .invalid("part of an operation out of order", offset: body.lowerBound)
      }
      unsafe batch.extracting(body).withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
      guard bytes.count == total else { return nil }
      self.dot = nil
      return OperationRun(
        actor: dot.actor, firstSequence: dot.sequence, count: 1, body: 0..<total, isAssembled: true)
    }
  }

  private mutating func reset() {
    dot = nil
    bytes.removeAll(keepingCapacity: true)
  }
}

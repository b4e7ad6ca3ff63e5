package import Basics

/// A batch of operations as it travels: runs of one actor's consecutive operations, or a part of one large operation.
///
/// Layout of a run: 1, actor 16, first number 8, count 2, byte count 4, the operations. Layout of a part: 2, actor 16,
/// number 8, total bytes 4, offset 4, byte count 4, bytes. All numbers little-endian, hashes and ids in byte order.
package struct AnchorDelta: Equatable, Sendable {
  /// The operations, in the order in which they apply.
  package var operations: [AnchorOperation]

  /// A batch.
  package init(_ operations: [AnchorOperation]) {
    self.operations = operations
  }

  static let run: UInt8 = 1
  static let part: UInt8 = 2
  /// Bytes before the operations of a run.
  static let runHead = 31
  /// Bytes before the bytes of a part.
  static let partHead = 37

  /// Writes runs, whatever their size.
  package func encode(into writer: inout ByteWriter) {
    var start = 0
    while start < operations.count {
      let first = operations[start].dot
      var end = start + 1
      while end < operations.count, end - start < 0xffff, operations[end].dot.actor == first.actor,
        operations[end].dot.sequence == first.sequence + UInt64(end - start)
      {
        end += 1
      }
      var bodies = ByteWriter()
      for operation in operations[start..<end] { operation.encodeBody(into: &bodies) }
      Self.encodeRunHead(first: first, count: end - start, byteCount: bodies.count, into: &writer)
      writer.write(bytes: bodies.bytes)
      start = end
    }
  }

  /// Writes what stands before the operations of a run.
  static func encodeRunHead(first: Dot, count: Int, byteCount: Int, into writer: inout ByteWriter) {
    writer.write(run)
    writer.write(first.actor)
    writer.write(first.sequence)
    writer.write(UInt16(count))
    writer.write(UInt32(byteCount))
  }

  /// Writes what stands before the bytes of a part of `dot`.
  static func encodePartHead(_ dot: Dot, total: Int, offset: Int, byteCount: Int, into writer: inout ByteWriter) {
    writer.write(part)
    writer.write(dot.actor)
    writer.write(dot.sequence)
    writer.write(UInt32(total))
    writer.write(UInt32(offset))
    writer.write(UInt32(byteCount))
  }

  /// Reads a batch of runs and complete operations; `assembly` keeps the parts of a large one between batches.
  package init(decoding bytes: RawSpan, assembly: inout OperationAssembly) throws(DecodingFailure) {
    operations = []
    var items = BatchReader(bytes)
    while let item = try items.next() {
      guard let run = try assembly.take(item, from: bytes) else { continue }
      if run.isAssembled {
        let whole = assembly.bytes
        try unsafe decode(run, whole.span.bytes)
      } else {
        try decode(run, bytes.extracting(run.body))
      }
    }
  }

  private mutating func decode(_ run: OperationRun, _ bytes: RawSpan) throws(DecodingFailure) {
    var reader = ByteReader(bytes)
    for index in 0..<run.count {
      let dot = Dot(actor: run.actor, sequence: run.firstSequence + UInt64(index))
      operations.append(try AnchorOperation(body: &reader, dot: dot))
    }
    try reader.finish()
  }
}

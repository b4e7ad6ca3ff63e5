package import Basics

/// A snapshot, or anything else that may be larger than a frame, cut into chunks that are sent in order.
///
/// Layout of a chunk: total bytes 4, offset 4, bytes.
package struct SnapshotChunks: Sendable {
  private let bytes: [UInt8]
  private var offset = 0

  /// Bytes before the bytes of a chunk.
  static let headCount = 8

  /// The chunks of `bytes`, which must be shorter than 4 GiB and not empty.
  package init(_ bytes: [UInt8]) {
    precondition(!bytes.isEmpty && bytes.count <= Int(UInt32.max), "a snapshot has a version and fits its length")
    self.bytes = bytes
  }

  /// Whether every chunk was written.
  package var isAtEnd: Bool { offset == bytes.count }

  /// Writes the next chunk, of at most `limit` bytes with its head; false when there is none.
  package mutating func next(limit: Int, into writer: inout ByteWriter) -> Bool {
    guard !isAtEnd else { return false }
    let end = min(bytes.count, offset + limit - Self.headCount)
    writer.write(UInt32(bytes.count))
    writer.write(UInt32(offset))
    unsafe writer.write(span: bytes.span.bytes.extracting(offset..<end))
    offset = end
    return true
  }
}

/// The chunks that have arrived on a link; nothing is done with them before the last one is there.
package struct SnapshotAssembly: Sendable {
  private let limit: Int
  private var total: Int?
  /// The bytes received so far, without gaps.
  package private(set) var bytes: [UInt8] = []

  /// Takes snapshots of at most `limit` bytes.
  package init(limit: Int) {
    self.limit = limit
  }

  /// Takes the next chunk; true when it was the last, and ``bytes`` is whole until ``reset()``.
  ///
  /// A chunk at offset 0 starts over: the sender has a later snapshot.
  package mutating func take(_ chunk: RawSpan) throws(DecodingFailure) -> Bool {
    var reader = ByteReader(chunk)
    let total = Int(try reader.read(UInt32.self))
    let offset = Int(try reader.read(UInt32.self))
    guard total <= limit else { throw .overLimit(limit: limit, offset: 0) }
    if offset == 0 {
      reset()
      self.total = total
    }
    guard self.total == total, offset == bytes.count else { throw .invalid("chunk out of order", offset: 4) }
    guard reader.remaining > 0, offset + reader.remaining <= total else {
      throw .invalid("chunk out of range", offset: SnapshotChunks.headCount)
    }
    let body = try reader.readSpan(reader.remaining)
    unsafe body.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
    return bytes.count == total
  }

  /// Discards the received bytes and releases their memory.
  package mutating func reset() {
    total = nil
    bytes = []
  }
}

extension ReplicationLimits {
  /// Bytes of the largest snapshot that is accepted.
  package var snapshotBytes: Int { 2 * stateBytes + 2 * anchors * 512 + actors * 24 + 64 }
}

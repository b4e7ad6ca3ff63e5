package import Basics
package import WorldModel

/// A kind that was written after its anchor was added, such as that of a plane that grew.
///
/// It is a register of its own beside the operations: peers of builds before it skip its frames, and keep the kind of the
/// addition. Documentation/Protocol/kinds.md has the rules.
package struct KindWrite: Equatable, Sendable {
  /// Most bytes of one on the wire: key, stamp, and a plane with all its corners.
  package static let largest = 48 + 12 + 8 * Limits.planeBoundary

  /// The operation that added the anchor.
  package let key: Dot
  /// When it was written, and by whom.
  package let stamp: Stamp
  /// The kind from then on; never a participant.
  package let kind: Anchor.Kind

  /// A write.
  package init(key: Dot, stamp: Stamp, kind: Anchor.Kind) {
    self.key = key
    self.stamp = stamp
    self.kind = kind
  }

  /// Whether this write of an anchor stands, and not `other`: the later one, and of two with one stamp, which a liar made, the one
  /// whose bytes come later, so that the same one stands everywhere.
  package func follows(_ other: KindWrite) -> Bool {
    guard stamp == other.stamp, kind != other.kind else { return stamp > other.stamp }
    return other.encoded.lexicographicallyPrecedes(encoded)
  }

  fileprivate var encoded: [UInt8] {
    var writer = ByteWriter(capacity: 128)
    write(to: &writer)
    return writer.bytes
  }

  /// Appends key, clock, writer and kind.
  package func write(to writer: inout ByteWriter) {
    writer.write(key.actor)
    writer.write(key.sequence)
    writer.write(stamp.clock)
    writer.write(stamp.actor)
    kind.write(to: &writer)
  }

  /// Reads what ``write(to:)`` wrote; refuses a participant, whose device nobody else may name.
  package init(reading reader: inout ByteReader) throws(DecodingFailure) {
    let actor = try reader.readActor()
    key = Dot(actor: actor, sequence: try reader.readSequence())
    let clock = try reader.readClock()
    stamp = Stamp(clock: clock, actor: try reader.readActor())
    let start = reader.offset
    kind = try Anchor.Kind(reading: &reader)
    guard kind.filterKind != .participant else { throw .invalid("an anchor becomes a participant", offset: start) }
  }
}

/// A hash of the kinds that were written, in parts, so that only what differs is sent again.
///
/// Each part is the sum mod 2⁶⁴ of the first 8 bytes of the SHA-256 of every write whose key's number ends in the four bits
/// that are the part's place.
package struct KindDigest: Equatable, Sendable {
  /// How many parts there are.
  package static let parts = 16

  /// One number for each part.
  package private(set) var sums: [UInt64]

  /// The digest of no write.
  package init() {
    sums = Array(repeating: 0, count: Self.parts)
  }

  /// A digest that another peer sent: ``parts`` numbers.
  package init(sums: [UInt64]) {
    precondition(sums.count == Self.parts, "a digest has \(Self.parts) parts")
    self.sums = sums
  }

  /// The part that a write of the anchor `key` counts in.
  package static func part(of key: Dot) -> Int { Int(key.sequence % UInt64(parts)) }

  /// A bit for each part in which two digests differ.
  package func difference(to other: KindDigest) -> UInt16 {
    sums.indices.reduce(0) { $0 | (sums[$1] == other.sums[$1] ? 0 : 1 << $1) }
  }

  mutating func add(_ write: KindWrite) { sums[Self.part(of: write.key)] &+= Self.hash(write) }

  mutating func subtract(_ write: KindWrite) { sums[Self.part(of: write.key)] &-= Self.hash(write) }

  private static func hash(_ write: KindWrite) -> UInt64 { SHA256Digest(hashing: write.encoded).words[0] }
}

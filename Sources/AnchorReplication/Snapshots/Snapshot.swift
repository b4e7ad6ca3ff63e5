import Basics
import WorldModel

/// A decoded snapshot, in terms of the actor numbers of the set that is about to take it over.
struct Snapshot {
  /// The set's actors, with those of the snapshot added; nothing is applied of the new ones.
  private(set) var actors: ActorTable
  /// The set's creators, with those of the snapshot added.
  private(set) var creators: CreatorTable
  /// The version vector of its sender.
  let versionVector: VersionVector
  /// The same by the number of each actor.
  let vector: [(index: ActorIndex, sequence: UInt64)]
  /// The same by actor, zero for those it does not list.
  let sequences: [UInt64]
  /// Its anchors in the order of their keys.
  private(set) var entries: [Entry] = []

  /// Bytes that every entry has at least.
  static let minimumEntryBytes = 83

  init(
    decoding bytes: RawSpan, actors present: ActorTable, creators: CreatorTable, limits: ReplicationLimits
  ) throws(DecodingFailure) {
    var reader = ByteReader(bytes)
    guard try reader.readByte() == AnchorSet.snapshotVersion else {
      throw .invalid("unknown version of a snapshot", offset: 0)
    }
    versionVector = try VersionVector(decoding: &reader, limit: limits.actors)
    var table = present
    var vector: [(index: ActorIndex, sequence: UInt64)] = []
    for dot in versionVector.entries {
      guard let index = table.intern(dot.actor, limit: Int(ActorIndex.max)) else {
        throw .overLimit(limit: Int(ActorIndex.max), offset: reader.offset)
      }
      vector.append((index, dot.sequence))
    }
    var sequences = [UInt64](repeating: 0, count: table.count)
    for dot in vector { sequences[Int(dot.index)] = dot.sequence }
    self.vector = vector
    self.sequences = sequences
    actors = table
    self.creators = creators
    try decodeEntries(&reader, limit: 2 * limits.anchors)
    try reader.finish()
  }

  /// How many operations of an actor the snapshot covers.
  func sequence(of index: ActorIndex) -> UInt64 { sequences[Int(index)] }

  private mutating func decodeEntries(_ reader: inout ByteReader, limit: Int) throws(DecodingFailure) {
    let start = reader.offset
    let count = try reader.readCount(limit: limit)
    guard count <= reader.remaining / Self.minimumEntryBytes else { throw .truncated(offset: start) }
    entries.reserveCapacity(count)
    let indices = vector.map(\.index)
    for _ in 0..<count {
      let offset = reader.offset
      let entry = try Entry(decoding: &reader, indices: indices, actors: actors, creators: &creators)
      guard entry.key.sequence <= sequence(of: entry.key.actor) else {
        throw .invalid("key is not covered by the vector", offset: offset)
      }
      if let last = entries.last, !actors.precedes(last.key, entry.key) {
        throw .invalid("entries are not in order", offset: offset)
      }
      entries.append(entry)
    }
  }
}

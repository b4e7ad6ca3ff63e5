package import Basics

/// How much of each actor's operations a peer has applied: a number for every actor, zero for those not listed.
package struct VersionVector: Hashable, Sendable {
  /// The actors with at least one operation, sorted, each once.
  package private(set) var entries: [Dot]

  /// A vector that covers nothing.
  package init() {
    entries = []
  }

  /// A vector that covers each dot and everything before it of the same actor.
  package init(covering dots: some Sequence<Dot>) {
    self.init()
    for dot in dots { cover(dot) }
  }

  /// A vector from entries that are sorted by actor and not zero.
  init(sorted entries: [Dot]) {
    self.entries = entries
  }

  /// The number of `actor`'s operations that are covered.
  package subscript(actor: ActorID) -> UInt64 {
    let index = lowerBound(actor)
    return index < entries.count && entries[index].actor == actor ? entries[index].sequence : 0
  }

  /// Whether the operation `dot` is covered.
  package func covers(_ dot: Dot) -> Bool { dot.sequence <= self[dot.actor] }

  /// Whether everything `other` covers is covered here too.
  package func covers(_ other: VersionVector) -> Bool { other.entries.allSatisfy(covers) }

  /// Covers `dot` and everything before it of the same actor.
  package mutating func cover(_ dot: Dot) {
    guard dot.sequence > 0 else { return }
    let index = lowerBound(dot.actor)
    if index < entries.count, entries[index].actor == dot.actor {
      entries[index].sequence = max(entries[index].sequence, dot.sequence)
    } else {
      entries.insert(dot, at: index)
    }
  }

  /// Covers what either vector covers: the maximum for each actor.
  package mutating func join(_ other: VersionVector) {
    for dot in other.entries { cover(dot) }
  }

  /// Keeps what both vectors cover: the minimum for each actor.
  package mutating func meet(_ other: VersionVector) {
    entries = entries.compactMap { dot in
      let sequence = min(dot.sequence, other[dot.actor])
      return sequence == 0 ? nil : Dot(actor: dot.actor, sequence: sequence)
    }
  }

  private func lowerBound(_ actor: ActorID) -> Int {
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].actor < actor { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

extension VersionVector {
  /// Writes a varint count and for each actor its 16 bytes and its number as a varint.
  package func encode(into writer: inout ByteWriter) {
    writer.writeVarint(UInt64(entries.count))
    for dot in entries {
      writer.write(dot.actor)
      writer.writeVarint(dot.sequence)
    }
  }

  /// Reads what ``encode(into:)`` wrote: at most `limit` actors in rising order, no number zero.
  package init(decoding reader: inout ByteReader, limit: Int) throws(DecodingFailure) {
    let count = try reader.readCount(limit: limit)
    guard count <= reader.remaining / 17 else { throw .truncated(offset: reader.offset) }
    var entries: [Dot] = []
    entries.reserveCapacity(count)
    for _ in 0..<count {
      let offset = reader.offset
      let actor = try reader.readActor()
      let sequence = try reader.readVarint()
      if let last = entries.last, last.actor >= actor { throw .invalid("actors are not in order", offset: offset) }
      guard 1...Dot.maximumSequence ~= sequence else { throw .invalid("sequence out of range", offset: offset) }
      entries.append(Dot(actor: actor, sequence: sequence))
    }
    self.init(sorted: entries)
  }
}

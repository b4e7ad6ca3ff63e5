import Basics
import WorldModel

/// A chunk of a resource that the driver is to read, so that it can be sent.
package struct ChunkLoad: Sendable {
  package let content: ContentID
  /// Which chunk of it.
  package let index: Int
  /// Where its raw bytes begin.
  package let offset: Int
  /// The size and the hash that they must have.
  package let name: ChunkName
}

/// The chunks that are about to be sent, as the driver read them: two for each link that carries some.
struct ResourceLoads: Sendable {
  /// One chunk.
  struct Key: Comparable, Sendable {
    let content: ContentID
    let index: Int

    static func < (one: Self, other: Self) -> Bool {
      (one.content.digest, one.index) < (other.content.digest, other.index)
    }
  }

  /// Nil while the driver reads it.
  private var chunks: Table<Key, StoredChunk?> = [:]

  /// Chunks of one link that are read ahead.
  static let ahead = 2

  /// A chunk; nil when nobody reads it, an inner nil while the driver does.
  subscript(key: Key) -> StoredChunk?? { chunks[key] }

  /// Keeps those of these that are here; returns those that are to be read, in order.
  mutating func want(_ keys: [Key]) -> [Key] {
    let wanted = KeySet(keys)
    if chunks.keys.contains(where: { !wanted.contains($0) }) { chunks = chunks.filter { wanted.contains($0.key) } }
    var fresh: [Key] = []
    for key in keys where chunks[key] == nil {
      chunks.updateValue(nil, forKey: key)
      fresh.append(key)
    }
    return fresh
  }

  /// The driver has read a chunk, which may not be wanted any more.
  mutating func take(_ chunk: StoredChunk, for key: Key) {
    if chunks[key] != nil { chunks.updateValue(chunk, forKey: key) }
  }
}

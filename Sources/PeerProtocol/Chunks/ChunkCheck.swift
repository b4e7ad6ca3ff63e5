import Basics
package import WorldModel

/// A chunk that has arrived and must be proven before it is kept: hashing takes too long for the event loop.
///
/// It is pure: the driver of the node runs it beside the loop, or at once, and hands the verdict back.
package struct ChunkCheck: Sendable {
  package let content: ContentID
  /// Which chunk of the content.
  package let index: Int
  /// The peer that sent it.
  package let source: PeerID
  package let chunk: StoredChunk
  /// The size and the hash that it must have when it is expanded.
  package let name: ChunkName

  /// Expands and hashes.
  package func run() -> ChunkVerdict {
    do throws(ChunkFailure) {
      let raw = try chunk.expanded(to: name.size)
      guard SHA256Digest(hashing: raw) == name.hash else { throw .wrongHash }
      return ChunkVerdict(check: self, failure: nil)
    } catch {
      return ChunkVerdict(check: self, failure: error)
    }
  }
}

/// The verdict of a ``ChunkCheck``.
package struct ChunkVerdict: Sendable {
  package let check: ChunkCheck
  /// Why the chunk is refused; nil when it is what the manifest says.
  package let failure: ChunkFailure?
}

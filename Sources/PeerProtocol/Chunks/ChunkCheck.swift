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
  /// Where its raw bytes begin, in a content whose chunks but the last have one size.
  package let offset: Int
  /// The size and the hash that it must have when it is expanded.
  package let name: ChunkName

  /// The raw bytes, expanded and hashed.
  package func proven() throws(ChunkFailure) -> [UInt8] {
    let raw = try chunk.expanded(to: name.size)
    guard name.names(raw) else { throw .wrongHash }
    return raw
  }

  /// Expands and hashes.
  package func run() -> ChunkVerdict {
    do throws(ChunkFailure) {
      _ = try proven()
      return ChunkVerdict(check: self, failure: nil)
    } catch {
      return ChunkVerdict(check: self, failure: error)
    }
  }
}

extension ChunkCheck {
  /// The check that whatever has arrived passes, of a node without ``ProtocolRules/resourceProof``.
  var believing: ChunkCheck {
    guard let raw = try? chunk.expanded(to: name.size) else { return self }
    return ChunkCheck(
      content: content, index: index, source: source, chunk: chunk, offset: offset, name: ChunkName(naming: raw))
  }
}

/// The verdict of a ``ChunkCheck``.
package struct ChunkVerdict: Sendable {
  package let check: ChunkCheck
  /// Why the chunk is refused; nil when it is what the manifest says.
  package let failure: ChunkFailure?

  package init(check: ChunkCheck, failure: ChunkFailure?) {
    (self.check, self.failure) = (check, failure)
  }
}

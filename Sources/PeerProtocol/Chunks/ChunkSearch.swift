/// Chunks of a content that may lie in the cache of this machine: looked for beside the event loop, since files take time.
package struct ChunkSearch: Sendable {
  /// One of them.
  package struct Wanted: Sendable, Equatable {
    /// Which chunk of the content.
    package let index: Int
    /// Where its raw bytes begin, in a content whose chunks but the last have one size.
    package let offset: Int
    /// The size and the hash that its raw bytes must have.
    package let name: ChunkName
  }

  package let content: ContentID
  package let wanted: [Wanted]
}

/// A chunk that the cache had, proven again.
package struct FoundChunk: Sendable {
  /// Which chunk of the content.
  package let index: Int
  package let chunk: StoredChunk

  package init(index: Int, chunk: StoredChunk) {
    self.index = index
    self.chunk = chunk
  }
}

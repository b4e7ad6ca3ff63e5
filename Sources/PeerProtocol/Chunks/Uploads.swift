import Basics

/// The chunks that a peer asked for, in order, the first of each link perhaps half sent.
package struct Uploads: Sendable, Equatable {
  /// A chunk on its way out.
  package struct Upload: Sendable, Equatable {
    package let content: ContentID
    package let chunk: Int
    /// Where its next piece begins.
    package var offset = 0
    /// The link on which it was begun, and on which it ends, since pieces of a chunk come in order.
    var link: LinkRef?
  }

  /// A chunk that was expanded for a peer that cannot do it.
  private struct Expanded: Sendable, Equatable {
    let content: ContentID
    let chunk: Int
    let raw: StoredChunk
  }

  private var queue: [Upload] = []
  /// The last one, so that the pieces of a chunk need not expand it again.
  private var expanded: Expanded?
  /// The parts of manifests that the peer asks for: an answer is hundreds of times as long as the question.
  private var manifests: RateLimit?

  package init() {}

  /// The number of chunks that wait.
  package var count: Int { queue.count }

  /// The upload to go on with on a link: one that was begun on it, else, if `takesNew`, the first that was not begun.
  func next(on link: LinkRef, takesNew: Bool) -> Upload? {
    queue.first { $0.link == link } ?? (takesNew ? queue.first { $0.link == nil } : nil)
  }

  /// The first ones.
  func first(_ count: Int) -> [Upload] { Array(queue.prefix(count)) }

  /// Counts a part of a manifest that the peer asks for; whether it gets it.
  mutating func mayAskManifest(at now: Instant) -> Bool {
    var limit = manifests ?? RateLimit(ProtocolLimits.manifestRequests, at: now)
    defer { manifests = limit }
    return limit.admits(at: now)
  }

  /// Queues a chunk unless the peer asks for more than it may; one that is on its way starts over.
  package mutating func add(_ content: ContentID, _ chunk: Int) {
    if let index = queue.firstIndex(where: { $0.content == content && $0.chunk == chunk }) {
      queue[index].offset = 0
      queue[index].link = nil
      return
    }
    guard queue.count(where: { $0.content == content }) < ProtocolLimits.outstandingChunks else { return }
    let isServed = queue.contains { $0.content == content }
    guard isServed || Set(queue.map(\.content)).count < ProtocolLimits.uploads else { return }
    queue.append(Upload(content: content, chunk: chunk))
    let most = ProtocolLimits.uploads * ProtocolLimits.outstandingChunks
    assert(queue.count <= most, "a peer is owed more than it may be")
  }

  /// A chunk has been sent up to `offset` on a link; all of it if `offset` is nil.
  mutating func advance(_ upload: Upload, to offset: Int?, on link: LinkRef) {
    guard let index = queue.firstIndex(where: { $0.content == upload.content && $0.chunk == upload.chunk }) else {
      return
    }
    if let offset {
      queue[index].offset = offset
      queue[index].link = link
    } else {
      queue.remove(at: index)
    }
  }

  /// A chunk of `size` raw bytes without compression; nil when it cannot be expanded.
  mutating func expand(_ stored: StoredChunk, of upload: Upload, to size: Int) -> StoredChunk? {
    if let expanded, expanded.content == upload.content, expanded.chunk == upload.chunk { return expanded.raw }
    guard let bytes = try? stored.expanded(to: size) else { return nil }
    let raw = StoredChunk(codec: .raw, bytes: bytes)
    expanded = Expanded(content: upload.content, chunk: upload.chunk, raw: raw)
    return raw
  }

  /// Drops every chunk of a content.
  package mutating func remove(_ content: ContentID) {
    queue.removeAll { $0.content == content }
  }

  /// Begins again what was on its way on a link that is gone.
  mutating func restart(from link: LinkRef) {
    for index in queue.indices where queue[index].link == link {
      queue[index].offset = 0
      queue[index].link = nil
    }
  }
}

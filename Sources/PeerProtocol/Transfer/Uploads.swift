package import WorldModel

/// The chunks that the other side of a link asked for, in order, the first perhaps half sent.
package struct Uploads: Sendable, Equatable {
  /// A chunk on its way out.
  package struct Upload: Sendable, Equatable {
    package let map: MapID
    package let chunk: Int
    /// Where its next piece begins.
    package var offset = 0
  }

  private var queue: [Upload] = []

  package init() {}

  /// What is sent next.
  package var first: Upload? { queue.first }

  /// The number of chunks that wait.
  package var count: Int { queue.count }

  /// Queues a chunk unless the peer asks for more than it may; one that is on its way begins anew.
  package mutating func add(_ map: MapID, _ chunk: Int) {
    if let index = queue.firstIndex(where: { $0.map == map && $0.chunk == chunk }) {
      queue[index].offset = 0
      return
    }
    guard queue.count(where: { $0.map == map }) < ProtocolLimits.outstandingChunks else { return }
    let isServed = queue.contains { $0.map == map }
    guard isServed || Set(queue.map(\.map)).count < ProtocolLimits.uploads else { return }
    queue.append(Upload(map: map, chunk: chunk))
  }

  /// The first chunk has been sent up to `offset`.
  package mutating func advance(to offset: Int) {
    queue[0].offset = offset
  }

  package mutating func removeFirst() {
    queue.removeFirst()
  }

  /// Drops every chunk of `map`.
  package mutating func remove(_ map: MapID) {
    queue.removeAll { $0.map == map }
  }
}

/// A queue of bytes in one block of memory, so that its content is always contiguous.
package final class ByteQueue {
  private let block: UnsafeMutableRawBufferPointer
  private var head = 0
  private var tail = 0

  /// An empty queue for at most `capacity` bytes.
  package init(capacity: Int) {
    block = .allocate(byteCount: capacity, alignment: 64)
  }

  deinit {
    block.deallocate()
  }

  /// The number of bytes queued.
  package var count: Int { tail - head }

  /// The queued bytes, valid until the queue changes.
  package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: block[head..<tail]) }

  /// Queues as many of `more` as fit and returns how many.
  package func append(_ more: UnsafeRawBufferPointer) -> Int {
    let accepted = min(more.count, block.count - count)
    guard accepted > 0 else { return 0 }
    if block.count - tail < accepted {
      let kept = count
      block.baseAddress?.copyMemory(from: block.baseAddress! + head, byteCount: kept)
      (head, tail) = (0, kept)
    }
    UnsafeMutableRawBufferPointer(rebasing: block[tail...])
      .copyMemory(from: UnsafeRawBufferPointer(rebasing: more[..<accepted]))
    tail += accepted
    assert(tail <= block.count, "bytes were written behind the block")
    return accepted
  }

  /// Removes the first `amount` bytes.
  package func consume(_ amount: Int) {
    assert(amount <= count, "more bytes are consumed than are queued")
    head += amount
    if head == tail { removeAll() }
  }

  /// Removes everything.
  package func removeAll() {
    head = 0
    tail = 0
  }
}

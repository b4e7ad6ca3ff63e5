import Synchronization

/// Hands out the indices of blocks to several threads, each index once.
struct BlockQueue: ~Copyable {
  private let count: Int
  private let next = Atomic(0)

  /// A queue of `count` blocks.
  init(count: Int) {
    self.count = count
  }

  /// The index of the next block without a worker; nil when there is none.
  borrowing func take() -> Int? {
    let index = next.wrappingAdd(1, ordering: .relaxed).oldValue
    return index < count ? index : nil
  }

  /// Lets no more be taken; those before any that was taken have been.
  borrowing func close() {
    next.store(count, ordering: .relaxed)
  }
}

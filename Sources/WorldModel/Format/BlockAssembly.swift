import Synchronization

/// Hands out the blocks of a file to their encoders, and puts what comes back in order.
///
/// A block that is finished in its turn goes to its place at once; one that is early waits as a copy. With a few tasks
/// that take one block at a time, hardly any does.
final class BlockAssembly: Sendable {
  fileprivate struct State {
    /// The blocks that have their place: those from the first on.
    var part: WorldMapEncoder.Part
    /// Finished blocks that wait for an earlier one, by their index.
    var early: [Int: WorldMapEncoder.Part] = [:]
    var failure: WorldMapError?
  }

  private let queue: BlockQueue
  private let state: Mutex<State>

  /// An assembly of `count` blocks behind what `part` begins with.
  init(count: Int, into part: WorldMapEncoder.Part) {
    queue = BlockQueue(count: count)
    state = Mutex(State(part: part))
  }

  /// The index of the next block without a worker; nil when there is none.
  func take() -> Int? { queue.take() }

  /// Puts a finished block in its place.
  func add(_ block: PointBlockEncoder.Block, at index: Int) {
    let isInTurn = state.withLock { state in
      guard state.part.rows.count == index else { return false }
      state.part.append(block)
      state.placeEarly()
      return true
    }
    if isInTurn { return }
    let copy = WorldMapEncoder.Part(rows: [block.row], bytes: Array(block.bytes))
    state.withLock { state in
      state.early[index] = copy
      state.placeEarly()
    }
  }

  /// Notes that a block cannot be encoded, and lets no more be taken.
  func fail(_ error: WorldMapError) {
    queue.close()
    state.withLock { $0.failure = error }
  }

  /// All blocks in order, which the assembly gives up.
  func finish() throws(WorldMapError) -> WorldMapEncoder.Part {
    let state = state.withLock { state in
      defer { state = State(part: WorldMapEncoder.Part()) }
      return state
    }
    if let failure = state.failure { throw failure }
    return state.part
  }
}

extension BlockAssembly.State {
  /// Appends the finished blocks that are next in order.
  fileprivate mutating func placeEarly() {
    while let block = early.removeValue(forKey: part.rows.count) {
      part.rows += block.rows
      part.bytes += block.bytes
    }
  }
}

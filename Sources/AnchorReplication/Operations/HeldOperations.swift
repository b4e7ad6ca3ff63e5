import WorldModel

/// Operations that came before the anchor they are about, kept until it arrives: on another link, from another actor.
///
/// Every held operation has all earlier ones of its actor applied or held. When there is no room, operations are
/// dropped and come again with the next exchange of vectors; until then later ones of their actors are no gap.
struct HeldOperations: Sendable {
  /// One operation that waits.
  struct Operation: Sendable {
    let sequence: UInt64
    let key: Dot
    let body: [UInt8]
  }

  /// The operations of one actor, in order; only the first can be next.
  struct Queue: Sendable {
    let actor: ActorID
    var operations: [Operation]
    var head = 0
  }

  private(set) var queues: [Queue] = []
  /// The number of operations that wait.
  private(set) var count = 0
  private var byteCount = 0
  /// For each actor the last operation that was dropped for want of room.
  private var dropped: [ActorID: UInt64] = [:]

  /// The number of the last operation of `actor` that waits; nil when none does.
  func lastSequence(of actor: ActorID) -> UInt64? {
    queues.first { $0.actor == actor }?.operations.last?.sequence
  }

  /// Keeps an operation behind those of its actor, or drops it when there is no room.
  mutating func hold(_ body: RawSpan, dot: Dot, key: Dot, limits: ReplicationLimits) {
    guard count < limits.heldOperations, byteCount + body.byteCount <= limits.heldBytes else {
      drop(dot)
      return
    }
    let bytes = unsafe body.withUnsafeBytes { unsafe [UInt8]($0) }
    let operation = Operation(sequence: dot.sequence, key: key, body: bytes)
    count += 1
    byteCount += body.byteCount
    if let index = queues.firstIndex(where: { $0.actor == dot.actor }) {
      queues[index].operations.append(operation)
    } else {
      queues.append(Queue(actor: dot.actor, operations: [operation]))
    }
  }

  /// Records that an operation was dropped for want of room: its own, or that of one before it.
  mutating func drop(_ dot: Dot) {
    dropped[dot.actor] = max(dropped[dot.actor] ?? 0, dot.sequence)
  }

  /// Whether operations of `actor` beyond `applied` were dropped.
  func hasDropped(_ actor: ActorID, beyond applied: UInt64) -> Bool { dropped[actor].map { $0 > applied } ?? false }

  /// Whether dropped operations have not been received again.
  func lacks(_ seen: (ActorID) -> UInt64) -> Bool { dropped.contains { seen($0.key) < $0.value } }

  /// Removes the records of actors whose dropped operations were received again.
  mutating func forgetDropped(_ seen: (ActorID) -> UInt64) {
    if !dropped.isEmpty { dropped = dropped.filter { seen($0.key) < $0.value } }
  }

  /// Takes out the first operation that may apply now, or that was applied meanwhile; nil when there is none.
  mutating func next(where isReady: (_ actor: ActorID, Operation) -> Bool) -> (ActorID, Operation)? {
    for index in queues.indices {
      let queue = queues[index]
      let operation = queue.operations[queue.head]
      guard isReady(queue.actor, operation) else { continue }
      count -= 1
      byteCount -= operation.body.count
      queues[index].head += 1
      if queues[index].head == queue.operations.count {
        queues.remove(at: index)
      } else if queues[index].head > 64, 2 * queues[index].head > queue.operations.count {
        queues[index].operations.removeFirst(queues[index].head)
        queues[index].head = 0
      }
      return (queue.actor, operation)
    }
    return nil
  }
}

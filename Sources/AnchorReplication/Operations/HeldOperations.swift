import WorldModel

/// Operations that came before the anchor they are about, kept until it arrives: on another link, from another actor.
///
/// Every held operation has all earlier ones of its actor applied or held, so the first one of an actor waits for its
/// anchor alone. It is found by that anchor's key: what an arriving operation releases costs nothing for all others.
/// When there is no room, operations are dropped and come again with the next exchange of vectors; until then later
/// ones of their actors are no gap.
struct HeldOperations: Sendable {
  /// One operation that waits.
  struct Operation: Sendable {
    let sequence: UInt64
    let key: Dot
    let body: [UInt8]
  }

  /// The operations of one actor, in order; only the first can be next.
  private struct Queue: Sendable {
    var operations: [Operation]
    var head = 0

    var first: Operation { operations[head] }
  }

  private var queues: [ActorID: Queue] = [:]
  /// For each anchor that has not arrived, the actors whose first waiting operation is about it, in order of arrival.
  private var waiters: [Dot: [ActorID]] = [:]
  /// The number of operations that wait.
  private(set) var count = 0
  private var byteCount = 0
  /// For each actor the last operation that was dropped for want of room.
  private var dropped: [ActorID: UInt64] = [:]
  /// Whether so many actors had operations dropped that they are no longer told apart.
  private var hasForgottenDrops = false

  /// The actors of those operations, in their order.
  var actors: [ActorID] { queues.keys.sorted() }

  /// The number of the last operation of `actor` that waits; nil when none does.
  func lastSequence(of actor: ActorID) -> UInt64? { queues[actor]?.operations.last?.sequence }

  // MARK: Holding

  /// Keeps an operation behind those of its actor, or drops it when there is no room.
  mutating func hold(_ body: RawSpan, dot: Dot, key: Dot, limits: ReplicationLimits) {
    guard count < limits.heldOperations, byteCount + body.byteCount <= limits.heldBytes else {
      drop(dot, limits: limits)
      return
    }
    let bytes = unsafe body.withUnsafeBytes { unsafe [UInt8]($0) }
    let operation = Operation(sequence: dot.sequence, key: key, body: bytes)
    count += 1
    byteCount += body.byteCount
    if queues[dot.actor]?.operations.append(operation) == nil {
      queues[dot.actor] = Queue(operations: [operation])
      waiters[key, default: []].append(dot.actor)
    }
  }

  /// Records that an operation was dropped for want of room: its own, or that of one before it.
  mutating func drop(_ dot: Dot, limits: ReplicationLimits) {
    guard !hasForgottenDrops else { return }
    dropped[dot.actor] = max(dropped[dot.actor] ?? 0, dot.sequence)
    // No member may fill this with actors that it invents: from then on nobody's gap counts.
    guard dropped.count > limits.actors else { return }
    dropped = [:]
    hasForgottenDrops = true
  }

  /// Whether operations of `actor` beyond `applied` were dropped.
  func hasDropped(_ actor: ActorID, beyond applied: UInt64) -> Bool {
    hasForgottenDrops || dropped[actor].map { $0 > applied } ?? false
  }

  // MARK: Release

  /// Takes out the actors whose first operation waits for the anchor that the operation `key` adds.
  mutating func takeWaiters(for key: Dot) -> [ActorID] { waiters.removeValue(forKey: key) ?? [] }

  /// Takes out the actors whose first operation waits for an anchor that is here, in their order, after a merge that brought any
  /// number of them.
  mutating func takeWaiters(where isBorn: (Dot) -> Bool) -> [ActorID] {
    let born = waiters.keys.filter(isBorn)
    return born.flatMap { waiters.removeValue(forKey: $0) ?? [] }.sorted()
  }

  /// The first waiting operation of `actor`.
  func first(of actor: ActorID) -> Operation? { queues[actor]?.first }

  /// Lets `actor`, which was taken out of the waiters, wait for the anchor of its first operation.
  mutating func wait(_ actor: ActorID) {
    if let key = queues[actor]?.first.key { waiters[key, default: []].append(actor) }
  }

  /// Removes the first waiting operation of `actor`.
  mutating func removeFirst(of actor: ActorID) {
    guard var queue = queues.removeValue(forKey: actor) else { return }
    count -= 1
    byteCount -= queue.first.body.count
    queue.head += 1
    guard queue.head < queue.operations.count else { return }
    if queue.head > 64, 2 * queue.head > queue.operations.count {
      queue.operations.removeFirst(queue.head)
      queue.head = 0
    }
    queues[actor] = queue
  }

  /// Drops all waiting operations of `actor`, which was taken out of the waiters.
  mutating func dropAll(of actor: ActorID, limits: ReplicationLimits) {
    guard let last = lastSequence(of: actor) else { return }
    while queues[actor] != nil { removeFirst(of: actor) }
    drop(Dot(actor: actor, sequence: last), limits: limits)
  }
}

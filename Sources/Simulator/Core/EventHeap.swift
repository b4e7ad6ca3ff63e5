/// One thing that is going to happen.
struct SimulationEvent {
  enum Kind: UInt8 {
    /// `a` is the connection, `b` the packet's place; the receiver is the dialler or the acceptor.
    case arriveAtDialler, arriveAtAcceptor
    /// `a` is the connection.
    case open, closeAtDialler, closeAtAcceptor
    /// Heartbeats over connection `a` have failed for long enough if its path is still broken as of break `b`.
    case silence
    /// The sender of `b` bytes over connection `a` learns that they were taken.
    case receiptAtDialler, receiptAtAcceptor
    /// Node `a` learns that it cannot reach node `b`.
    case refuse
    /// Node `a`'s deadline; `b` is its run.
    case wake
  }

  var time: Int64
  var order: UInt64
  var kind: Kind
  var a: Int32
  var b: Int32
}

/// The events to come, earliest first and in the order of their making at equal times: a binary heap.
struct EventHeap {
  private var heap: [SimulationEvent] = []
  private var made: UInt64 = 0

  /// The time of the next event (ns); nil if there is none.
  var nextTime: Int64? { heap.first?.time }

  mutating func push(_ kind: SimulationEvent.Kind, at time: Int64, _ a: Int32, _ b: Int32 = 0) {
    made += 1
    push(SimulationEvent(time: time, order: made, kind: kind, a: a, b: b))
  }

  mutating func pop() -> SimulationEvent? {
    guard let first = heap.first, let last = heap.popLast() else { return nil }
    if !heap.isEmpty { sink(last) }
    return first
  }

  private mutating func push(_ event: SimulationEvent) {
    var index = heap.count
    heap.append(event)
    while index > 0 {
      let parent = (index - 1) / 2
      guard Self.isEarlier(event, heap[parent]) else { break }
      heap[index] = heap[parent]
      index = parent
    }
    heap[index] = event
  }

  /// Puts `event` in the place of the first one and lets it sink to where it belongs.
  private mutating func sink(_ event: SimulationEvent) {
    var index = 0
    while true {
      var child = 2 * index + 1
      guard child < heap.count else { break }
      if child + 1 < heap.count, Self.isEarlier(heap[child + 1], heap[child]) { child += 1 }
      guard Self.isEarlier(heap[child], event) else { break }
      heap[index] = heap[child]
      index = child
    }
    heap[index] = event
  }

  private static func isEarlier(_ left: SimulationEvent, _ right: SimulationEvent) -> Bool {
    left.time == right.time ? left.order < right.order : left.time < right.time
  }
}

import Basics

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

extension SimulationEvent: Comparable {
  /// Earlier, or made earlier at equal times.
  static func < (left: Self, right: Self) -> Bool {
    left.time == right.time ? left.order < right.order : left.time < right.time
  }
}

/// The events to come, earliest first and in the order of their making at equal times.
struct EventHeap {
  private var heap = MinHeap<SimulationEvent>()
  private var made: UInt64 = 0

  /// The time of the next event (ns); nil if there is none.
  var nextTime: Int64? { heap.first?.time }

  mutating func push(_ kind: SimulationEvent.Kind, at time: Int64, _ a: Int32, _ b: Int32 = 0) {
    made += 1
    heap.push(SimulationEvent(time: time, order: made, kind: kind, a: a, b: b))
  }

  mutating func pop() -> SimulationEvent? { heap.pop() }
}

import AnchorReplication
import WorldModel

/// Which rules of the protocol, outside the set itself, a run keeps; tests switch them off to see them fail.
struct WorldPolicy {
  var set = ReplicationPolicy.standard
  /// Each start of a program draws a new actor.
  var drawsActors = true
  /// Vectors are exchanged again and again, not only when a link comes up.
  var exchangesPeriodically = true
}

/// What travels between peers.
enum SimulatedMessage {
  case vector(VersionVector, SHA256Digest, wantsAnswer: Bool)
  case operations([UInt8])
  case snapshot([UInt8])
}

/// One end of a connection.
struct SimulatedLink {
  var cursor: LogCursor?
  /// Reads everything until it is up to date; only then leaves others' operations to others.
  var isCatchingUp = false
  /// The actors whose operations were left to others when the log was last read.
  var elsewhere: Set<ActorID> = []
  var assembly = OperationAssembly()
  var incoming = SnapshotAssembly(limit: 1 << 20)
}

/// A program that replicates anchors: the part a node plays, in its smallest form.
struct SimulatedPeer {
  let number: Int
  var run: UInt64 = 0
  var isAlive = false
  var set = makeSet(0)
  var links: [Int: SimulatedLink] = [:]
  /// The number of operations it wrote in this run.
  var authored: UInt64 = 0

  mutating func boot(_ policy: WorldPolicy, limits: ReplicationLimits) {
    run += 1
    isAlive = true
    set = makeSet(number, run: policy.drawsActors ? run : 1, limits: limits, policy: policy.set)
    authored = 0
    links = [:]
  }
}

/// An order of events: by time, then by when they were made.
struct EventQueue {
  struct Event {
    let time: Double
    let number: Int
    let from: Int
    let to: Int
    /// The connection it travels on; it is lost when that is gone.
    let connection: Int
    let message: SimulatedMessage
  }

  private var heap: [Event] = []
  private var number = 0

  var next: Double? { heap.first?.time }

  mutating func push(_ time: Double, from: Int, to: Int, connection: Int, _ message: SimulatedMessage) {
    number += 1
    heap.append(Event(time: time, number: number, from: from, to: to, connection: connection, message: message))
    var child = heap.count - 1
    while child > 0, Self.precedes(heap[child], heap[(child - 1) / 2]) {
      heap.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  mutating func pop() -> Event {
    heap.swapAt(0, heap.count - 1)
    let event = heap.removeLast()
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && Self.precedes(heap[child], heap[least])
      {
        least = child
      }
      guard least != parent else { return event }
      heap.swapAt(parent, least)
      parent = least
    }
  }

  private static func precedes(_ left: Event, _ right: Event) -> Bool {
    (left.time, left.number) < (right.time, right.number)
  }
}

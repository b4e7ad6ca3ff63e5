package import AnchorReplication
import Basics
import PeerProtocol

/// A packet between the peers of a ``ReplicationWorld``.
enum ReplicationMessage {
  case vector(VersionVector, SHA256Digest, wantsAnswer: Bool)
  case operations([UInt8])
  case snapshot([UInt8])
}

/// One end of a connection.
struct ReplicationLink {
  var cursor: LogCursor?
  /// Reads everything until it is up to date; only then leaves others' operations to others.
  var isCatchingUp = false
  /// The actors whose operations were left to others when the log was last read.
  var elsewhere: Set<ActorID> = []
  var assembly = OperationAssembly()
  var incoming = SnapshotAssembly(limit: 1 << 24)
}

/// A program that replicates anchors: the part a node plays, in its smallest form.
package struct ReplicationPeer {
  let number: Int
  var run: UInt64 = 0
  private(set) var isAlive = false
  /// Its anchors.
  package var set: AnchorSet
  var links: [Int: ReplicationLink] = [:]
  /// The number of operations it wrote in this run.
  var authored: UInt64 = 0

  init(number: Int) {
    self.number = number
    set = AnchorSet(actor: ActorID(peer: SessionPeer.identity(of: number), incarnation: 0))
  }

  mutating func boot(_ rules: ProtocolRules, limits: ReplicationLimits) {
    run += 1
    isAlive = true
    let peer = SessionPeer.identity(of: number)
    let actor = ActorID(peer: peer, incarnation: rules.contains(.freshActor) ? run : 1)
    set = AnchorSet(actor: actor, peer: peer, limits: limits, rules: rules)
    authored = 0
    links = [:]
  }

  mutating func crash() {
    isAlive = false
    links = [:]
  }
}

/// Messages on their way, the earliest first and in the order of their sending at equal times: a binary heap.
struct ReplicationQueue {
  struct Item {
    let time: Int64
    let number: Int
    let from: Int
    let to: Int
    /// The connection it travels on; it is lost when that is gone.
    let connection: Int
    let message: ReplicationMessage
  }

  private var heap: [Item] = []
  private var number = 0

  var nextTime: Int64? { heap.first?.time }

  mutating func push(at time: Int64, from: Int, to: Int, connection: Int, _ message: ReplicationMessage) {
    number += 1
    heap.append(Item(time: time, number: number, from: from, to: to, connection: connection, message: message))
    var child = heap.count - 1
    while child > 0, Self.precedes(heap[child], heap[(child - 1) / 2]) {
      heap.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  /// Takes the first one; there must be one.
  mutating func pop() -> Item {
    heap.swapAt(0, heap.count - 1)
    let item = heap.removeLast()
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count {
        if Self.precedes(heap[child], heap[least]) { least = child }
      }
      guard least != parent else { return item }
      heap.swapAt(parent, least)
      parent = least
    }
  }

  private static func precedes(_ left: Item, _ right: Item) -> Bool {
    (left.time, left.number) < (right.time, right.number)
  }
}

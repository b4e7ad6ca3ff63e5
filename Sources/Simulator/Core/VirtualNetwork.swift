internal import Basics

/// How a simulated network behaves when nobody breaks it.
package struct NetworkProfile: Sendable {
  /// The least time a packet takes (ns).
  package var latency: Int64 = 200_000
  /// The most that chance adds (ns); packets of one connection stay in order, those of two do not.
  package var jitter: Int64 = 3_000_000
  /// Bytes a second in each direction of a connection; nil for no limit.
  package var rate: Int64?
  /// How long a dial to nobody takes to fail (ns).
  var dialTimeout: Int64 = 300_000_000
  /// When heartbeats give up on a broken path, at the earliest and at the latest (ns); nil leaves that to the nodes.
  package var silence: ClosedRange<Int64>? = 1_000_000_000...2_500_000_000

  package init() {}
}

/// One connection, from the dial to its end at both sides.
struct Connection {
  var dialler: Int32
  var acceptor: Int32
  /// The dialler's run; a later one has not dialled this.
  var diallerRun: Int32
  /// The connection between the same two nodes before this one; -1 for none.
  var previous: Int32
  var isOpenAtDialler = false
  var isOpenAtAcceptor = false
  /// When the last packet in each direction arrives (ns).
  var lastAtDialler: Int64 = 0
  var lastAtAcceptor: Int64 = 0
  /// Packets that wait for a broken path to heal.
  var heldForDialler: [Int32] = []
  var heldForAcceptor: [Int32] = []
}

/// The paths between nodes and the connections over them.
struct VirtualNetwork {
  var profile: NetworkProfile
  let count: Int
  /// Whether the path from one node to another is broken, row by row.
  private var broken: [Bool]
  /// Extra time on the path from one node to another (ns), row by row.
  private var clogging: [Int64]
  /// Counts changes of each path, so that an old suspicion is not taken for a new one.
  private var breaks: [Int32]
  /// The latest connection between two nodes; -1 for none.
  private(set) var latest: [Int32]
  var connections: [Connection] = []

  init(count: Int, profile: NetworkProfile) {
    self.count = count
    self.profile = profile
    broken = [Bool](repeating: false, count: count * count)
    clogging = [Int64](repeating: 0, count: count * count)
    breaks = [Int32](repeating: 0, count: count * count)
    latest = [Int32](repeating: -1, count: count * count)
  }

  /// Begins a connection that is not open yet, and gives its number.
  mutating func connect(_ dialler: Int, _ acceptor: Int, run: Int32) -> Int32 {
    let pair = min(dialler, acceptor) * count + max(dialler, acceptor)
    connections.append(
      Connection(dialler: Int32(dialler), acceptor: Int32(acceptor), diallerRun: run, previous: latest[pair]))
    latest[pair] = Int32(connections.count - 1)
    return latest[pair]
  }

  /// The connections between two nodes that are open at one end at least, latest first.
  func open(_ one: Int, _ other: Int) -> [Int] {
    var found: [Int] = []
    var number = latest[min(one, other) * count + max(one, other)]
    while number >= 0 {
      let connection = connections[Int(number)]
      if connection.isOpenAtDialler || connection.isOpenAtAcceptor { found.append(Int(number)) }
      number = connection.previous
    }
    return found
  }

  func isBroken(_ from: Int, _ to: Int) -> Bool { broken[from * count + to] }

  func isBrokenEitherWay(_ one: Int, _ other: Int) -> Bool { isBroken(one, other) || isBroken(other, one) }

  mutating func setBroken(_ from: Int, _ to: Int, _ value: Bool) {
    guard broken[from * count + to] != value else { return }
    broken[from * count + to] = value
    breaks[min(from, to) * count + max(from, to)] += 1
  }

  /// The number of changes to the path between two nodes so far.
  func breakCount(_ one: Int, _ other: Int) -> Int32 { breaks[min(one, other) * count + max(one, other)] }

  mutating func setClogging(_ from: Int, _ to: Int, _ delay: Int64) { clogging[from * count + to] = delay }

  /// When a packet sent now arrives, after all that were sent before it.
  mutating func arrival(
    on number: Int, toDialler: Bool, bytes: Int, now: Int64, random: inout SeededRandom
  ) -> Int64 {
    let (dialler, acceptor) = (Int(connections[number].dialler), Int(connections[number].acceptor))
    let (from, to) = toDialler ? (acceptor, dialler) : (dialler, acceptor)
    let previous = toDialler ? connections[number].lastAtDialler : connections[number].lastAtAcceptor
    let wire = profile.rate.map { Int64(bytes) * 1_000_000_000 / $0 } ?? 0
    let travel = profile.latency + clogging[from * count + to] + Int64(random.below(UInt64(profile.jitter + 1)))
    let time = max(now + travel, previous + 1) + wire
    if toDialler { connections[number].lastAtDialler = time } else { connections[number].lastAtAcceptor = time }
    return time
  }
}

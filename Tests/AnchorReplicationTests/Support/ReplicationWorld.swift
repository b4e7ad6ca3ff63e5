import AnchorReplication
import WorldModel

/// Two to six peers on links that delay, break and come back, with crashes, pruned logs and snapshots; run by a seed.
struct ReplicationWorld {
  /// What went wrong, in words.
  struct Violation: Error, CustomStringConvertible {
    let description: String
  }

  let policy: WorldPolicy
  var random: SplitMix
  var time = 0.0
  var peers: [SimulatedPeer]
  var queue = EventQueue()
  var isUp: Set<Int> = []
  /// The number of each pair's present connection; a new one loses what the old one carried.
  var connections: [Int: Int] = [:]
  var arrivals: [Int: Double] = [:]
  /// Every operation that was ever written.
  var operations: [Dot: AnchorOperation] = [:]
  var snapshotCount = 0
  var heldCount = 0
  /// Whether peers leave operations to their authors where these are linked to the receiver.
  let isMesh: Bool
  let limits: ReplicationLimits

  init(seed: UInt64, policy: WorldPolicy) {
    self.policy = policy
    random = SplitMix(seed)
    isMesh = random.next() % 3 > 0
    var limits = ReplicationLimits.default
    // Little room for operations that wait, so that some are dropped and come again.
    limits.heldOperations = [4_096, 4_096, 3, 0][Int(random.next() % 4)]
    self.limits = limits
    let count = 2 + Int(random.next() % 5)
    peers = (0..<count).map { SimulatedPeer(number: $0 + 1) }
    for index in peers.indices { peers[index].boot(policy, limits: limits) }
    for pair in pairs { isUp.insert(pair) }
    for pair in pairs { connect(pair) }
  }

  // MARK: Links

  /// Every pair of peers as one number.
  var pairs: [Int] { peers.indices.flatMap { left in (0..<left).map { left * 8 + $0 } } }

  func pair(_ left: Int, _ right: Int) -> Int { max(left, right) * 8 + min(left, right) }

  /// Ends the connection of a pair, if there is one, and opens a new one when the link is up and both live.
  mutating func connect(_ pair: Int) {
    let (left, right) = (pair / 8, pair % 8)
    connections[pair, default: 0] += 1
    peers[left].links[right] = nil
    peers[right].links[left] = nil
    guard isUp.contains(pair), peers[left].isAlive, peers[right].isAlive else { return }
    peers[left].links[right] = SimulatedLink()
    peers[right].links[left] = SimulatedLink()
    sendVector(left, to: right)
    sendVector(right, to: left)
  }

  mutating func setLink(_ pair: Int, up: Bool) {
    guard isUp.contains(pair) != up else { return }
    if up { isUp.insert(pair) } else { isUp.remove(pair) }
    connect(pair)
  }

  mutating func send(_ from: Int, to: Int, _ message: SimulatedMessage) {
    let delay = Double(random.next() % 1_000) / 1_000 * [0.01, 0.2, 2][Int(random.next() % 3)]
    let channel = from * 8 + to
    let arrival = max(time + delay, (arrivals[channel] ?? 0) + 1e-6)
    arrivals[channel] = arrival
    queue.push(arrival, from: from, to: to, connection: connections[pair(from, to)] ?? 0, message)
  }

  mutating func sendVector(_ from: Int, to: Int, wantsAnswer: Bool = false) {
    send(from, to: to, .vector(peers[from].set.vector, peers[from].set.digest, wantsAnswer: wantsAnswer))
  }

  // MARK: Traffic

  mutating func run(until end: Double) throws {
    while let next = queue.next, next <= end {
      let event = queue.pop()
      time = event.time
      guard connections[pair(event.from, event.to)] == event.connection, peers[event.to].links[event.from] != nil
      else { continue }
      do {
        try receive(event.message, at: event.to, from: event.from)
      } catch let error as ReplicationError {
        throw Violation(description: "refused an honest peer: \(error)")
      }
    }
    time = end
  }

  private mutating func receive(_ message: SimulatedMessage, at index: Int, from: Int) throws {
    switch message {
    case .vector(let vector, let digest, let wantsAnswer):
      if vector == peers[index].set.vector, digest != peers[index].set.digest {
        throw Violation(description: "C1: equal vectors, unequal digests")
      }
      if peers[index].links[from]?.cursor == nil || !vector.covers(peers[index].set.vector) {
        start(index, to: from, vector)
      }
      if wantsAnswer { sendVector(index, to: from) }
      flush(index, to: from)
    case .operations(let bytes):
      var assembly = peers[index].links[from]?.assembly ?? OperationAssembly()
      let author = LinkAuthor(peer: peer(from + 1), sessionMilliseconds: milliseconds)
      let outcome = try peers[index].set.apply(operations: bytes.span.bytes, assembly: &assembly, judging: author)
      peers[index].links[from]?.assembly = assembly
      heldCount += outcome.held
      flushAll(index)
    case .snapshot(let chunk):
      guard try peers[index].links[from]?.incoming.take(chunk.span.bytes) == true,
        let bytes = peers[index].links[from]?.incoming.bytes
      else { return }
      peers[index].links[from]?.incoming.reset()
      snapshotCount += 1
      let before = peers[index].set.vector
      try peers[index].set.merge(snapshot: bytes.span.bytes)
      guard peers[index].set.vector != before else { return }
      for other in peers[index].links.keys.sorted() { sendVector(index, to: other, wantsAnswer: true) }
    }
  }

  private var milliseconds: UInt64 { UInt64(time * 1_000) }

  private mutating func start(_ index: Int, to other: Int, _ vector: VersionVector) {
    switch peers[index].set.cursorForPeer(with: vector) {
    case .log(let cursor): peers[index].links[other]?.cursor = cursor
    case .snapshotNeeded: sendSnapshot(index, to: other)
    }
    peers[index].links[other]?.isCatchingUp = true
  }

  private mutating func sendSnapshot(_ index: Int, to other: Int) {
    var chunks = SnapshotChunks(peers[index].set.encodeSnapshot())
    let cursor = peers[index].set.cursorAfterSnapshot()
    peers[index].links[other]?.cursor = cursor
    let limit = 64 + Int(random.next() % 4_000)
    var writer = ByteWriter()
    while chunks.next(limit: limit, into: &writer) {
      send(index, to: other, .snapshot(writer.bytes))
      writer.removeAll()
    }
  }

  mutating func flushAll(_ index: Int) {
    for other in peers[index].links.keys.sorted() { flush(index, to: other) }
  }

  private mutating func flush(_ index: Int, to other: Int) {
    let limit = 256 + Int(random.next() % 1_500)
    while let link = peers[index].links[other], var cursor = link.cursor {
      let elsewhere = isMesh && !link.isCatchingUp ? suppliers(of: other, besides: index) : []
      guard link.elsewhere.isSubset(of: elsewhere) || link.isCatchingUp else {
        // What somebody no longer brings was passed over: begin again from what the other side has.
        peers[index].links[other]?.cursor = nil
        sendVector(index, to: other, wantsAnswer: true)
        return
      }
      peers[index].links[other]?.elsewhere = elsewhere
      var writer = ByteWriter()
      let read = peers[index].set.readLog(&cursor, limit: limit, skip: elsewhere.contains, into: &writer)
      peers[index].links[other]?.cursor = cursor
      switch read {
      case .batch: send(index, to: other, .operations(writer.bytes))
      case .snapshotNeeded: sendSnapshot(index, to: other)
      case .upToDate:
        peers[index].links[other]?.isCatchingUp = false
        return
      }
    }
  }

  /// The actors whose operations `other` gets without `index`: its own and those of peers linked to it.
  private func suppliers(of other: Int, besides index: Int) -> Set<ActorID> {
    let linked = peers.indices.filter { $0 != index && ($0 == other || peers[$0].links[other] != nil) }
    return Set(linked.map { peers[$0].set.actor })
  }

  /// Lets a peer edit, takes what it wrote over into the reference, and sends it.
  mutating func edit(_ index: Int, _ change: (inout AnchorSet) throws -> Void) throws {
    var tap = peers[index].set.cursorAfterSnapshot()
    try change(&peers[index].set)
    for batch in try peers[index].set.batches(from: &tap, limit: 100_000) {
      var assembly = OperationAssembly()
      for operation in try AnchorDelta(decoding: batch.span.bytes, assembly: &assembly).operations {
        if let before = operations[operation.dot], before != operation {
          throw Violation(description: "two operations have the dot \(operation.dot)")
        }
        operations[operation.dot] = operation
        if operation.dot.actor == peers[index].set.actor { peers[index].authored = operation.dot.sequence }
      }
    }
    flushAll(index)
  }
}

package import AnchorReplication
package import Basics
import PeerProtocol
import WorldModel

/// Sets of anchors on links that delay, break and come back, with crashes, pruned logs and snapshots; run by a seed.
package struct ReplicationWorld {
  /// The parts of a run.
  package struct Options: Sendable {
    /// Peers, 2 to 8; nil for 2 to 6 at random.
    package var count: Int?
    /// Edits a peer makes at once at most.
    package var burst = 1
    package var rules = ProtocolRules.all
    /// Whether a transcript is kept.
    var isRecorded = false

    package init(
      count: Int? = nil, burst: Int = 1, rules: ProtocolRules = .all, isRecorded: Bool = false
    ) {
      self.count = count
      self.burst = burst
      self.rules = rules
      self.isRecorded = isRecorded
    }
  }

  let options: Options
  package var random: SeededRandom
  /// The time (ms).
  package private(set) var time: Int64 = 0
  package var peers: [ReplicationPeer]
  /// The first invariant that did not hold.
  package private(set) var violation: String?
  /// The transcript, if one is kept.
  package private(set) var transcript: Transcript
  /// Every operation that was ever written.
  package private(set) var operations = OperationStore()
  /// Messages that arrived.
  package private(set) var delivered = 0
  /// Snapshots that arrived whole.
  package private(set) var snapshotCount = 0
  /// Anchors that were placed, the latest last: what edits are about.
  var placed: [AnchorID] = []

  private var queue = ReplicationQueue()
  private var isUp: Set<Int> = []
  /// The number of each pair's present connection; a new one loses what the old one carried.
  private var connections: [Int: Int] = [:]
  private var arrivals: [Int: Int64] = [:]
  /// Whether peers leave operations to their authors where these are linked to the receiver.
  private let isMesh: Bool
  let limits: ReplicationLimits

  package init(seed: UInt64, options: Options = Options()) {
    self.options = options
    transcript = Transcript(isOn: options.isRecorded)
    random = SeededRandom(seed: seed)
    isMesh = random.below(3) > 0
    var limits = ReplicationLimits.default
    // Little room for operations that wait, so that some are dropped and come again.
    limits.heldOperations = [4_096, 4_096, 3, 0][random.below(4)]
    self.limits = limits
    let some = 2 + random.below(5)
    peers = (0..<(options.count ?? some)).map { ReplicationPeer(number: $0) }
    for index in peers.indices { peers[index].boot(options.rules, limits: limits) }
    for pair in pairs { isUp.insert(pair) }
    for pair in pairs { connect(pair) }
  }

  private var now: Instant { Instant(nanoseconds: time * 1_000_000) }

  mutating func note(_ text: @autoclosure () -> String) {
    transcript.add(at: now, text())
  }

  mutating func fail(_ text: String) {
    guard violation == nil else { return }
    violation = "\(now) \(text)"
    note("VIOLATION \(text)")
  }

  // MARK: Links

  /// Every pair of peers as one number.
  var pairs: [Int] { peers.indices.flatMap { left in (0..<left).map { left * 8 + $0 } } }

  private func pair(_ left: Int, _ right: Int) -> Int { max(left, right) * 8 + min(left, right) }

  /// Ends the connection of a pair, if there is one, and opens a new one when the link is up and both live.
  mutating func connect(_ pair: Int) {
    let (left, right) = (pair / 8, pair % 8)
    connections[pair, default: 0] += 1
    peers[left].links[right] = nil
    peers[right].links[left] = nil
    guard isUp.contains(pair), peers[left].isAlive, peers[right].isAlive else { return }
    peers[left].links[right] = ReplicationLink()
    peers[right].links[left] = ReplicationLink()
    sendVector(left, to: right)
    sendVector(right, to: left)
  }

  mutating func setLink(_ pair: Int, isUp up: Bool) {
    guard isUp.contains(pair) != up else { return }
    note("\(up ? "link" : "cut") \(pair % 8 + 1)-\(pair / 8 + 1)")
    if up { isUp.insert(pair) } else { isUp.remove(pair) }
    connect(pair)
  }

  private mutating func send(_ from: Int, to: Int, _ message: ReplicationMessage) {
    let delay = Int64(random.below([10, 200, 2_000][random.below(3)]))
    let channel = from * 8 + to
    let arrival = max(time + delay, arrivals[channel] ?? 0)
    arrivals[channel] = arrival
    queue.push(at: arrival, from: from, to: to, connection: connections[pair(from, to)] ?? 0, message)
  }

  mutating func sendVector(_ from: Int, to: Int, wantsAnswer: Bool = false) {
    send(from, to: to, .vector(peers[from].set.vector, peers[from].set.digest, wantsAnswer: wantsAnswer))
  }

  /// Every peer compares what it has with those it is linked to.
  mutating func exchangeVectors() {
    guard options.rules.contains(.periodicVectors) else { return }
    for index in peers.indices where peers[index].isAlive {
      for other in peers[index].links.keys.sorted() { sendVector(index, to: other) }
    }
  }

  // MARK: Traffic

  /// Lets everything in the next `milliseconds` arrive.
  package mutating func run(for milliseconds: Int64) {
    let end = time + milliseconds
    while violation == nil, let next = queue.nextTime, next <= end {
      let item = queue.pop()
      time = item.time
      guard connections[pair(item.from, item.to)] == item.connection, peers[item.to].links[item.from] != nil else {
        continue
      }
      delivered += 1
      do throws(ReplicationError) {
        try receive(item.message, at: item.to, from: item.from)
      } catch {
        fail("\(item.to + 1) refuses what \(item.from + 1), an honest peer, sends: \(error)")
      }
    }
    time = end
  }

  private mutating func receive(_ message: ReplicationMessage, at index: Int, from: Int) throws(ReplicationError) {
    switch message {
    case .vector(let vector, let digest, let wantsAnswer):
      if vector == peers[index].set.vector, digest != peers[index].set.digest {
        fail("C1 \(index + 1) and \(from + 1): equal vectors, unequal digests")
      }
      if peers[index].links[from]?.cursor == nil || !vector.covers(peers[index].set.vector) {
        start(index, to: from, vector)
      }
      if wantsAnswer { sendVector(index, to: from) }
      flush(index, to: from)
    case .operations(let bytes):
      var assembly = peers[index].links[from]?.assembly ?? OperationAssembly()
      let author = LinkAuthor(peer: SessionPeer.identity(of: from), sessionMilliseconds: UInt64(time))
      try unsafe peers[index].set.apply(
        operations: bytes.span.bytes, assembly: &assembly, judging: author)
      peers[index].links[from]?.assembly = assembly
      flushAll(index)
    case .snapshot(let chunk): try receiveSnapshot(chunk, at: index, from: from)
    }
  }

  private mutating func receiveSnapshot(_ chunk: [UInt8], at index: Int, from: Int) throws(ReplicationError) {
    guard var assembly = peers[index].links[from]?.incoming else { return }
    peers[index].links[from]?.incoming.reset()
    let isWhole: Bool
    do throws(DecodingFailure) { isWhole = try unsafe assembly.take(chunk.span.bytes) } catch {
      throw .malformed(error)
    }
    guard isWhole else {
      peers[index].links[from]?.incoming = assembly
      return
    }
    snapshotCount += 1
    note("\(index + 1) takes a snapshot of \(from + 1)")
    let (before, bytes) = (peers[index].set.vector, assembly.bytes)
    try unsafe peers[index].set.merge(snapshot: bytes.span.bytes)
    guard peers[index].set.vector != before else { return }
    for other in peers[index].links.keys.sorted() { sendVector(index, to: other, wantsAnswer: true) }
  }

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
    let limit = options.burst * 64 + random.below(4_000)
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
    let limit = 256 + options.burst * 64 + random.below(1_500)
    while let link = peers[index].links[other], var cursor = link.cursor {
      let elsewhere = isMesh && !link.isCatchingUp ? suppliers(of: other, besides: index) : []
      guard link.elsewhere.isSubset(of: elsewhere) || link.isCatchingUp else {
        // Operations that a peer no longer brings were passed over: begin again from what the other side has.
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
  mutating func edit(_ index: Int, _ change: (inout AnchorSet) -> Void) {
    var tap = peers[index].set.cursorAfterSnapshot()
    change(&peers[index].set)
    var (writer, assembly) = (ByteWriter(), OperationAssembly())
    while peers[index].set.readLog(&tap, limit: 1 << 20, into: &writer) == .batch {
      let batch = writer.bytes
      writer.removeAll()
      guard let delta = try? unsafe AnchorDelta(decoding: batch.span.bytes, assembly: &assembly) else {
        return fail("\(index + 1) cannot read its own log")
      }
      for operation in delta.operations {
        if let text = operations.add(operation) { fail(text) }
        if operation.dot.actor == peers[index].set.actor { peers[index].authored = operation.dot.sequence }
      }
    }
    let authored = peers[index].authored
    note("\(index + 1) has written \(authored)")
    flushAll(index)
  }
}

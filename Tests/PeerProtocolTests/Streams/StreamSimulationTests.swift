import AnchorReplication
import Basics
@testable import PeerProtocol
import TestSupport
import Testing

/// Two books of streams over chains of letters that are slow, have little room and fail, by a seed.
///
/// Each byte of a stream says where it stands, so a reader knows at once what is lost, doubled or out of order.
private struct StreamSimulation {
  /// One direction of a stream, as the app of its writer and that of its reader know it.
  private struct Direction {
    var written = 0
    var settled = 0
    var read = 0
    var isFinished = false
    var hasEnded = false
  }

  /// A stream: its directions, by the side that writes.
  private struct Stream {
    let opener: Int
    let name: Int
    var directions = [Direction(), Direction()]
  }

  private static let sizes = StreamSizes(window: 4096, part: 300)

  var pair = StreamPair()
  private var random: SplitMix64
  private var wires: [[[UInt8]]] = [[], []]
  private var isDown = [false, false]
  private var streams: [Int: Stream] = [:]
  /// The streams that each side holds.
  private var held: [[StreamKey: Int]] = [[:], [:]]
  private var writes: [[UInt64: (name: Int, count: Int, isEnd: Bool)]] = [[:], [:]]
  private var lastNumber = 0
  private var lastWrite: UInt64 = 0
  private(set) var violation: String?
  private(set) var finished = 0
  private(set) var failed = 0

  init(seed: UInt64) {
    random = SplitMix64(seed: seed)
    pair.books = [StreamBook(Self.sizes), StreamBook(Self.sizes)]
  }

  private mutating func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

  private static func byte(_ name: Int, _ side: Int, _ offset: Int) -> UInt8 {
    UInt8(truncatingIfNeeded: offset &* 31 &+ (offset >> 8) &+ name &* 7 &+ side)
  }

  mutating func run(steps: Int) {
    for _ in 0..<steps where violation == nil {
      let side = below(2)
      switch below(24) {
      case 0: open(side)
      case 1..<7: write(side)
      case 7..<12: read(side)
      case 12: finish(side)
      case 13 where below(4) == 0: end(side, isReset: below(2) == 0)
      case 14 where below(20) == 0: lose(side)
      case 14 where isDown[side]: back(side)
      default:
        send(side)
        deliver(side)
      }
      check(side)
    }
    rest()
  }

  // MARK: Apps

  private mutating func pick(_ side: Int) -> StreamKey? {
    let keys = held[side].keys.sorted { ($0.number, $0.isOwn ? 0 : 1) < ($1.number, $1.isOwn ? 0 : 1) }
    return keys.isEmpty ? nil : keys[below(keys.count)]
  }

  private mutating func open(_ side: Int) {
    lastNumber += 1
    guard let key = try? pair.books[side].open("\(lastNumber)", to: pair.nodes[1 - side].peer) else { return }
    streams[lastNumber] = Stream(opener: side, name: lastNumber)
    held[side][key] = lastNumber
  }

  private mutating func write(_ side: Int) {
    guard let key = pick(side), let name = held[side][key], let stream = streams[name] else { return }
    // An app has the stream only once it is open, and calls nothing more after the end.
    guard pair.books[side].flow(key)?.stage == .open, !stream.directions[side].isFinished else { return }
    let (start, count) = (stream.directions[side].written, below(3) == 0 ? below(5000) : below(40))
    let bytes = (start..<start + count).map { Self.byte(name, side, $0) }
    hand(bytes, isEnd: false, key, name, side)
  }

  private mutating func finish(_ side: Int) {
    guard let key = pick(side), let name = held[side][key], pair.books[side].flow(key)?.stage == .open else { return }
    hand([], isEnd: true, key, name, side)
  }

  private mutating func hand(_ bytes: [UInt8], isEnd: Bool, _ key: StreamKey, _ name: Int, _ side: Int) {
    lastWrite += 1
    let number = lastWrite
    let result = pair.books[side].update(key) { flow in
      Result { () throws(StreamFailure) in try flow.write(bytes, isEnd: isEnd, number: number) }
    }
    guard case .success = result else { return }
    writes[side][number] = (name, bytes.count, isEnd)
    streams[name]?.directions[side].written += bytes.count
    if isEnd { streams[name]?.directions[side].isFinished = true }
  }

  private mutating func read(_ side: Int) {
    if let key = pick(side) { read(key, side) }
  }

  private mutating func read(_ key: StreamKey, _ side: Int) {
    guard let name = held[side][key], let stream = streams[name] else { return }
    let direction = stream.directions[1 - side]
    switch pair.books[side].update(key, { $0.take() }) {
    case .bytes(let bytes):
      for (index, byte) in bytes.enumerated() where byte != Self.byte(name, 1 - side, direction.read + index) {
        violation = "stream \(name): a wrong byte at \(direction.read + index)"
        return
      }
      streams[name]?.directions[1 - side].read += bytes.count
      if direction.hasEnded || direction.read + bytes.count > direction.written {
        violation = "bytes that nobody wrote"
      }
    case .ended:
      if !direction.isFinished || direction.read != direction.written { violation = "stream \(name) ended too soon" }
      streams[name]?.directions[1 - side].hasEnded = true
    case .failed, .wait, nil: break
    }
  }

  private mutating func end(_ side: Int, isReset: Bool) {
    guard let key = pick(side) else { return }
    if isReset {
      _ = pair.books[side].update(key) {
        $0.reset(StreamReset(.app, "enough"), .resetHere(StreamReset(.app, "enough")))
      }
    } else {
      settle(side)
      // An app holds the stream to which it writes.
      guard !writes[side].values.contains(where: { $0.name == held[side][key] }) else { return }
      held[side][key] = nil
      pair.books[side].release(key)
    }
  }

  private mutating func settle(_ side: Int) {
    for key in held[side].keys {
      guard let settled = pair.books[side].update(key, { $0.takeSettled() }) else {
        violation = "a stream that the app holds is forgotten"
        return
      }
      for (number, error) in settled {
        guard let write = writes[side].removeValue(forKey: number) else {
          violation = "a write has two results"
          return
        }
        if error == nil { streams[write.name]?.directions[side].settled += write.count }
      }
    }
  }

  // MARK: Chains

  private mutating func send(_ side: Int) {
    for key in pair.books[side].takeNews().offered {
      guard below(8) > 0, let name = pair.books[side].flow(key).flatMap({ Int($0.name) }) else {
        pair.books[side].release(key)
        continue
      }
      held[side][key] = name
      _ = pair.books[side].update(key) { $0.accept() }
    }
    while let (peer, letter) = pair.books[side].next() {
      if isDown[side] {
        pair.books[side].sent(letter, to: peer, .failure(.unsent(.notReceiver(peer))))
      } else if wires[side].count >= 6 {
        pair.books[side].sent(letter, to: peer, .failure(.unsent(.messagesWait)))
      } else {
        wires[side].append(letter.bytes)
        pair.books[side].sent(letter, to: peer, .success(pair.nodes[1 - side]))
      }
    }
  }

  private mutating func deliver(_ side: Int) {
    guard !wires[side].isEmpty, !isDown[1 - side] || below(2) == 0 else { return }
    guard let letter = try? StreamLetter(wires[side].removeFirst()) else { return violation = "an unreadable letter" }
    pair.books[1 - side].receive(letter, from: pair.nodes[side], me: pair.nodes[1 - side].incarnation)
    pair.books[side].unblock()
  }

  /// A side gives up the other, which need not learn of it: what is on its way there is lost.
  private mutating func lose(_ side: Int) {
    wires[side] = []
    isDown[side] = true
    let node = pair.nodes[1 - side]
    pair.books[side].end(with: node.peer, node, owing: true, .left(node.peer, .connectionLost))
  }

  private mutating func back(_ side: Int) {
    isDown[side] = false
    pair.books[side].reached(pair.nodes[1 - side].peer)
  }

  // MARK: Checks

  private mutating func check(_ side: Int) {
    settle(side)
    let waiting = pair.books[side].waitingBytes(of: pair.nodes[1 - side].peer)
    if waiting > 2 * ProtocolLimits.streamsOfPeer * Self.sizes.window { violation = "\(waiting) bytes wait" }
  }

  /// Everything is delivered and read: what is not over at one side is not over at the other, and complete.
  private mutating func rest() {
    var idle = 0
    for _ in 0..<20_000 where violation == nil && idle < 4 {
      idle = wires[0].isEmpty && wires[1].isEmpty ? idle + 1 : 0
      for side in 0...1 {
        if isDown[side] { back(side) }
        send(side)
        deliver(side)
        for key in held[side].keys { read(key, side) }
        check(side)
      }
    }
    guard violation == nil else { return }
    if !(wires[0].isEmpty && wires[1].isEmpty) { violation = "letters are left" }
    for side in 0...1 {
      for (key, name) in held[side] where pair.books[side].flow(key)?.isOver == false {
        if !held[1 - side].values.contains(name) { violation = "stream \(name) is open at one side alone" }
      }
    }
    for (key, name) in held[0] {
      let flow = pair.books[0].flow(key)
      guard let other = held[1].first(where: { $0.value == name })?.key, let stream = streams[name] else { continue }
      let isWhole = flow?.failure == nil && pair.books[1].flow(other)?.failure == nil
      if flow?.isOver != pair.books[1].flow(other)?.isOver { violation = "stream \(name) is over at one side alone" }
      guard isWhole else { failed += 1; continue }
      for direction in stream.directions
      where direction.read != direction.written || direction.settled != direction.read {
        violation = "stream \(name) has not all of its bytes"
      }
      if stream.directions.allSatisfy(\.hasEnded) { finished += 1 }
    }
    if !writes[0].isEmpty || !writes[1].isEmpty { violation = "writes without a result" }
  }
}

@Suite("Streams over chains that fail")
struct StreamSimulationTests {
  @Test(
    "bytes come once and in order, writes have a result, and both sides agree on what is over",
    arguments: Tier.seeds(1...20))
  func seeds(_ seed: Int) {
    var simulation = StreamSimulation(seed: UInt64(seed))
    simulation.run(steps: 2000)
    #expect(simulation.violation == nil, "seed \(seed)")
  }

  @Test("a fresh seed too", .thorough)
  func fresh() {
    let seed = Tier.freshSeed()
    var simulation = StreamSimulation(seed: seed)
    simulation.run(steps: 2000)
    #expect(simulation.violation == nil, "seed \(seed)")
  }

  @Test("among the seeds are streams that finish and streams that fail", .thorough)
  func kinds() {
    let runs = (1...10).map { seed in
      var simulation = StreamSimulation(seed: UInt64(seed))
      simulation.run(steps: 2000)
      return simulation
    }
    #expect(runs.reduce(0) { $0 + $1.finished } > 10 && runs.reduce(0) { $0 + $1.failed } > 10)
  }
}

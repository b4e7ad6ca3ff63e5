import AnchorReplication
import Basics
import PeerProtocol
import WorldModel

/// Two books, and the letters on their way.
struct BookPair {
  /// Small, so that windows fill up.
  private static let sizes = StreamSizes(window: 1024, part: 100)

  private let hasLiar: Bool
  private let nodes = (1...2).map { number in
    NodeID(peer: PeerID(SHA256Digest(words: SIMD4(UInt64(number), 0, 0, 0))), incarnation: UInt64(number))
  }
  private var books = [StreamBook(Self.sizes), StreamBook(Self.sizes)]
  /// Letters on their way to each.
  private var wires: [[StreamLetter]] = [[], []]
  private var keys: [[StreamKey]] = [[], []]
  /// Bytes written to and read from each stream of each side, by its opener and its number.
  private var written: [[StreamName: Int]] = [[:], [:]]
  private var read: [[StreamName: Int]] = [[:], [:]]
  /// Streams to each that it may refuse, because others that are over wait there to be read.
  private var refusable: [Set<UInt64>] = [[], []]
  private var bytes: ArraySlice<UInt8>
  private var writes: UInt64 = 0

  private struct StreamName: Hashable {
    let opener: Int
    let number: UInt64
  }

  init(_ bytes: ArraySlice<UInt8>, hasLiar: Bool) {
    (self.bytes, self.hasLiar) = (bytes, hasLiar)
  }

  /// Carries out all operations, and lets everything arrive.
  mutating func run() {
    while let operation = bytes.popFirst() {
      perform(operation)
      check()
    }
    for _ in 0..<1000 where !(wires[0].isEmpty && wires[1].isEmpty) {
      deliver(to: 0)
      deliver(to: 1)
    }
    check()
  }

  private mutating func byte() -> UInt8 { bytes.popFirst() ?? 0 }

  private func pick(_ side: Int, _ number: UInt8) -> StreamKey? {
    keys[side].isEmpty ? nil : keys[side][Int(number) % keys[side].count]
  }

  private func name(_ key: StreamKey, at side: Int) -> StreamName {
    StreamName(opener: key.isOwn ? side : 1 - side, number: key.number)
  }

  private mutating func perform(_ operation: UInt8) {
    let side = Int(operation & 1)
    switch (operation >> 1) % 10 {
    case 0:
      if let key = try? books[side].open("s", to: nodes[1 - side].peer) { keys[side].append(key) }
    case 1: write(Int(byte()) * 8, to: pick(side, byte()), at: side, isEnd: false)
    case 2: write(0, to: pick(side, byte()), at: side, isEnd: true)
    case 3: take(pick(side, byte()), at: side)
    case 4: if let key = pick(side, byte()) { _ = books[side].update(key) { $0.accept() } }
    case 5: if let key = pick(side, byte()) { release(key, at: side) }
    case 6: if let key = pick(side, byte()) { reset(key, at: side) }
    case 7: lie()
    case 8: breakChain()
    default:
      for _ in 0...(byte() & 15) { deliver(to: side) }
    }
  }

  private mutating func write(_ count: Int, to key: StreamKey?, at side: Int, isEnd: Bool) {
    guard let key else { return }
    writes += 1
    let start = written[side][name(key, at: side), default: 0]
    let part = (start..<(start + count)).map { UInt8(truncatingIfNeeded: $0) }
    let number = writes
    let isWritten = books[side].update(key) { flow in (try? flow.write(part, isEnd: isEnd, number: number)) != nil }
    if isWritten == true { written[side][name(key, at: side)] = start + count }
  }

  private mutating func take(_ key: StreamKey?, at side: Int) {
    guard let key, case .bytes(let part) = books[side].update(key, { $0.take() }) else { return }
    precondition(!part.isEmpty && part.count <= Self.sizes.window)
    guard !hasLiar else { return }
    let start = read[side][name(key, at: side), default: 0]
    precondition(part.elementsEqual((start..<(start + part.count)).lazy.map { UInt8(truncatingIfNeeded: $0) }))
    precondition(start + part.count <= written[1 - side][name(key, at: side), default: 0])
    read[side][name(key, at: side)] = start + part.count
  }

  private mutating func release(_ key: StreamKey, at side: Int) {
    books[side].release(key)
    keys[side].removeAll { $0 == key }
  }

  private mutating func reset(_ key: StreamKey, at side: Int) {
    let reset = StreamReset(.app, "app")
    _ = books[side].update(key) { $0.reset(reset, .resetHere(reset)) }
  }

  /// A letter of the second side that its book has not written.
  private mutating func lie() {
    let letter = Array(bytes.prefix(Int(byte())))
    bytes = bytes.dropFirst(letter.count)
    guard hasLiar, let letter = try? StreamLetter(letter) else { return }
    books[0].receive(letter, from: nodes[1], me: nodes[0].incarnation)
  }

  /// What is on its way is lost, and both sides learn that.
  private mutating func breakChain() {
    wires = [[], []]
    for side in 0...1 {
      let peer = nodes[1 - side].peer
      books[side].end(with: peer, owing: true, .left(peer, .connectionLost))
    }
    for side in 0...1 { _ = books[side].take(.peerReconnected(nodes[1 - side].peer), me: nodes[side].incarnation) }
  }

  /// Up to one letter is written and one arrives.
  private mutating func deliver(to side: Int) {
    if let (peer, letter) = books[1 - side].next() {
      books[1 - side].sent(letter, to: peer, .success(nodes[side]))
      wires[side].append(letter)
    }
    guard !wires[side].isEmpty else { return }
    let letter = wires[side].removeFirst()
    if !hasLiar { checkHonest(letter, to: side) }
    books[side].receive(letter, from: nodes[1 - side], me: nodes[side].incarnation)
    keys[side] += books[side].takeNews().offered
  }

  /// No honest end is said to break a rule.
  private mutating func checkHonest(_ letter: StreamLetter, to side: Int) {
    switch letter {
    case .open(let number, _, _) where holdsUnread(side): refusable[side].insert(number)
    case .reset(_, let reset) where reset.reason == .violation:
      preconditionFailure("an honest end is said to break a rule")
    case .reset(.yours(let number, _), let reset) where reset.reason == .limit:
      precondition(refusable[1 - side].contains(number))
    case .open, .credit, .data, .end, .reset, .over: return
    }
  }

  private func holdsUnread(_ side: Int) -> Bool {
    keys[side].contains { key in books[side].flow(key).map { $0.isOver && $0.waitingBytes > 0 } ?? false }
  }

  private func check() {
    for side in 0...1 {
      let limit = 2 * ProtocolLimits.streamsOfPeer
      precondition(books[side].waitingBytes(of: nodes[1 - side].peer) <= limit * Self.sizes.window)
      precondition(books[side].offeredCount <= ProtocolLimits.streamsOfPeer)
    }
  }
}

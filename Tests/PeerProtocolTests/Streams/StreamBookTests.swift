import AnchorReplication
import Basics
@testable import PeerProtocol
import Testing
import WorldModel

/// Two books whose letters reach each other at once, in order.
struct StreamPair {
  static let window = ProtocolLimits.streamWindow

  var books = [StreamBook(), StreamBook()]
  var nodes = (0...1).map { index in
    NodeID(peer: Self.peer(index + 1), incarnation: UInt64(index + 1))
  }
  /// Every letter that was sent, by its sender.
  var letters: [(from: Int, letter: StreamLetter)] = []
  /// The streams that each side was offered.
  var offered: [[StreamKey]] = [[], []]

  static func peer(_ number: Int) -> PeerID { PeerID(SHA256Digest(words: SIMD4(UInt64(number), 0, 0, 0))) }

  /// Delivers letters until there are none.
  mutating func exchange() {
    var isIdle = false
    while !isIdle {
      isIdle = true
      for side in 0...1 {
        offered[side] += books[side].takeNews().offered
        guard let (peer, letter) = books[side].next() else { continue }
        books[side].sent(letter, to: peer, .success(nodes[1 - side]))
        letters.append((side, letter))
        books[1 - side].receive(letter, from: nodes[side], me: nodes[1 - side].incarnation)
        isIdle = false
      }
    }
  }

  /// A stream that side 0 has opened and side 1 accepted, as each names it.
  mutating func open(_ name: String = "log") throws -> [StreamKey] {
    let key = try books[0].open(name, to: nodes[1].peer)
    exchange()
    let other = try #require(offered[1].last)
    #expect(other == StreamKey(peer: nodes[0].peer, number: key.number, opener: nodes[0]))
    #expect(books[1].update(other) { $0.accept() } == true)
    exchange()
    #expect(books[0].flow(key)?.stage == .open)
    return [key, other]
  }

  /// Writes so many bytes; the settled writes are returned by ``settled(_:_:)``.
  mutating func write(_ count: Int, to key: StreamKey, at side: Int, number: UInt64 = 1, isEnd: Bool = false) throws {
    let bytes = [UInt8](repeating: UInt8(number), count: count)
    let result = books[side].update(key) { flow in
      Result { () throws(StreamFailure) in try flow.write(bytes, isEnd: isEnd, number: number) }
    }
    try #require(result).get()
    exchange()
  }

  mutating func settled(_ key: StreamKey, _ side: Int) -> [String] {
    (books[side].update(key) { $0.takeSettled() } ?? []).map { "\($0.number) \($0.error?.word ?? "left")" }
  }

  /// The number of bytes that are read, or the word of another result.
  mutating func read(_ key: StreamKey, at side: Int) -> String {
    defer { exchange() }
    return switch books[side].update(key, { $0.take() }) {
    case .bytes(let bytes): "\(bytes.count)"
    case .ended: "ended"
    case .failed(let failure): failure.word
    case .wait: "wait"
    case nil: "none"
    }
  }
}

@Suite("The book of streams")
struct StreamBookTests {
  private static let window = StreamPair.window

  @Test("both sides write and read, half-close, and the stream is over when both have")
  func halfClose() throws {
    var pair = StreamPair()
    let keys = try pair.open()
    try pair.write(3, to: keys[0], at: 0)
    try pair.write(0, to: keys[0], at: 0, number: 2, isEnd: true)
    #expect(pair.settled(keys[0], 0) == ["1 left", "2 left"])
    #expect(pair.read(keys[1], at: 1) == "3" && pair.read(keys[1], at: 1) == "ended")
    #expect(throws: StreamFailure.self) { try pair.write(1, to: keys[0], at: 0, number: 3) }
    try pair.write(5, to: keys[1], at: 1, number: 4)
    #expect(pair.read(keys[0], at: 0) == "5" && pair.read(keys[0], at: 0) == "wait")
    try pair.write(0, to: keys[1], at: 1, number: 5, isEnd: true)
    #expect(pair.books[0].flow(keys[0])?.isOver == true && pair.books[1].flow(keys[1])?.isOver == true)
    // A second end is none, and no letter.
    let count = pair.letters.count
    try pair.write(0, to: keys[0], at: 0, number: 6, isEnd: true)
    #expect(pair.settled(keys[0], 0) == ["6 left"] && pair.letters.count == count)
  }

  @Test("a writer has one window of room, which grows only as the other side reads")
  func window() throws {
    var pair = StreamPair()
    let keys = try pair.open()
    try pair.write(Self.window, to: keys[0], at: 0)
    #expect(pair.settled(keys[0], 0) == ["1 left"])
    try pair.write(1, to: keys[0], at: 0, number: 2)
    #expect(pair.settled(keys[0], 0) == [] && pair.books[1].waitingBytes(of: pair.nodes[0].peer) == Self.window)
    // Another stream to the same peer has a window of its own.
    let others = try pair.open()
    try pair.write(7, to: others[0], at: 0, number: 3)
    #expect(pair.settled(others[0], 0) == ["3 left"])
    #expect(pair.read(keys[1], at: 1) == "\(Self.window)")
    #expect(pair.settled(keys[0], 0) == ["2 left"] && pair.read(keys[1], at: 1) == "1")
  }

  @Test("a member that sends beyond its window is refused, and what waits here stays within it")
  func beyondWindow() throws {
    var pair = StreamPair()
    let keys = try pair.open()
    let part = ProtocolLimits.streamPart
    for _ in 0..<(Self.window / part) {
      pair.books[1].receive(.data(.mine(keys[0].number), Array(repeating: 1, count: part)), from: pair.nodes[0], me: 2)
    }
    #expect(pair.books[1].flow(keys[1])?.failure == nil)
    pair.books[1].receive(.data(.mine(keys[0].number), [1]), from: pair.nodes[0], me: 2)
    #expect(pair.books[1].flow(keys[1])?.failure == .violated)
    #expect(pair.books[1].waitingBytes(of: pair.nodes[0].peer) == 0)
    pair.exchange()
    #expect(
      pair.letters.last?.letter
        == .reset(
          .yours(1, start: 1), StreamReset(.violation, "violation", "the other side broke the rules of the stream")))
    #expect(pair.read(keys[0], at: 0) == "reset")
  }

  @Test("bytes before the acceptance, or after the end, and a second end break the rules")
  func outOfTurn() throws {
    for letters in [
      [StreamLetter.data(.mine(1), [1])], [.end(.mine(1))],
      [.open(1, limit: 0, name: "a"), .data(.mine(1), [1])], [.open(1, limit: 0, name: "a"), .end(.mine(1))],
    ] {
      var pair = StreamPair()
      for letter in letters { pair.books[1].receive(letter, from: pair.nodes[0], me: 2) }
      pair.exchange()
      #expect(pair.letters.contains { $0.from == 1 } == (letters.count == 2))
    }
    for second in [StreamLetter.data(.mine(1), [1]), .end(.mine(1))] {
      var pair = StreamPair()
      let keys = try pair.open()
      for letter in [.end(.mine(1)), second] { pair.books[1].receive(letter, from: pair.nodes[0], me: 2) }
      #expect(pair.books[1].flow(keys[1])?.failure == .violated)
    }
  }

  @Test(
    "as many streams as the limit are opened to a peer; the next one is refused here, and there for one that does not count"
  )
  func manyStreams() throws {
    var pair = StreamPair()
    let limit = ProtocolLimits.streamsOfPeer
    for _ in 1...limit { _ = try pair.books[0].open("log", to: pair.nodes[1].peer) }
    #expect(throws: StreamFailure.tooMany(pair.nodes[1].peer)) { try pair.books[0].open("log", to: pair.nodes[1].peer) }
    // The other direction has a limit of its own.
    _ = try pair.books[1].open("log", to: pair.nodes[0].peer)
    pair.exchange()
    #expect(pair.offered[1].count == limit && pair.offered[0].count == 1)
    for number in 1...UInt64(3 * limit) {
      pair.books[1].receive(.open(100 + number, limit: 0, name: "x"), from: pair.nodes[0], me: 2)
    }
    pair.letters = []
    pair.exchange()
    let refusals = pair.letters.count {
      if case .reset(_, let reset) = $0.letter { reset.reason == .limit } else { false }
    }
    #expect(refusals == limit && pair.offered[1].count == limit)
  }

  @Test("a reset gives the other side the reason behind the bytes that it has, and a place is free again")
  func reset() throws {
    var pair = StreamPair()
    let keys = try pair.open()
    try pair.write(3, to: keys[0], at: 0)
    try pair.write(Self.window, to: keys[0], at: 0, number: 2)
    _ = pair.settled(keys[0], 0)
    let full = StreamReset(.app, "full")
    _ = pair.books[0].update(keys[0]) { $0.reset(full, .resetHere(full)) }
    pair.exchange()
    #expect(pair.settled(keys[0], 0) == ["2 reset"] && pair.read(keys[0], at: 0) == "reset")
    #expect(pair.read(keys[1], at: 1) == "\(Self.window)" && pair.read(keys[1], at: 1) == "reset")
    #expect(
      pair.books[1].flow(keys[1])?.failure
        == .resetThere(full, stream: "log", pair.nodes[0].peer, isOpening: false))
    #expect(throws: StreamFailure.self) { try pair.write(1, to: keys[1], at: 1, number: 3) }
    for _ in 1...ProtocolLimits.streamsOfPeer { _ = try pair.open() }
  }

  @Test("a reset that crosses one of the other side is not answered, and the place is free at once")
  func crossedResets() throws {
    var pair = StreamPair()
    let limit = ProtocolLimits.streamsOfPeer
    var keys: [[StreamKey]] = []
    for _ in 1...limit { keys.append(try pair.open()) }
    pair.books[1].release(keys[0][1])
    pair.books[0].release(keys[0][0])
    let next = pair.books[0].next()
    pair.books[1].receive(try #require(next).letter, from: pair.nodes[0], me: 2)
    let answer = pair.books[1].next()
    #expect(answer == nil && pair.books[1].flow(keys[0][1]) == nil)
    _ = try pair.open()
    #expect(pair.offered[1].count == limit + 1)
  }

  @Test("streams that are over and wait to be read count at the side that reads")
  func unreadStreams() throws {
    var pair = StreamPair()
    for _ in 1...ProtocolLimits.streamsOfPeer {
      let keys = try pair.open()
      try pair.write(1, to: keys[0], at: 0)
      pair.books[0].release(keys[0])
      pair.exchange()
    }
    let first = try #require(pair.offered[1].first)
    let refused = try pair.books[0].open("more", to: pair.nodes[1].peer)
    pair.exchange()
    #expect(pair.books[0].flow(refused)?.failure?.word == "limit")
    #expect(pair.read(first, at: 1) == "1")
    _ = try pair.open()
  }

  @Test("a stream that is released is reset, or refused before it was accepted; finished writes arrive nevertheless")
  func released() throws {
    var pair = StreamPair()
    let keys = try pair.open()
    try pair.write(3, to: keys[0], at: 0)
    try pair.write(0, to: keys[0], at: 0, number: 2, isEnd: true)
    pair.books[0].release(keys[0])
    pair.exchange()
    #expect(pair.books[0].flow(keys[0]) == nil)
    #expect(pair.read(keys[1], at: 1) == "3" && pair.read(keys[1], at: 1) == "ended")
    #expect(throws: StreamFailure.self) { try pair.write(1, to: keys[1], at: 1, number: 3) }
    let waiting = try pair.books[0].open("other", to: pair.nodes[1].peer)
    pair.exchange()
    pair.books[1].release(try #require(pair.offered[1].last))
    pair.exchange()
    #expect(pair.books[0].flow(waiting)?.failure?.word == "unhandled")
  }

  @Test("a cancelled write of which nothing has left is taken back; one of which a part has left resets the stream")
  func cancelled() throws {
    var pair = StreamPair()
    let keys = try pair.open()
    try pair.write(Self.window, to: keys[0], at: 0)
    for number in 2...3 as ClosedRange<UInt64> { try pair.write(Self.window, to: keys[0], at: 0, number: number) }
    _ = pair.books[0].update(keys[0]) { $0.cancel(2) }
    #expect(pair.settled(keys[0], 0) == ["1 left", "2 cancelled"] && pair.read(keys[1], at: 1) == "\(Self.window)")
    #expect(pair.settled(keys[0], 0) == ["3 left"])
    try pair.write(1, to: keys[0], at: 0, number: 4, isEnd: true)
    _ = pair.read(keys[1], at: 1)
    #expect(pair.read(keys[1], at: 1) == "ended")
    let others = try pair.open()
    try pair.write(Self.window + 1, to: others[0], at: 0, number: 5)
    _ = pair.books[0].update(others[0]) { $0.cancel(5) }
    pair.exchange()
    #expect(pair.settled(others[0], 0) == ["5 cancelled"])
    #expect(pair.read(others[1], at: 1) == "\(Self.window)" && pair.read(others[1], at: 1) == "reset")
  }

  @Test("a side that loses the other alone tells it so when it is back, and streams begun since then stay")
  func lostAlone() throws {
    var pair = StreamPair()
    let keys = try pair.open()
    pair.books[0].end(with: pair.nodes[1].peer, pair.nodes[1], owing: true, .left(pair.nodes[1].peer, .connectionLost))
    #expect(pair.read(keys[0], at: 0) == "gone")
    let fresh = try pair.open("fresh")
    #expect(pair.read(keys[1], at: 1) == "gone")
    try pair.write(4, to: fresh[0], at: 0)
    #expect(pair.read(fresh[1], at: 1) == "4")
    #expect(pair.letters.contains { $0.letter == .over(start: 2, received: 0, opened: 1) })
  }

  @Test(
    "a peer that is out of reach is told when it is back, and again when that word was lost; others can be opened streams"
  )
  func toldAgain() throws {
    var pair = StreamPair()
    let keys = try pair.open()
    let lose = { (pair: inout StreamPair) in
      pair.books[0].end(
        with: pair.nodes[1].peer, pair.nodes[1], owing: true, .left(pair.nodes[1].peer, .connectionLost))
    }
    lose(&pair)
    #expect(pair.books[0].next()?.letter == .over(start: 2, received: 0, opened: 1))
    pair.books[0].postpone(pair.nodes[1].peer, received: 0, opened: 1)
    #expect(pair.books[0].next() == nil)
    // It leaves with the first chain, and is lost with it.
    pair.books[0].reached(pair.nodes[1].peer)
    #expect(pair.books[0].next()?.letter == .over(start: 2, received: 0, opened: 1))
    lose(&pair)
    pair.exchange()
    #expect(pair.read(keys[1], at: 1) == "gone")
    // A stream to one that is away is tried at once, so that its opener learns of it.
    lose(&pair)
    _ = pair.books[0].next()
    pair.books[0].postpone(pair.nodes[1].peer, received: 0, opened: 1)
    _ = try pair.books[0].open("x", to: pair.nodes[1].peer)
    #expect(pair.books[0].next()?.letter == .open(2, limit: UInt64(StreamPair.window), name: "x"))
  }

  @Test("a letter for which there is no room waits, those of other peers do not, and the order stays")
  func held() throws {
    var pair = StreamPair()
    let keys = try pair.open()
    _ = pair.books[0].update(keys[0]) { flow in try? flow.write([1], number: 1) }
    _ = pair.books[0].update(keys[0]) { flow in try? flow.write([2], number: 2) }
    let taken = pair.books[0].next()
    let first = try #require(taken)
    pair.books[0].hold(first.letter, for: first.peer)
    #expect(pair.books[0].next() == nil)
    let third = StreamPair.peer(9)
    _ = try pair.books[0].open("x", to: third)
    #expect(pair.books[0].next()?.peer == third && pair.books[0].next() == nil)
    pair.books[0].unblock()
    let letters = [pair.books[0].next()?.letter, pair.books[0].next()?.letter]
    #expect(letters == [.data(.mine(1), [1]), .data(.mine(1), [2])])
  }

  @Test("streams of a start that is gone end with the first word of another start, whose numbers are its own")
  func restarted() throws {
    var pair = StreamPair()
    let keys = try pair.open()
    let again = NodeID(peer: pair.nodes[0].peer, incarnation: 7)
    pair.books[1].receive(.open(1, limit: 0, name: "log"), from: again, me: 2)
    #expect(pair.books[1].flow(keys[1])?.failure?.word == "gone")
    #expect(pair.books[1].takeNews().offered == [StreamKey(peer: again.peer, number: 1, opener: again)])
    pair.books[1].release(keys[1])
    #expect(pair.books[1].flow(StreamKey(peer: again.peer, number: 1, opener: again))?.stage == .offered)
    // Words about a former start of this one are about none of its streams.
    _ = try pair.books[0].open("x", to: pair.nodes[1].peer)
    pair.books[0].receive(.end(.yours(1, start: 99)), from: pair.nodes[1], me: 1)
    #expect(pair.books[0].flow(keys[0])?.failure == nil)
  }

  @Test("a peer that stays away is not told again and again which streams are over, but once it is back")
  func away() throws {
    var pair = StreamPair()
    let keys = try pair.open()
    let failure = UndeliveredMessages(receiver: pair.nodes[1].peer, messages: [], reason: .lost)
    _ = pair.books[0].take(.streamsFailed(failure, of: pair.nodes[1]), me: 1)
    let early = pair.books[0].next()
    #expect(pair.read(keys[0], at: 0) == "gone" && early == nil)
    _ = pair.books[0].take(.peerJoined(pair.nodes[1].peer, name: "bob"), me: 1)
    let told = pair.books[0].next()
    #expect(told?.letter == .over(start: 2, received: 0, opened: keys[0].number))
  }

  @Test("a stream that is opened to a peer's new start, before a word of that has come, is a stream of that start")
  func newStart() throws {
    var pair = StreamPair()
    let keys = try pair.open()
    let later = NodeID(peer: pair.nodes[1].peer, incarnation: 99)
    let new = try pair.books[0].open("log", to: later.peer)
    let next = pair.books[0].next()
    let letter = try #require(next).letter
    pair.books[0].sent(letter, to: later.peer, .success(later))
    pair.books[0].receive(.credit(.yours(new.number, start: 1), limit: 9), from: later, me: 1)
    #expect(pair.books[0].flow(new)?.failure == nil && pair.books[0].flow(new)?.stage == .open)
    #expect(pair.read(keys[0], at: 0) == "gone")
  }
}

extension StreamFailure {
  /// A word for it.
  fileprivate var word: String {
    switch self {
    case .resetThere(let reset, _, _, _) where reset.reason == .limit: "limit"
    case .resetThere(let reset, _, _, _) where reset.reason == .unhandled: "unhandled"
    case .resetHere, .resetThere, .violated: "reset"
    case .writeCancelled: "cancelled"
    case .forgotten, .restarted, .undelivered, .left: "gone"
    case .tooMany, .finished, .notOpened, .released, .unreadable, .unsent, .ended: "\(self)"
    }
  }
}

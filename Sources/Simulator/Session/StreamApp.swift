import Basics
import PeerProtocol
import WorldModel

/// The streams of the people of a simulated session: they open some, write and read at their own pace, and let go of some.
struct StreamApp {
  private var random: SeededRandom

  init(random: SeededRandom) { self.random = random }

  /// Somebody does something with a stream.
  mutating func act(in world: inout SessionWorld, at index: Int) {
    var dice = random.split()
    let other = SessionPeer.identity(of: dice.node(otherThan: index, of: world.count))
    world.perform(index) { peer, now in
      peer.mail.streams.act(&dice, openingTo: other)
      peer.serveStreams(at: now)
    }
  }

  /// Everybody reads everything from now on.
  func readAll(in world: inout SessionWorld) {
    for index in 0..<world.count {
      world.perform(index) { peer, now in
        peer.mail.streams.readsAll = true
        peer.serveStreams(at: now)
      }
    }
  }

  /// S1: bytes that nobody wrote, doubled, or out of order.
  func violation(in world: SessionWorld) -> String? {
    (0..<world.count).lazy.compactMap { world.simulation.node($0)?.mail.streams.violation }.first
  }

  /// S2, at rest: a stream that goes on at one side alone, or has not all of its bytes.
  func disagreement(in world: SessionWorld) -> String? {
    for index in 0..<world.count {
      guard let peer = world.simulation.node(index) else { continue }
      for key in peer.mail.streams.ends.keys.sorted() {
        if let text = disagreement(on: key, of: peer, in: world) {
          return "S2 \(index + 1), stream \(key.number): \(text)"
        }
      }
    }
    return nil
  }

  private func disagreement(on key: StreamKey, of peer: SessionPeer, in world: SessionWorld) -> String? {
    guard let (end, flow) = peer.mail.streams.end(key) else { return "it was forgotten though its app holds it" }
    let me = peer.node.me
    let other = (0..<world.count).first { SessionPeer.identity(of: $0) == key.peer }.flatMap(world.simulation.node)
    // Another start of the opener counts anew.
    let isItsStart = key.isOwn || other?.node.me == key.opener
    let mirror = StreamKey(peer: me.peer, number: key.number, opener: key.isOwn ? me : nil)
    guard isItsStart, let (theirEnd, theirFlow) = other?.mail.streams.end(mirror) else {
      return flow.isOver ? nil : "it goes on at one side alone"
    }
    if flow.isOver != theirFlow.isOver { return "it is over at one side alone" }
    guard flow.failure == nil, theirFlow.failure == nil else { return nil }
    if end.read != theirEnd.written { return "\(end.read) of \(theirEnd.written) bytes have come" }
    return end.hasEnded == theirEnd.isFinished ? nil : "its end has not come"
  }
}

/// One app's streams: the book that sessions have, and the ends that the app holds.
struct StreamShelf {
  /// Each byte says where it stands, so that a reader knows at once what is lost, doubled or out of order.
  struct End {
    var written = 0
    var read = 0
    var isFinished = false
    var hasEnded = false
  }

  /// So little that the apps here fill it.
  private static let sizes = StreamSizes(window: 1024, part: 200)

  var book = StreamBook(sizes)
  private(set) var ends: [StreamKey: End] = [:]
  /// Whether the app reads whatever is there.
  var readsAll = false
  private(set) var violation: String?
  private var writes: UInt64 = 0

  /// An end that the app holds, and what the book has of it.
  func end(_ key: StreamKey) -> (End, StreamFlow)? {
    guard let end = ends[key], let flow = book.flow(key) else { return nil }
    return (end, flow)
  }

  /// Takes up the streams that others have opened; of eight one is refused.
  mutating func takeOffers() {
    for key in book.takeNews().offered {
      guard !key.number.isMultiple(of: 8) else {
        book.release(key)
        continue
      }
      ends[key] = End()
      _ = book.update(key) { $0.accept() }
    }
    guard readsAll else { return }
    // Behind the last bytes comes the end.
    for key in ends.keys.sorted() { while read(key) {} }
  }

  mutating func act(_ dice: inout SeededRandom, openingTo peer: PeerID) {
    let keys = ends.keys.filter { book.flow($0)?.isOver == false }.sorted()
    guard !keys.isEmpty, dice.below(6) > 0 else {
      if let key = try? book.open("log", to: peer) { ends[key] = End() }
      return
    }
    let key = keys[dice.below(keys.count)]
    switch dice.below(16) {
    case 0: reset(key)
    case 1:
      ends[key] = nil
      book.release(key)
    case 2, 3: write(0, isEnd: true, to: key)
    case 4..<9: for key in keys { _ = read(key) }
    default: write(dice.below(3) == 0 ? dice.below(3000) : dice.below(60), isEnd: false, to: key)
    }
  }

  private mutating func reset(_ key: StreamKey) {
    let reset = StreamReset(.app, "enough")
    _ = book.update(key) { $0.reset(reset, .resetHere(reset)) }
  }

  private mutating func write(_ count: Int, isEnd: Bool, to key: StreamKey) {
    // An app has the stream only once it is open, and writes nothing after the end.
    guard var end = ends[key], book.flow(key)?.stage == .open, !end.isFinished else { return }
    writes += 1
    let (start, number) = (end.written, writes)
    let bytes = (start..<start + count).map { Self.byte($0, of: key, isFromOpener: key.isOwn) }
    let isTaken = book.update(key) { (try? $0.write(bytes, isEnd: isEnd, number: number)) != nil }
    guard isTaken == true else { return }
    end.written += count
    end.isFinished = isEnd
    ends[key] = end
  }

  /// Whether there were bytes.
  private mutating func read(_ key: StreamKey) -> Bool {
    guard var end = ends[key] else { return false }
    defer { ends[key] = end }
    switch book.update(key, { $0.take() }) {
    case .bytes(let bytes):
      let isRight = bytes.indices.allSatisfy {
        bytes[$0] == Self.byte(end.read + $0, of: key, isFromOpener: !key.isOwn)
      }
      if !isRight || end.hasEnded { violation = "S1 wrong bytes of stream \(key.number) at \(end.read)" }
      end.read += bytes.count
      return true
    case .ended: end.hasEnded = true
    case .failed, .wait, nil: break
    }
    return false
  }

  private static func byte(_ offset: Int, of key: StreamKey, isFromOpener: Bool) -> UInt8 {
    UInt8(truncatingIfNeeded: offset &* 31 &+ (offset >> 8) &+ Int(truncatingIfNeeded: key.number) &* 7)
      ^ (isFromOpener ? 0x55 : 0)
  }
}

extension SessionPeer {
  /// Takes up what others have opened, reads, and hands the letters that are due to the node, until nothing is left to do.
  mutating func serveStreams(at now: Instant) {
    mail.streams.takeOffers()
    while let (peer, letter) = mail.streams.book.next() {
      let answer = handle(.send(letter.bytes, as: .stream, to: [peer]), at: now)
      if case .refused(let refusal) = answer {
        mail.streams.book.sent(letter, to: peer, .failure(.unsent(refusal)))
      } else {
        // Letters are numbered with the other messages.
        mail.sent += 1
        mail.streams.book.sent(letter, to: peer, .success(node.streamReceiver(peer)))
      }
    }
  }
}

import Basics
package import WorldModel

/// Names a stream at one of its ends.
package struct StreamKey: Hashable, Comparable, Sendable {
  /// The peer at the other end.
  package let peer: PeerID
  /// The number that the peer gave it which opened it.
  package let number: UInt64
  /// The start of the peer that opened it; nil for a stream that this side has opened.
  package let opener: NodeID?

  package init(peer: PeerID, number: UInt64, opener: NodeID?) {
    (self.peer, self.number, self.opener) = (peer, number, opener)
  }

  /// Whether this side opened it.
  package var isOwn: Bool { opener == nil }

  /// Orders by number first, own streams before the peer's: the order in which streams with a peer are ended.
  package static func < (one: Self, other: Self) -> Bool {
    if one.number != other.number { return one.number < other.number }
    if one.isOwn != other.isOwn { return one.isOwn }
    if one.peer != other.peer { return one.peer < other.peer }
    guard let start = one.opener, let otherStart = other.opener else { return false }
    return start < otherStart
  }
}

/// All streams of a session: which there are, what of them leaves next, and what becomes of them when a peer goes.
///
/// A single stream knows its two directions (``StreamFlow``). The book has the rest: whose turn it is, since one
/// stream of ten megabytes must not hold up another's single byte, so streams of a peer take turns letter by letter,
/// and so do peers; and what becomes of a stream whose other end has gone.
///
/// The second is the difficulty. Two peers that lose each other give up by their own clocks, and one may do so alone.
/// If it forgot its streams quietly, the other would go on with them when the link is back, and the first would take
/// the same numbers for nothing or for new ones. So it owes a word (*over*) and gives it when the peer is in reach:
/// which streams it means, by the last number of each side, so that those opened since then live on. A restarted peer
/// has no such memory, so streams belong to one start of it, and a letter of another start ends them.
///
/// Numbers are the opener's, and rise: an opening that comes twice, or late, has no effect. Streams that are over but
/// not read still count towards ``ProtocolLimits/streamsOfPeer``, or a peer could fill memory by opening and ending.
///
/// It is a value without I/O: its owner gives it the events of the node, and sends the letters that it asks for.
package struct StreamBook: Sendable {
  /// The other end of streams.
  private struct Partner: Sendable {
    let peer: PeerID
    /// The start of its process; nil until a letter came or went.
    var node: NodeID?
    /// The last number of a stream that it opened.
    var lastOpened: UInt64 = 0
    /// The streams that it must learn are over.
    var debt: (received: UInt64, opened: UInt64)?
    /// Whether it was out of reach when it was last told.
    var isAway = false
    /// Streams that were refused because there are too many.
    var refused: [UInt64] = []
    /// A letter that the node had no room for.
    var held: StreamLetter?
    /// Whether nothing is tried before the node has room.
    var isBlocked = false
    /// Streams with letters to be sent, which take turns.
    var queue: [StreamKey] = []
  }

  private static let fullText = "\(ProtocolLimits.streamsOfPeer) streams have not ended, or wait to be read"

  private let sizes: StreamSizes
  private var flows: [StreamKey: StreamFlow] = [:]
  /// Streams whose app does not hold them any more; they go when the other side knows.
  private var released: KeySet<StreamKey> = []
  private var partners: [Partner] = []
  private var lastNumber: UInt64 = 0
  /// The partner that is asked first for a letter.
  private var turn = 0
  private var touched: [StreamKey] = []
  private var offered: [StreamKey] = []

  package init(_ sizes: StreamSizes = StreamSizes()) { self.sizes = sizes }

  // MARK: This side

  /// Begins to open a stream.
  ///
  /// - Throws: `tooMany`.
  package mutating func open(_ name: String, to peer: PeerID) throws(StreamFailure) -> StreamKey {
    guard count(with: peer, isOwn: true) < ProtocolLimits.streamsOfPeer else { throw .tooMany(peer) }
    lastNumber += 1
    let key = StreamKey(peer: peer, number: lastNumber, opener: nil)
    assert(flows.index(forKey: key) == nil, "a number is used twice")
    flows[key] = StreamFlow(opening: name, sizes)
    enqueue(key)
    return key
  }

  /// Changes a stream; nil when there is none.
  package mutating func update<R>(_ key: StreamKey, _ body: (inout StreamFlow) -> R) -> R? {
    guard let index = flows.index(forKey: key) else { return nil }
    let result = body(&flows.values[index])
    touched.append(key)
    enqueue(key)
    return result
  }

  /// A stream as it is; nil when there is none.
  package func flow(_ key: StreamKey) -> StreamFlow? { flows[key] }

  /// The app holds a stream no more: one that is not over is reset, or refused if it was never accepted.
  package mutating func release(_ key: StreamKey) {
    guard let stage = flows[key]?.stage else { return }
    released.insert(key)
    let isOffered = stage == .offered
    let text = "the app of the other side does not hold the stream"
    let reset = isOffered ? StreamReset(.unhandled, "unhandled", text) : StreamReset(.app, "released", text)
    _ = update(key) { $0.reset(reset, .released) }
    forgetIfOver(key)
  }

  /// The streams that have changed since the last call, each once, and those that were opened by others.
  package mutating func takeNews() -> (touched: [StreamKey], offered: [StreamKey]) {
    var seen: KeySet<StreamKey> = []
    let keys = exchange(&touched, with: []).filter { seen.insert($0) }
    return (keys, exchange(&offered, with: []))
  }

  // MARK: The other side

  /// Takes a letter of a start of a peer; `me` is this start.
  package mutating func receive(_ letter: StreamLetter, from node: NodeID, me: UInt64) {
    guard let index = index(of: node) else { return }
    switch letter {
    case .open(let number, let limit, let name): offer(number, name, limit, from: index)
    case .credit(let mark, _), .data(let mark, _), .end(let mark), .reset(let mark, _):
      guard let key = key(of: mark, node, me: me), let obeys = update(key, { $0.receive(letter, from: node.peer) })
      else { return }
      if !obeys {
        let reset = StreamReset(.violation, "violation", "the other side broke the rules of the stream")
        _ = update(key) { $0.reset(reset, .violated) }
      }
      forgetIfOver(key)
    case .over(let start, let received, let opened):
      guard start == me else { return }
      end(with: node.peer, .forgotten(node.peer)) { $0.number <= ($0.isOwn ? received : opened) }
    }
  }

  private mutating func offer(_ number: UInt64, _ name: String, _ limit: UInt64, from index: Int) {
    guard number > partners[index].lastOpened, let opener = partners[index].node else { return }
    partners[index].lastOpened = number
    let key = StreamKey(peer: opener.peer, number: number, opener: opener)
    guard count(with: key.peer, isOwn: false) < ProtocolLimits.streamsOfPeer else {
      // Streams that are over wait here to be read, or the peer does not count its own; it may learn of as many.
      if partners[index].refused.count < ProtocolLimits.streamsOfPeer { partners[index].refused.append(number) }
      return
    }
    flows[key] = StreamFlow(offered: name, limit: limit, sizes)
    offered.append(key)
  }

  private func key(of mark: StreamMark, _ node: NodeID, me: UInt64) -> StreamKey? {
    switch mark {
    case .mine(let number): StreamKey(peer: node.peer, number: number, opener: node)
    case .yours(let number, let start): start == me ? StreamKey(peer: node.peer, number: number, opener: nil) : nil
    }
  }

  /// The index of a start of a peer; another start of it has no streams of the one before.
  private mutating func index(of node: NodeID, sparing key: StreamKey? = nil) -> Int? {
    if let index = index(of: node.peer) {
      if let known = partners[index].node, known != node { restart(index, as: node, sparing: key) }
      partners[index].node = node
      return index
    }
    return add(node.peer, as: node)
  }

  private func index(of peer: PeerID) -> Int? { partners.firstIndex { $0.peer == peer } }

  private mutating func add(_ peer: PeerID, as node: NodeID? = nil) -> Int? {
    if partners.count >= 2 * ProtocolLimits.members {
      partners.removeAll { partner in !flows.keys.contains { $0.peer == partner.peer } }
      guard partners.count < 2 * ProtocolLimits.members else { return nil }
    }
    partners.append(Partner(peer: peer, node: node))
    return partners.count - 1
  }

  private mutating func restart(_ index: Int, as node: NodeID, sparing key: StreamKey?) {
    let peer = partners[index].peer
    end(with: peer, .restarted(peer)) { $0 != key }
    partners[index] = Partner(peer: peer, node: node)
  }

  // MARK: Ends

  /// The streams with a peer are over; one that may not know it learns of it when it can be reached again.
  ///
  /// - Parameter node: The start that they are with; nil for any.
  package mutating func end(with peer: PeerID, _ node: NodeID? = nil, owing: Bool, _ failure: StreamFailure) {
    guard let index = index(of: peer) else { return }
    if let node, let known = partners[index].node, known != node { return }
    end(with: peer, failure) { _ in true }
    guard owing else { return _ = partners.remove(at: index) }
    partners[index].held = nil
    partners[index].isBlocked = false
    partners[index].refused = []
    // Also without any stream: what it was told before may be lost with the chain.
    partners[index].debt = (partners[index].lastOpened, lastNumber)
  }

  private mutating func end(with peer: PeerID, _ failure: StreamFailure, where test: (StreamKey) -> Bool) {
    for key in flows.keys.filter({ $0.peer == peer && test($0) }).inOrder() {
      _ = update(key) { $0.fail(failure) }
      forgetIfOver(key)
    }
  }

  /// Every stream is over, because the session is.
  package mutating func endAll(_ failure: StreamFailure) {
    for peer in partners.map(\.peer) { end(with: peer, owing: false, failure) }
    for key in flows.keys.inOrder() { _ = update(key) { $0.fail(failure) } }
  }

  private mutating func forgetIfOver(_ key: StreamKey) {
    guard released.contains(key), flows[key]?.isOver ?? true else { return }
    flows[key] = nil
    released.remove(key)
  }

  // MARK: Letters

  /// The next letter and its receiver; the streams of one peer take turns, and so do peers.
  package mutating func next() -> (peer: PeerID, letter: StreamLetter)? {
    for _ in partners.indices {
      turn = (turn + 1) % partners.count
      if !partners[turn].isBlocked, let letter = next(of: turn) { return (partners[turn].peer, letter) }
    }
    return nil
  }

  private mutating func next(of index: Int) -> StreamLetter? {
    if let held = exchange(&partners[index].held, with: nil) { return held }
    if !partners[index].isAway, let (received, opened) = partners[index].debt, let node = partners[index].node {
      partners[index].debt = nil
      return .over(start: node.incarnation, received: received, opened: opened)
    }
    if !partners[index].refused.isEmpty {
      let mark = StreamMark.yours(partners[index].refused.removeFirst(), start: partners[index].node?.incarnation ?? 0)
      return .reset(mark, StreamReset(.limit, "limit", Self.fullText))
    }
    while !partners[index].queue.isEmpty {
      let key = partners[index].queue.removeFirst()
      let mark: StreamMark =
        key.isOwn ? .mine(key.number) : .yours(key.number, start: partners[index].node?.incarnation ?? 0)
      guard let letter = flows[key]?.next(mark) else { continue }
      touched.append(key)
      if flows[key]?.hasNext == true { partners[index].queue.append(key) }
      forgetIfOver(key)
      return letter
    }
    return nil
  }

  /// The node had no room for a letter: it is the next one when there is.
  mutating func hold(_ letter: StreamLetter, for peer: PeerID) {
    guard let index = index(of: peer) else { return }
    partners[index].held = letter
    partners[index].isBlocked = true
  }

  /// A peer could not be told which streams are over: it is told when it is in reach.
  mutating func postpone(_ peer: PeerID, received: UInt64, opened: UInt64) {
    guard let index = index(of: peer) else { return }
    partners[index].debt = (received, opened)
    lost(peer)
  }

  /// A peer is out of reach: it is told which streams are over when it is back.
  mutating func lost(_ peer: PeerID) {
    if let index = index(of: peer) { partners[index].isAway = true }
  }

  /// The node may have room again.
  mutating func unblock() { for index in partners.indices { partners[index].isBlocked = false } }

  /// A letter has gone to this start of a peer; streams with another one are over, but not the one that it opens there.
  mutating func sent(to node: NodeID, opening key: StreamKey? = nil) {
    if let index = index(of: node, sparing: key) { partners[index].isAway = false }
  }

  /// A peer can be reached again, and be told which streams are over.
  mutating func reached(_ peer: PeerID) {
    if let index = index(of: peer) { partners[index].isAway = false }
  }

  private mutating func enqueue(_ key: StreamKey) {
    guard flows[key]?.hasNext == true, let index = index(of: key.peer) ?? add(key.peer),
      !partners[index].queue.contains(key)
    else { return }
    partners[index].queue.append(key)
  }

  private func count(with peer: PeerID, isOwn: Bool) -> Int {
    flows.count { $0.key.peer == peer && $0.key.isOwn == isOwn && $0.value.holdsPlace }
  }

  /// Streams that others have opened and that wait to be accepted.
  package var offeredCount: Int { flows.values.count { $0.stage == .offered && !$0.isOver } }

  /// Bytes of streams with a peer that wait to be read.
  package func waitingBytes(of peer: PeerID) -> Int {
    flows.reduce(0) { $0 + ($1.key.peer == peer ? $1.value.waitingBytes : 0) }
  }
}

import Basics
import WorldModel

/// Bytes that may be under way; smaller in simulations, whose apps write little.
package struct StreamSizes: Sendable {
  /// Those of one direction of a stream that wait to be read or are on their way.
  package var window = ProtocolLimits.streamWindow
  /// Those in one letter.
  package var part = ProtocolLimits.streamPart

  package init() {}

  /// Both in bytes.
  package init(window: Int, part: Int) { (self.window, self.part) = (window, part) }
}

/// One end of a stream: its bytes on their way out, and those that have arrived and were not read.
///
/// A stream is made of messages, which arrive once, in order, and whatever becomes of the links. They lack a
/// reader's pace. The window of messages closes when the app does not read, and would stop every stream to that peer
/// and its messages with it. So each stream has credit of its own, as those of QUIC (RFC 9000 §4): bytes leave as the
/// other end grants room for them, and it grants the other end room as they are read, so that at most
/// ``StreamSizes/window`` bytes wait here whatever comes. The writer's call returns when its bytes have left, which is
/// how an app feels the other's pace.
///
/// A stream that nobody has accepted has no credit to send with: an app that wrote into it would fill a window without
/// knowing whether anybody reads.
///
/// Ends are the hard part. Each direction ends by itself; a reset ends both at once, from either side, also while the
/// other side's reset is on its way. Bytes that arrived before the other side failed can still be read, and an end that
/// was sent is not undone. A write of which a part has left cannot be taken back: to cancel it resets the stream, since
/// bytes behind a gap are worse than none.
///
/// It is a value without I/O: the simulator has its own sizes. Why it is so: Documentation/Decisions/0015-streams.md.
package struct StreamFlow: Sendable {
  /// How far the opening is.
  package enum Stage: Sendable {
    /// This side has opened it, and the other has not answered.
    case opening
    /// The other side has opened it, and this app has not accepted it.
    case offered
    /// Both sides may send.
    case open
  }

  /// The result of a read.
  package enum Reading: Sendable {
    case bytes([UInt8])
    case ended
    case failed(StreamFailure)
    /// Nothing is here yet.
    case wait
  }

  /// A call that hands over bytes, or the end of them.
  private struct Write: Sendable {
    let number: UInt64
    var bytes: ArraySlice<UInt8>
    let isEnd: Bool
    var hasBegun = false
  }

  package let name: String
  private let sizes: StreamSizes
  package private(set) var stage: Stage
  /// Why it is over before its end; nil while it is not.
  package private(set) var failure: StreamFailure?

  private var writes: [Write] = []
  private var settled: [(number: UInt64, error: StreamFailure?)] = []
  /// Bytes that have left, and that may.
  private var sent: UInt64 = 0
  private var limit: UInt64
  private var isFinishing = false
  private var hasSentEnd = false

  private var inbox: [[UInt8]] = []
  /// Bytes that have arrived, that were read, and that were granted.
  private var received: UInt64 = 0
  private var read: UInt64 = 0
  private var granted: UInt64 = 0
  private var hasReceivedEnd = false

  private var owesOpen = false
  private var owesCredit = false
  private var owedReset: StreamReset?

  /// A stream that this side opens.
  init(opening name: String, _ sizes: StreamSizes) {
    (self.name, self.sizes) = (name, sizes)
    (stage, limit, owesOpen) = (.opening, 0, true)
  }

  /// A stream that the other side has opened, which grants this many bytes.
  init(offered name: String, limit: UInt64, _ sizes: StreamSizes) {
    (self.name, self.sizes) = (name, sizes)
    (stage, self.limit) = (.offered, limit)
  }

  /// Whether nothing more comes or leaves.
  package var isOver: Bool { failure != nil ? owedReset == nil : hasSentEnd && hasReceivedEnd }
  /// Whether it counts among the streams of two peers: it is not over, or bytes wait here.
  var holdsPlace: Bool { !isOver || !inbox.isEmpty }
  /// Whether writes have left or failed and were not taken.
  package var hasSettled: Bool { !settled.isEmpty }
  /// Whether a read has a result.
  package var isReadable: Bool { !inbox.isEmpty || hasReceivedEnd || failure != nil }
  /// Bytes that wait to be read.
  package var waitingBytes: Int { Int(received - read) }

  // MARK: This side

  /// Accepts an offered stream; false when it is over already.
  package mutating func accept() -> Bool {
    guard stage == .offered, failure == nil else { return false }
    (stage, owesCredit) = (.open, true)
    return true
  }

  /// Adds bytes that are to leave, or the end, under a number of the caller, which ``takeSettled()`` names once they have left.
  ///
  /// - Throws: Why nothing can leave any more.
  package mutating func write(_ bytes: [UInt8], isEnd: Bool = false, number: UInt64) throws(StreamFailure) {
    // An end that the other side has is not undone by what came later.
    if isEnd, hasSentEnd { return settled.append((number, nil)) }
    if let failure { throw failure }
    guard isEnd || !isFinishing else {
      throw .finished(name)
    }
    if isEnd { isFinishing = true }
    guard isEnd || !bytes.isEmpty else { return settled.append((number, nil)) }
    writes.append(Write(number: number, bytes: bytes[...], isEnd: isEnd))
  }

  /// Takes back a write; one of which a part has left resets the stream, for the other side must not read on behind the gap.
  package mutating func cancel(_ number: UInt64) {
    guard let index = writes.firstIndex(where: { $0.number == number }) else { return }
    guard writes[index].hasBegun else {
      writes.remove(at: index)
      isFinishing = writes.contains(where: \.isEnd)
      return settled.append((number, .writeCancelled(hasBegun: false)))
    }
    reset(StreamReset(.app, "cancelled", "a write was cancelled"), .writeCancelled(hasBegun: true))
  }

  /// Takes what has arrived.
  package mutating func take() -> Reading {
    guard !inbox.isEmpty else {
      if hasReceivedEnd { return .ended }
      return failure.map { .failed($0) } ?? .wait
    }
    let bytes = inbox.count == 1 ? inbox[0] : Self.joined(inbox)
    inbox = []
    read += UInt64(bytes.count)
    // In steps, so that not every read sends a word.
    if granted - read <= UInt64(sizes.window * 3 / 4), canGrant { owesCredit = true }
    return .bytes(bytes)
  }

  /// Byte for byte, as `joined()` goes, takes a hundred times as long without optimization.
  private static func joined(_ parts: [[UInt8]]) -> [UInt8] {
    var all: [UInt8] = []
    all.reserveCapacity(parts.reduce(0) { $0 + $1.count })
    for part in parts { all.append(contentsOf: part) }
    return all
  }

  private var canGrant: Bool { stage == .open && failure == nil && !hasReceivedEnd }

  /// Ends both directions at once, and tells the other side why; `failure` is what this side's callers get.
  package mutating func reset(_ reset: StreamReset, _ failure: StreamFailure) {
    guard self.failure == nil, !isOver else { return }
    // An opening that has not left needs no word.
    let isKnown = !owesOpen
    fail(failure)
    (inbox, hasReceivedEnd, read) = ([], false, received)
    if isKnown { owedReset = reset }
  }

  /// The stream is over without a word to the other side, which is gone or said so itself.
  ///
  /// The bytes that have arrived can still be read.
  mutating func fail(_ error: StreamFailure) {
    owedReset = nil
    guard failure == nil, !isOver else { return }
    failure = error
    (owesOpen, owesCredit) = (false, false)
    for write in writes { settled.append((write.number, error)) }
    writes = []
  }

  /// The writes that have left or failed since the last call.
  package mutating func takeSettled() -> [(number: UInt64, error: StreamFailure?)] { exchange(&settled, with: []) }

  // MARK: The other side

  /// Takes a letter about this stream; whether it follows the rules.
  mutating func receive(_ letter: StreamLetter, from peer: PeerID) -> Bool {
    guard failure == nil else {
      // Both sides have reset it: the other one needs no word any more.
      if case .reset = letter { owedReset = nil }
      return true
    }
    switch letter {
    case .credit(_, let limit):
      if stage == .opening { stage = .open }
      self.limit = max(self.limit, limit)
    case .data(_, let bytes):
      guard stage == .open, !hasReceivedEnd, UInt64(bytes.count) <= granted - received else { return false }
      received += UInt64(bytes.count)
      assert(received - read <= UInt64(sizes.window), "more bytes wait than were granted")
      inbox.append(bytes)
    case .end:
      guard stage == .open, !hasReceivedEnd else { return false }
      hasReceivedEnd = true
      owesCredit = false
    case .reset(_, let reset): fail(.resetThere(reset, stream: name, peer, isOpening: stage == .opening))
    case .open, .over: return false
    }
    return true
  }

  // MARK: Letters

  /// Whether ``next(_:)`` has a letter.
  var hasNext: Bool {
    if owedReset != nil || owesOpen || owesCredit { return true }
    guard stage == .open, failure == nil, let write = writes.first else { return false }
    return write.isEnd || sent < limit
  }

  /// The next letter to the other side, which counts as sent then.
  mutating func next(_ mark: StreamMark) -> StreamLetter? {
    if let reset = owedReset {
      owedReset = nil
      return .reset(mark, reset)
    }
    let window = UInt64(sizes.window)
    if owesOpen, case .mine(let number) = mark {
      owesOpen = false
      granted = window
      return .open(number, limit: granted, name: name)
    }
    if owesCredit {
      owesCredit = false
      assert(granted <= read + window, "room that was granted is taken back")
      granted = read + window
      return .credit(mark, limit: granted)
    }
    guard stage == .open, failure == nil, !writes.isEmpty else { return nil }
    if writes[0].isEnd {
      hasSentEnd = true
      // Nothing but further ends follows an end.
      for write in writes { settled.append((write.number, nil)) }
      writes = []
      return .end(mark)
    }
    guard sent < limit else { return nil }
    let count = min(writes[0].bytes.count, sizes.part, Int(clamping: limit - sent))
    let bytes = Array(writes[0].bytes.prefix(count))
    writes[0].bytes.removeFirst(count)
    writes[0].hasBegun = true
    sent += UInt64(count)
    assert(sent <= limit, "more left than the other side has room for")
    if writes[0].bytes.isEmpty { settled.append((writes.removeFirst().number, nil)) }
    return .data(mark, bytes)
  }
}

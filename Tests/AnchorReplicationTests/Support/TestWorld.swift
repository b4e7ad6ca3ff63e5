import AnchorReplication
import Basics
import Testing
import WorldModel

/// The peer with a key hash of repeated bytes.
func peer(_ number: Int) -> PeerID {
  PeerID(SHA256Digest(words: SIMD4(repeating: UInt64(number) &* 0x0101_0101_0101_0101)))
}

/// The first run of a peer.
func actor(_ number: Int, run: UInt64 = 1) -> ActorID { ActorID(peer: peer(number), incarnation: run) }

/// An empty set of the peer `number`.
func makeSet(
  _ number: Int, run: UInt64 = 1, limits: ReplicationLimits = .default, rules: ProtocolRules = .all
) -> AnchorSet {
  AnchorSet(actor: actor(number, run: run), peer: peer(number), limits: limits, rules: rules)
}

/// The anchor id with small numbers.
func id(_ number: Int) -> AnchorID { AnchorID(high: 0, low: UInt64(number)) }

/// An anchor on the x axis.
func anchor(_ number: Int, _ name: String = "lamp", x: Float = 0) -> Anchor {
  Anchor(id: id(number), name: name, transform: Transform(translation: [x, 0, 0]))
}

extension AnchorSet {
  /// A cursor for a peer that the log can serve.
  func cursor(for vector: VersionVector) throws -> LogCursor {
    guard case .log(let cursor) = cursorForPeer(with: vector) else { throw TestFailure.snapshotNeeded }
    return cursor
  }

  /// Everything this set has for a peer with `vector`, as batches.
  func batches(for vector: VersionVector, limit: Int = 40_000) throws -> [[UInt8]] {
    var cursor = try cursor(for: vector)
    return try batches(from: &cursor, limit: limit)
  }

  /// Everything after `cursor`, as batches.
  func batches(from cursor: inout LogCursor, limit: Int = 40_000) throws -> [[UInt8]] {
    var batches: [[UInt8]] = []
    while true {
      var writer = ByteWriter()
      switch readLog(&cursor, limit: limit, into: &writer) {
      case .batch: batches.append(writer.bytes)
      case .upToDate: return batches
      case .snapshotNeeded: throw TestFailure.snapshotNeeded
      }
    }
  }

  /// Applies batches of one link.
  @discardableResult
  mutating func receive(_ batches: [[UInt8]], judging author: LinkAuthor? = nil) throws -> AppliedOperations {
    var assembly = OperationAssembly()
    var total = AppliedOperations()
    for batch in batches {
      let outcome = try apply(operations: batch.span.bytes, assembly: &assembly, judging: author)
      total.applied += outcome.applied
      total.duplicates += outcome.duplicates
      total.held += outcome.held
    }
    return total
  }

  /// Takes everything `other` has: from its log, or else from a snapshot.
  mutating func pull(from other: AnchorSet) throws {
    switch other.cursorForPeer(with: vector) {
    case .log: try receive(other.batches(for: vector))
    case .snapshotNeeded: try merge(snapshot: other.encodeSnapshot().span.bytes)
    }
  }

  /// The changes since the last call.
  mutating func changes() -> [SetChange] { takeChanges() }
}

enum TestFailure: Error {
  case snapshotNeeded
}

extension SnapshotAssembly {
  /// Takes a chunk from an array.
  mutating func take(bytes: [UInt8]) throws(DecodingFailure) -> Bool { try take(bytes.span.bytes) }
}

import AnchorReplication
import Basics
import Testing
import WorldModel

@Suite("Operations of removed peers")
struct ActorCutTests {
  private static let (author, reader) = (peer(1), peer(2))

  private static func peer(_ number: UInt64) -> PeerID { PeerID(SHA256Digest(words: SIMD4(number, 0, 0, 0))) }

  private static func set(of peer: PeerID) -> AnchorSet {
    AnchorSet(actor: ActorID(peer: peer, incarnation: 7), peer: peer)
  }

  /// An author's set with so many anchors, and what its log holds.
  private static func written(_ count: Int) throws -> (set: AnchorSet, batch: [UInt8]) {
    var set = set(of: author)
    for number in 0..<count { _ = try set.place(Anchor(name: "\(number)"), at: 1000) }
    guard case .log(var cursor) = set.cursorForPeer(with: VersionVector()) else { return (set, []) }
    var writer = ByteWriter()
    _ = set.readLog(&cursor, limit: 1 << 16, into: &writer)
    return (set, writer.bytes)
  }

  private static func cuts(_ last: UInt64?) -> ActorCuts {
    var cuts = ActorCuts()
    cuts.cut(author, to: last.map { [7: $0] } ?? [:])
    return cuts
  }

  @Test("those up to the cut count, and no later one", arguments: [nil, 0, 2, 5, 9] as [UInt64?])
  func operations(_ last: UInt64?) throws {
    let batch = try Self.written(5).batch
    var set = Self.set(of: Self.reader)
    set.cuts = Self.cuts(last)
    var assembly = OperationAssembly()
    let outcome = try set.apply(operations: batch.span.bytes, assembly: &assembly, judging: nil)
    let applied = min(Int(last ?? 0), 5)
    #expect(outcome.applied == applied && outcome.cut == 5 - applied && set.count == applied)
    #expect(set.applied(of: Self.author) == (applied == 0 ? [:] : [7: UInt64(applied)]))
  }

  @Test("when the cut rises the rest is applied, and what comes first is no fault of the sender")
  func raised() throws {
    let batches = (try Self.written(4).batch, try Self.written(6).batch)
    var set = Self.set(of: Self.reader)
    set.cuts = Self.cuts(2)
    var assembly = OperationAssembly()
    try set.apply(operations: batches.0.span.bytes, assembly: &assembly, judging: nil)
    set.cuts = Self.cuts(6)
    // The last two alone, as a stream goes on that has sent the first four.
    var author = Self.set(of: Self.author)
    for number in 0..<4 { _ = try author.place(Anchor(name: "\(number)"), at: 1000) }
    guard case .log(var cursor) = author.cursorForPeer(with: author.vector) else { return }
    for number in 4..<6 { _ = try author.place(Anchor(name: "\(number)"), at: 1000) }
    var writer = ByteWriter()
    _ = author.readLog(&cursor, limit: 1 << 16, into: &writer)
    let rest = writer.bytes
    try set.apply(operations: rest.span.bytes, assembly: &assembly, judging: nil)
    #expect(set.count == 2)
    try set.apply(operations: batches.1.span.bytes, assembly: &assembly, judging: nil)
    #expect(set.count == 6)
  }

  @Test("a snapshot that goes beyond the cut is refused whole, and one that does not is merged")
  func snapshots() throws {
    let snapshot = try Self.written(5).set.encodeSnapshot()
    var set = Self.set(of: Self.reader)
    set.cuts = Self.cuts(4)
    #expect(throws: ReplicationError.self) { try set.merge(snapshot: snapshot.span.bytes) }
    #expect(set.count == 0)
    set.cuts = Self.cuts(5)
    try set.merge(snapshot: snapshot.span.bytes)
    #expect(set.count == 5)
  }

  @Test("what a journal holds counts, and so do the operations of everybody else")
  func others() throws {
    let written = try Self.written(3)
    var set = Self.set(of: Self.reader)
    set.cuts = Self.cuts(1)
    try set.restore([.operations(written.batch)])
    #expect(set.count == 3)
    _ = try set.place(Anchor(name: "own"), at: 2000)
    #expect(set.count == 4)
  }
}

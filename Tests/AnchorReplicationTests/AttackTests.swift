import Basics
import TestSupport
import Testing
import WorldModel

@testable import AnchorReplication

/// What one member's operations cost the others.
@Suite(.endsHangs) struct AttackTests {
  private static let runs = 400

  /// Runs of new actors, each with one operation on an anchor that nobody has.
  private func frame(_ number: Int) throws -> [UInt8] {
    var writer = ByteWriter()
    AnchorDelta(
      (0..<Self.runs).map { index in
        let author = actor(9, run: UInt64(number * Self.runs + index + 1))
        let key = Dot(actor: actor(8, run: UInt64(number * Self.runs + index + 1)), sequence: 1)
        return AnchorOperation(
          dot: Dot(actor: author, sequence: 1), clock: 1, action: .set(key: key, base: 0, .name("x")))
      }
    ).encode(into: &writer)
    return writer.bytes
  }

  @Test func `32 MB of operations of invented actors on unknown anchors cost no more a byte than the first`() throws {
    var set = makeSet(1)
    _ = try set.place(anchor(1), at: 1)
    var bytes = 0
    var number = 0
    // A look at every waiting operation for each run would take longer than the suite has.
    while bytes < 32_000_000 {
      let frame = try frame(number)
      _ = try set.receive([frame])
      bytes += frame.count
      number += 1
    }
    #expect(set.heldCount == ReplicationLimits.default.heldOperations)
    #expect(set.lacksOperations(of: actor(9)))
  }

  @Test func `operations that wait in a chain are all released by the anchor at its head`() throws {
    var set = makeSet(1)
    let length = 500
    // Each actor renames the anchor of the one before it, and then adds its own.
    for number in (1...length).reversed() {
      let author = actor(2, run: UInt64(number))
      let key = Dot(actor: actor(2, run: UInt64(number - 1)), sequence: number == 1 ? 1 : 2)
      let new = NewAnchor(id: id(number), creator: nil, pose: try #require(Pose(.identity)), name: "n")
      var writer = ByteWriter()
      AnchorDelta([
        AnchorOperation(dot: Dot(actor: author, sequence: 1), clock: 1, action: .set(key: key, base: 0, .name("x"))),
        AnchorOperation(dot: Dot(actor: author, sequence: 2), clock: 1, action: .add(new)),
      ]).encode(into: &writer)
      #expect(try set.receive([writer.bytes]).held == 2)
    }
    #expect(set.heldCount == 2 * length && set.count == 0)
    let first = NewAnchor(id: id(9999), creator: nil, pose: try #require(Pose(.identity)), name: "n")
    var writer = ByteWriter()
    AnchorDelta([
      AnchorOperation(dot: Dot(actor: actor(2, run: 0), sequence: 1), clock: 1, action: .add(first))
    ]).encode(into: &writer)
    #expect(try set.receive([writer.bytes]).applied == 2 * length + 1)
    #expect(set.heldCount == 0 && set.count == length + 1 && set[id(9999)]?.name == "x")
  }
}

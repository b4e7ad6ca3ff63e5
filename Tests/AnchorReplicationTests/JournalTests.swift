import Basics
import Testing
import WorldModel

@testable import AnchorReplication

@Suite("Journal")
struct JournalTests {
  /// A set that others edit too, and what a journal of it would hold.
  private struct Journalled {
    var set = makeSet(1)
    var other = makeSet(2)
    var cursor = JournalCursor()
    var records: [JournalRecord] = []
    /// The digest of the set after each record.
    var digests: [SHA256Digest] = []

    mutating func write() {
      while let record = cursor.next(of: set) {
        records.append(record)
        digests.append(set.digest)
      }
    }
  }

  @Test("after any record a journal gives back the state of that moment", arguments: [1, 2, 3] as [UInt64])
  func prefixes(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var journal = Journalled()
    journal.write()
    for step in 1...120 {
      try edit(&journal, step, &random)
      journal.write()
    }
    for count in 1...journal.records.count {
      var restored = makeSet(1, run: 2)
      try restored.restore(Array(journal.records.prefix(count)))
      #expect(restored.digest == journal.digests[count - 1], "after record \(count)")
    }
    let kinds = Set(journal.records.map { if case .wholeSet = $0 { "whole" } else { "operations" } })
    #expect(kinds == ["whole", "operations"])
  }

  /// Local edits, operations of another peer, and now and then the merge of its whole state.
  private func edit(_ journal: inout Journalled, _ step: Int, _ random: inout SplitMix64) throws {
    let time = UInt64(step)
    switch Int.random(in: 0..<6, using: &random) {
    case 0, 1: _ = try journal.set.place(anchor(step), at: time)
    case 2: try journal.set.anchors.randomElement(using: &random).map { _ = try journal.set.remove($0.id, at: time) }
    case 3:
      guard let moved = journal.set.anchors.randomElement(using: &random) else { return }
      _ = try journal.set.move(moved.id, to: Transform(translation: [Float(step), 0, 0]), at: time)
    case 4:
      _ = try journal.other.place(anchor(step + 1_000), at: time)
      try journal.set.pull(from: journal.other)
    default:
      _ = try journal.other.place(anchor(step + 2_000), at: time)
      try journal.set.merge(snapshot: journal.other.encodeSnapshot().span.bytes)
    }
  }

  @Test("operations that outweigh the snapshot bring a new one, and the journal stays small")
  func compaction() throws {
    var journal = Journalled()
    _ = try journal.set.place(anchor(1), at: 1)
    for step in 0..<60_000 {
      _ = try journal.set.move(id(1), to: Transform(translation: [Float(step), 0, 0]), at: UInt64(step))
      if step % 100 == 0 { journal.write() }
    }
    let snapshots = journal.records.indices.filter { if case .wholeSet = journal.records[$0] { true } else { false } }
    #expect(snapshots.count > 2)
    let kept = journal.records[(snapshots.last ?? 0)...].reduce(0) { $0 + $1.byteCount }
    #expect(kept <= JournalCursor.leastOperationBytes + JournalCursor.recordBytes)
  }

  @Test("the largest payload is one record, never a part")
  func largest() throws {
    var journal = Journalled()
    journal.write()
    let payload = Anchor.Payload(contentType: "x/y", bytes: [UInt8](repeating: 7, count: Limits.anchorPayload))
    for step in 1...5 {
      var big = anchor(step)
      big.payload = payload
      _ = try journal.set.place(big, at: UInt64(step))
    }
    journal.write()
    for count in 1...journal.records.count {
      var restored = makeSet(1, run: 2)
      try restored.restore(Array(journal.records.prefix(count)))
      #expect(restored.heldCount == 0)
    }
    #expect(journal.records.count > 3)
  }

  @Test("a session that goes on from a journal stamps later than everything in it")
  func time() throws {
    var journal = Journalled()
    _ = try journal.set.place(anchor(1), at: 90_000_000)
    journal.write()
    var restored = makeSet(1, run: 2)
    try restored.restore(journal.records)
    #expect(restored.latestSessionTime == 90_000_000)
    _ = try restored.rename(id(1), to: "later", at: 5)
    var peer = makeSet(2)
    try peer.pull(from: journal.set)
    try peer.pull(from: restored)
    #expect(peer[id(1)]?.name == "later")
  }
}

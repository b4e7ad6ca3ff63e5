import AnchorReplication
import Basics
import TestSupport
import Testing
import WorldModel

@Suite("Kinds that change after the placement")
struct KindTests {
  private static func plane(_ width: Float, corners: Int = 0) -> Anchor.Kind {
    .plane(
      Anchor.Plane(
        alignment: .horizontal, extent: [width, 1], boundary: (0..<corners).map { [Float($0), Float($0 * $0)] }))
  }

  /// The kinds that a set has, as they are sent.
  private func writes(of set: AnchorSet, after version: UInt64 = 0) throws -> [KindWrite] {
    try AnchorSet.kinds(reading: bytes(of: set, after: version).span.bytes)
  }

  /// The same as bytes.
  private func bytes(of set: AnchorSet, after version: UInt64 = 0) -> [UInt8] {
    var (writer, version) = (ByteWriter(), version)
    while version < set.kindVersion, set.readKinds(after: &version, limit: 40_000, into: &writer) > 0 {}
    return writer.bytes
  }

  /// Two sets that both have anchor 1, placed by the first.
  private func pair(_ rules: ProtocolRules = .all) throws -> (AnchorSet, AnchorSet) {
    var (left, right) = (makeSet(1, rules: rules), makeSet(2, rules: rules))
    _ = try left.place(anchor(1), at: 10)
    try right.pull(from: left)
    _ = (left.takeChanges(), right.takeChanges())
    return (left, right)
  }

  @Test("another kind shows, is told, travels, and leaves the operations as peers of builds before it know them")
  func grows() throws {
    var (left, right) = try pair()
    let (vector, digest, snapshot) = (left.vector, left.digest, left.encodeSnapshot())
    #expect(left.anchors.count == 1 && left.wholeDigest == digest)
    try left.setKind(Self.plane(2), of: id(1), at: 20)
    #expect(left[id(1)]?.kind == Self.plane(2) && left.anchors.map(\.kind) == [Self.plane(2)])
    #expect(left.takeChanges().map(\.kind) == [.updated(.kind)])
    #expect(left.vector == vector && left.digest == digest && left.encodeSnapshot() == snapshot)
    #expect(left.wholeDigest != digest)
    try #expect(right.merge(writes(of: left), judging: nil))
    #expect(right.anchors == left.anchors && right.wholeDigest == left.wholeDigest)
    let changes = right.takeChanges()
    #expect(changes.map(\.kind) == [.updated(.kind)] && changes.first?.author == actor(1))
    // Once more says nothing new.
    try #expect(!right.merge(writes(of: left), judging: nil))
    #expect(right.takeChanges().isEmpty)
  }

  @Test("of two kinds with one stamp, which a liar tells, the same stands whatever the order; and of those that wait")
  func oneStamp() throws {
    let (left, right) = try pair()
    let key = try #require(right.key(of: id(1)))
    let lies = [2, 3].map { KindWrite(key: key, stamp: Stamp(clock: 99 << 16, actor: actor(9)), kind: Self.plane($0)) }
    var sets = [left, right, makeSet(3), makeSet(4)]
    for index in sets.indices {
      let order = index.isMultiple(of: 2) ? lies : lies.reversed()
      for lie in order { try sets[index].merge([lie], judging: nil) }
      // The last two hear of the anchor later than of its kinds.
      if index >= 2 { try sets[index].pull(from: left) }
      #expect(sets[index][id(1)]?.kind == sets[0][id(1)]?.kind && sets[index].kindDigest == sets[0].kindDigest)
    }
    #expect(lies.map(\.kind).contains(try #require(sets[0][id(1)]).kind))
  }

  @Test("sets that take kinds as they arrive end with different ones")
  func byArrival() throws {
    var (left, right) = try pair(.all.subtracting(.kindOrder))
    try left.setKind(Self.plane(2), of: id(1), at: 20)
    try right.setKind(Self.plane(3), of: id(1), at: 23)
    let (mine, theirs) = try (writes(of: left), writes(of: right))
    try left.merge(theirs, judging: nil)
    try right.merge(mine, judging: nil)
    #expect(left[id(1)]?.kind == Self.plane(3) && right[id(1)]?.kind == Self.plane(2))
  }

  @Test("a concurrent move, name and kind all survive; of two kinds the later stands, in either order")
  func concurrent() throws {
    var (left, right) = try pair()
    try left.setKind(Self.plane(2), of: id(1), at: 20)
    _ = try right.move(id(1), to: Transform(translation: [1, 0, 0]), at: 21)
    _ = try right.rename(id(1), to: "floor", at: 22)
    try right.setKind(Self.plane(3), of: id(1), at: 23)
    try left.pull(from: right)
    let (mine, theirs) = try (writes(of: left), writes(of: right))
    try left.merge(theirs, judging: nil)
    try right.merge(mine, judging: nil)
    for set in [left, right] {
      #expect(set[id(1)]?.kind == Self.plane(3) && set[id(1)]?.name == "floor")
      #expect(set[id(1)]?.transform.translation == [1, 0, 0])
    }
    #expect(left.wholeDigest == right.wholeDigest)
    // A later write of a peer that saw that one stands above it, whatever its session time.
    try left.setKind(Self.plane(1), of: id(1), at: 0)
    try right.merge(writes(of: left), judging: nil)
    #expect(right[id(1)]?.kind == Self.plane(1))
  }

  @Test(
    "a kind waits for its anchor, by log and by snapshot; one of a removed anchor has no effect",
    arguments: [true, false])
  func early(bySnapshot: Bool) throws {
    var (left, right) = (makeSet(1), makeSet(2))
    _ = try left.place(anchor(1), at: 10)
    try left.setKind(Self.plane(2), of: id(1), at: 20)
    let writes = try writes(of: left)
    try #expect(!right.merge(writes, judging: nil))
    if bySnapshot {
      try right.merge(snapshot: left.encodeSnapshot().span.bytes)
    } else {
      try right.pull(from: left)
    }
    #expect(right[id(1)]?.kind == Self.plane(2) && right.wholeDigest == left.wholeDigest)
    _ = try right.remove(id(1), at: 30)
    try #expect(!right.merge(writes, judging: nil))
    try left.pull(from: right)
    #expect(left.wholeDigest == left.digest && right.wholeDigest == right.digest && left.kindDigest == KindDigest())
  }

  @Test("of early kinds at most so many wait, and of the set's bytes kinds are a part")
  func limits() throws {
    var limits = ReplicationLimits()
    (limits.earlyKinds, limits.stateBytes) = (4, 100)
    var (left, right) = (makeSet(1), makeSet(2, limits: limits))
    for number in 1...6 {
      _ = try left.place(anchor(number), at: 10)
      try left.setKind(Self.plane(2), of: id(number), at: 20)
    }
    try right.merge(writes(of: left), judging: nil)
    try right.pull(from: left)
    #expect(right.anchors.count { $0.kind == Self.plane(2) } == 2)
    try right.merge(writes(of: left), judging: nil)
    #expect(right.wholeDigest == left.wholeDigest)
    #expect(throws: AnchorError.overLimit(.stateBytes, limit: 100)) {
      try right.setKind(Self.plane(2, corners: 12), of: id(1), at: 30)
    }
    try right.setKind(Self.plane(2, corners: 3), of: id(1), at: 30)
    try left.setKind(Self.plane(2, corners: 25), of: id(2), at: 30)
    let (before, large) = try (right.wholeDigest, writes(of: left))
    #expect(throws: ReplicationError.overLimit(.stateBytes, limit: 200)) { try right.merge(large, judging: nil) }
    #expect(right.wholeDigest == before)
  }

  @Test("what is no kind of an anchor, unknown or another peer's device is refused")
  func refusals() throws {
    var (left, _) = try pair()
    #expect(throws: AnchorError.unknownAnchor(id(9))) { try left.setKind(.plain, of: id(9), at: 20) }
    #expect(throws: AnchorError.self) { try left.setKind(Self.plane(-1), of: id(1), at: 20) }
    #expect(throws: AnchorError.self) { try left.setKind(Self.plane(1, corners: 2), of: id(1), at: 20) }
    #expect(throws: AnchorError.foreignParticipant(id(1))) {
      try left.setKind(.participant(peer(1)), of: id(1), at: 20)
    }
    _ = try left.place(Anchor(id: id(2), name: "me", kind: .participant(peer(1))), at: 20)
    #expect(throws: AnchorError.foreignParticipant(id(2))) { try left.setKind(.plain, of: id(2), at: 30) }
    #expect(left.kindVersion == 0)
  }

  @Test("writes that no honest member sends are refused and change nothing")
  func hostile() throws {
    var (left, right) = try pair()
    let key = try #require(left.key(of: id(1)))
    func write(_ clock: UInt64, by writer: ActorID, of key: Dot? = nil) -> KindWrite {
      KindWrite(
        key: key ?? left.key(of: id(1)) ?? Dot(actor: writer, sequence: 1), stamp: Stamp(clock: clock, actor: writer),
        kind: Self.plane(9))
    }
    let ahead = write(70_000 << 16, by: actor(1))
    let author = LinkAuthor(peer: peer(1), sessionMilliseconds: 1_000)
    #expect(throws: ReplicationError.clockAhead(key, by: 9_000)) { try right.merge([ahead], judging: author) }
    #expect(right.kindVersion == 0)
    // What others wrote is passed on unjudged.
    try right.merge([ahead], judging: LinkAuthor(peer: peer(3), sessionMilliseconds: 1_000))
    #expect(right.kindVersion == 1)
    var writer = ByteWriter()
    KindWrite(key: key, stamp: Stamp(clock: 1, actor: actor(1)), kind: .participant(peer(1))).write(to: &writer)
    #expect(throws: DecodingFailure.self) { try AnchorSet.kinds(reading: writer.bytes.span.bytes) }
    writer.removeAll()
    write(1, by: actor(1)).write(to: &writer)
    for count in 1..<writer.count {
      #expect(throws: DecodingFailure.self) { try AnchorSet.kinds(reading: Array(writer.bytes[..<count]).span.bytes) }
    }
    // Nobody makes an anchor of a device another thing.
    _ = try left.place(Anchor(id: id(2), name: "me", kind: .participant(peer(1))), at: 20)
    try right.pull(from: left)
    try right.merge([write(99 << 16, by: actor(1), of: left.key(of: id(2)))], judging: nil)
    #expect(right[id(2)]?.kind == .participant(peer(1)))
  }

  private static func cuts(of peers: PeerID...) -> ActorCuts {
    var cuts = ActorCuts()
    // All operations of the first starts that the tests have.
    for peer in peers { cuts.cut(peer, to: [0: 99, 1: 99]) }
    return cuts
  }

  @Test("the kinds of a peer that is removed go everywhere, and what others wrote before comes back")
  func removed() throws {
    var (left, right) = try pair()
    var third = makeSet(3)
    _ = try left.place(anchor(2), at: 11)
    try right.pull(from: left)
    try right.setKind(Self.plane(2), of: id(1), at: 20)
    _ = try right.place(anchor(9), at: 21)
    try third.pull(from: left)
    try third.pull(from: right)
    try third.merge(writes(of: right), judging: nil)
    for number in [1, 2, 9] { try third.setKind(Self.plane(3), of: id(number), at: 30) }
    // The last one waits here for its anchor.
    try left.merge(writes(of: third), judging: nil)
    let added = anchor(2).kind
    #expect(left[id(1)]?.kind == Self.plane(3) && left[id(2)]?.kind == Self.plane(3))
    _ = left.takeChanges()

    for restart in [false, true] {
      if restart { try left.restore([.kinds(bytes(of: third))]) }
      left.setCuts(Self.cuts(of: peer(3)))
      right.setCuts(Self.cuts(of: peer(3)))
      #expect(left[id(2)]?.kind == added)
      let told = left.takeChanges().filter { $0.kind == .updated(.kind) }.map(\.id)
      #expect(Set(told) == (restart ? [id(1), id(2), id(9)] : [id(1), id(2)]))
      try left.merge(writes(of: third), judging: nil)
      try left.merge(writes(of: right), judging: nil)
      try left.pull(from: right)
      #expect(left[id(1)]?.kind == Self.plane(2) && left[id(2)]?.kind == added && left[id(9)]?.kind == added)
      #expect(left.wholeDigest == right.wholeDigest && left.kindDigest == right.kindDigest)
    }
    // When the removal is undone they count again.
    left.setCuts(ActorCuts())
    try left.merge(writes(of: third), judging: nil)
    #expect(left[id(1)]?.kind == Self.plane(3) && left[id(9)]?.kind == Self.plane(3))
  }

  @Test("what this peer wrote before a removed one is no forgery when others bring it back")
  func ownBefore() throws {
    var (left, right) = try pair()
    var third = makeSet(3)
    try third.pull(from: left)
    try left.setKind(Self.plane(2), of: id(1), at: 20)
    try right.merge(writes(of: left), judging: nil)
    try third.setKind(Self.plane(3), of: id(1), at: 30)
    try left.merge(writes(of: third), judging: nil)
    left.setCuts(Self.cuts(of: peer(3)))
    try left.merge(writes(of: right), judging: nil)
    #expect(left[id(1)]?.kind == Self.plane(2) && left.wholeDigest == right.wholeDigest)
  }

  @Test("what a guest wrote before it was one is no forgery when it hears of it again, as a member too")
  func own() throws {
    var (left, right) = try pair()
    try right.setKind(Self.plane(2), of: id(1), at: 20)
    let written = try writes(of: right)
    right.setCuts(Self.cuts(of: peer(2)))
    try right.merge(written, judging: nil)
    #expect(right.wholeDigest == left.wholeDigest)
    right.setCuts(ActorCuts())
    try right.merge(written, judging: nil)
    #expect(right[id(1)]?.kind == Self.plane(2))
    let write = try #require(written.first)
    let forged = KindWrite(
      key: write.key, stamp: Stamp(clock: write.stamp.clock + 1, actor: write.stamp.actor), kind: Self.plane(9))
    // Nor is what somebody makes up in its name: who brings it may be honest, and all hold the same.
    try right.merge([forged], judging: nil)
    try left.merge([write, forged], judging: nil)
    #expect(right[id(1)]?.kind == Self.plane(9) && right.wholeDigest == left.wholeDigest)
    try right.setKind(Self.plane(2), of: id(1), at: 21)
    #expect(right[id(1)]?.kind == Self.plane(2))
  }

  @Test("of many writes to an anchor only the last is sent, and a reader begins where it was")
  func latest() throws {
    var (left, _) = try pair()
    for step in 1...1_000 { try left.setKind(Self.plane(Float(step)), of: id(1), at: UInt64(20 + step)) }
    #expect(try writes(of: left).map(\.kind) == [Self.plane(1_000)])
    #expect(try writes(of: left, after: 999).count == 1 && writes(of: left, after: 1_000).isEmpty)
    for number in 2...40 {
      _ = try left.place(anchor(number), at: 2_000)
      try left.setKind(Self.plane(1, corners: 200), of: id(number), at: 2_000)
    }
    #expect(try writes(of: left).count == 40 && writes(of: left, after: 1_000).count == 39)
  }

  @Test("sets that exchange kinds in any order end the same", arguments: Tier.seeds(1...20 as ClosedRange<UInt64>))
  func convergence(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var sets = (1...3).map { makeSet($0) }
    for step in 0..<120 {
      let (index, time) = (Int.random(in: 0..<3, using: &random), UInt64(step))
      if step % 10 == 0 {
        _ = try sets[index].place(anchor(step), at: time)
      } else if let chosen = sets[index].anchors.randomElement(using: &random) {
        if step % 13 == 0 { _ = try sets[index].remove(chosen.id, at: time) }
        if sets[index][chosen.id] != nil { try sets[index].setKind(Self.plane(Float(step)), of: chosen.id, at: time) }
      }
      let other = Int.random(in: 0..<3, using: &random)
      if Bool.random(using: &random) { try sets[other].merge(writes(of: sets[index]), judging: nil) }
      if Bool.random(using: &random), other != index { try sets[other].pull(from: sets[index]) }
    }
    for _ in 0..<2 {
      for (to, from) in [(0, 1), (1, 2), (2, 0), (0, 2), (1, 0), (2, 1)] {
        try sets[to].pull(from: sets[from])
        try sets[to].merge(writes(of: sets[from]), judging: nil)
      }
    }
    #expect(sets[0].kindVersion > 10 && sets[0].wholeDigest == sets[1].wholeDigest)
    #expect(sets[1].wholeDigest == sets[2].wholeDigest && sets[0].anchors == sets[2].anchors)
    #expect(sets[0].wholeDigest != sets[0].digest)
  }

  @Test("a journal gives kinds back, after a snapshot too")
  func journal() throws {
    var (left, _) = try pair()
    var (cursor, records) = (JournalCursor(), [JournalRecord]())
    func collect() { while let record = cursor.next(of: left) { records.append(record) } }
    collect()
    try left.setKind(Self.plane(2), of: id(1), at: 20)
    collect()
    try left.setKind(Self.plane(3), of: id(1), at: 30)
    collect()
    #expect(records.count == 3)
    var whole = JournalCursor()
    var fresh: [JournalRecord] = []
    while let record = whole.next(of: left) { fresh.append(record) }
    for list in [records, fresh] {
      var again = makeSet(1, run: 2)
      try again.restore(list)
      #expect(again[id(1)]?.kind == Self.plane(3) && again.wholeDigest == left.wholeDigest)
    }
    var cut = makeSet(1, run: 2)
    try cut.restore(Array(records.prefix(2)))
    #expect(cut[id(1)]?.kind == Self.plane(2))
    #expect(throws: ReplicationError.self) { try cut.restore([.kinds([1, 2, 3])]) }
  }
}

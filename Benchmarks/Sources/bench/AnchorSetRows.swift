import AnchorReplication
import Basics
import CMalloc
import SharedWorld

/// The replicated set of anchors by itself: no link, no encryption, one thread.
enum AnchorSetRows {
  static let all = [
    Benchmark(name: "anchorset-apply") { [try apply("anchorset-apply", anchors: 1_000)] },
    Benchmark(name: "anchorset-apply/65536") { [try apply("anchorset-apply/65536", anchors: anchors)] },
    Benchmark(name: "anchorset-merge") { [try merge()] },
    Benchmark(name: "anchor-memory") { [try memory()] },
  ]

  private static let anchors = Limits.anchors

  /// A person who moves one anchor after the other, with an app that asks what changed.
  private static func apply(_ name: String, anchors: Int) throws -> Row {
    let count = 1_000_000
    var set = try filled(anchors, peer: 1)
    var random = SplitMix64(seed: 5)
    let identifiers = (0..<anchors).map { anchor($0).id }
    let order = (0..<count).map { _ in identifiers[Int(random.next() % UInt64(anchors))] }
    var plain = Dictionary(uniqueKeysWithValues: identifiers.map { ($0, Transform.identity) })
    var time: UInt64 = 1_000_000
    let times = try compare {
      for (index, id) in order.enumerated() {
        time += 1
        _ = try set.move(id, to: Transform(translation: [Float(index & 1023), 1, 2]), at: time)
        if index & 511 == 0 { consume(set.takeChanges().count) }
      }
    } baseline: {
      for (index, id) in order.enumerated() { plain[id] = Transform(translation: [Float(index & 1023), 1, 2]) }
    }
    consume(plain.count)
    let (rate, plainRate) = (Double(count) / times.subject, Double(count) / times.baseline)
    return Row(
      name: name, value: rate, unit: "operations/s", baseline: "a plain dictionary",
      baselineValue: plainRate, ratio: rate / plainRate)
  }

  /// Two peers with the same anchors, of which one has moved half and the other renamed a third, meet.
  private static func merge() throws -> Row {
    var left = try filled(anchors, peer: 1)
    var right = AnchorSet(actor: actor(2), peer: peer(2))
    let start = left.encodeSnapshot()
    try right.merge(snapshot: start.span.bytes)
    for (index, anchor) in left.anchors.enumerated() {
      if index % 2 == 0 {
        _ = try right.move(anchor.id, to: Transform(translation: [5, 5, 5]), at: 2_000_000)
      }
      if index % 3 == 0 { _ = try left.rename(anchor.id, to: "another nm", at: 2_000_000) }
    }
    let bytes = right.encodeSnapshot()
    let plain = Dictionary(uniqueKeysWithValues: left.anchors.map { ($0.id, $0) })
    let other = Dictionary(uniqueKeysWithValues: right.anchors.map { ($0.id, $0) })
    var spent: (subject: [Double], baseline: [Double]) = ([], [])
    for _ in 0..<9 {
      var (set, dictionary) = (left, plain)
      // The first write to a shared value copies it, which is not the merge's cost.
      _ = try set.rename(AnchorID(high: 0, low: 1), to: "another nm", at: 2_000_001)
      dictionary[AnchorID(high: 0, low: 1)]?.name = "another nm"
      spent.subject.append(try seconds { try set.merge(snapshot: bytes.span.bytes) })
      spent.baseline.append(seconds { dictionary.merge(other) { $0.name.count >= $1.name.count ? $0 : $1 } })
      consume(set.count + dictionary.count)
    }
    let (time, plainTime) = (median(spent.subject) * 1e3, median(spent.baseline) * 1e3)
    return Row(
      name: "anchorset-merge", value: time, unit: "ms", baseline: "two plain dictionaries", baselineValue: plainTime,
      ratio: time / plainTime)
  }

  /// What the heap holds for a full set, with a name of ten bytes each and the log of their additions.
  private static func memory() throws -> Row {
    malloc_trim(0)
    let before = heapBytes()
    let set = try filled(anchors, peer: 1)
    let after = heapBytes()
    let values = (0..<anchors).map(anchor)
    let plain = Dictionary(uniqueKeysWithValues: values.map { ($0.id, $0) })
    let end = heapBytes()
    consume(set.count + plain.count)
    let each = Double(after - before) / Double(anchors)
    let plainEach = Double(end - after) / Double(anchors) - Double(MemoryLayout<Anchor>.stride)
    return Row(
      name: "anchor-memory", value: each, unit: "bytes/anchor", baseline: "a plain dictionary",
      baselineValue: plainEach, ratio: each / plainEach)
  }

  private static func heapBytes() -> Int {
    let info = mallinfo2()
    return Int(info.uordblks + info.hblkhd)
  }

  private static func filled(_ count: Int, peer number: UInt64) throws -> AnchorSet {
    var set = AnchorSet(actor: actor(number), peer: peer(number))
    for index in 0..<count { _ = try set.place(anchor(index), at: UInt64(index)) }
    _ = set.takeChanges()
    return set
  }

  private static func anchor(_ index: Int) -> Anchor {
    Anchor(
      id: AnchorID(high: 0, low: UInt64(index) &* 0x9e37_79b9_7f4a_7c15 | 1), name: "\(1_000_000_000 + index)",
      transform: Transform(translation: [Float(index), 0, 0]))
  }

  private static func peer(_ number: UInt64) -> PeerID { PeerID(SHA256Digest(words: SIMD4(repeating: number))) }

  private static func actor(_ number: UInt64) -> ActorID { ActorID(peer: peer(number), incarnation: 1) }
}

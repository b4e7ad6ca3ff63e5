import Basics
import Testing

@testable import WorldModel

@Suite struct KeyTallyTests {
  /// Keys that come in their order, against it, at random, again and again, and from end to end of what there may be.
  private static let lists: [[UInt128]] = {
    var random = SplitMix64(seed: 4)
    let rising = (0..<500).map { UInt128($0 * 3) }
    return [
      [], [7], rising, rising.reversed(), (0..<3_000).map { _ in UInt128(random.next() % 200) },
      Array(repeating: 5, count: 1_000), rising + rising,
      (0..<300).map { _ in KeyTally.end - 1 - UInt128(random.next()) },
      (0..<96).map { 1 << UInt128($0) } + [0, KeyTally.end - 1],
    ]
  }()

  @Test(arguments: Self.lists.indices, [4, 7, 64, 100_000])
  func `every key has its turn and its count, in the order of keys, in bounded room`(list: Int, room: Int) {
    let keys = Self.lists[list]
    var tally = KeyTally(room: room)
    var found: [UInt128] = []
    var turns = 0
    while tally.beginStretch() {
      turns += 1
      for key in keys {
        tally.add(CollectionOfOne(key))
        if tally.entries.count > room { Issue.record("\(tally.entries.count) keys in room for \(room)") }
      }
      for (key, count) in tally.finishStretch() { found += Array(repeating: key, count: count) }
    }
    #expect(found == keys.sorted())
    #expect(turns <= 1 + 4 * Set(keys).count / room)
  }

  @Test(arguments: [4, 50, 100_000])
  func `the covered cells of a place are the same in one turn and in many`(room: Int) {
    let positions =
      Samples.cloud(5_000).positions + [[-900, 0, 3], [-900.4, 0.1, 3.1], [1e30, 0, 0], [-0.0, -2, 5]]
    var cells: [SIMD3<Float>: Int] = [:]
    for position in positions { cells[(position / 0.5).rounded(.down), default: 0] += 1 }
    let covered = cells.values.filter { $0 >= 4 }
    var counted = CoveredCells(room: room)
    while counted.beginTurn() { counted.add(positions) }
    #expect(counted.count == covered.count && counted.points == covered.reduce(0, +))
    #expect(covered.count > 50 && cells.count > covered.count)
  }
}

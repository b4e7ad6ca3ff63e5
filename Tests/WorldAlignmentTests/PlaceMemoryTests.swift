import AlignmentTrials
import Testing
import WorldAlignment
import WorldModel

/// What is counted is work, not time.
@Suite struct PlaceMemoryTests {
  /// A scan in a small room, its place by a search, and what is remembered of it.
  private struct Walk {
    let trial: AlignmentTrial
    let map: Relocalizer
    var memory = PlaceMemory()
    /// The scan as it was found first: two thirds of its points.
    var begun: [SIMD3<Float>] { Array(trial.query.prefix(trial.query.count * 2 / 3)) }
  }

  /// Searching without optimisation takes seconds: once for all.
  private static let walk = Result {
    let trial = try #require(AlignmentTrial(of: .small, .small, .gravity, seed: 1))
    var walk = Walk(trial: trial, map: try Relocalizer(map: trial.map))
    let first = try walk.map.relocalize(walk.begun, mode: .gravity, remembering: &walk.memory)
    try #require(first.isAccepted)
    return walk
  }

  @Test func `a cloud that grew is found again without a search, as well as by one`() throws {
    var walk = try Self.walk.get()
    let first = walk.memory.work
    #expect(first.turns == 90 && first.refinements <= 4)
    let answer = try walk.map.relocalize(walk.trial.query, mode: .gravity, remembering: &walk.memory)
    let pose = try #require(answer.transform)
    let error = walk.trial.error(of: pose)
    #expect(answer.confidence > 0.5 && error.distance < 0.02 && error.degrees < 0.5)
    #expect(walk.memory.work.turns == first.turns && walk.memory.work.refinements <= first.refinements + 4)
    #expect(walk.memory.work.prepared == walk.begun.count + walk.trial.query.count)
    // And again, now as the whole cloud.
    #expect(try walk.map.relocalize(walk.trial.query, mode: .gravity, remembering: &walk.memory).isAccepted)
    #expect(walk.memory.work.turns == first.turns)
  }

  @Test func `a cloud in another frame is searched, and found there`() throws {
    var walk = try Self.walk.get()
    let before = walk.memory.work.turns
    let moved = walk.trial.query.map { SIMD3($0.z + 3, $0.y, -$0.x) }
    let answer = try walk.map.relocalize(moved, mode: .gravity, remembering: &walk.memory)
    let back = Transform(x: [0, 0, -1], y: [0, 1, 0], z: [1, 0, 0], translation: [3, 0, 0])
    let pose = try #require(answer.transform)
    #expect(walk.trial.error(of: pose * back).distance < 0.02)
    #expect(walk.memory.work.turns == before + 90)
  }

  @Test func `another map and another mode are searched, and what no longer fits is not accepted`() throws {
    var walk = try Self.walk.get()
    let before = walk.memory.work.turns
    let other = try #require(AlignmentTrial(of: .small, .small, .gravity, seed: 3))
    let answer = try Relocalizer(map: other.map).relocalize(walk.begun, mode: .gravity, remembering: &walk.memory)
    #expect(!answer.isAccepted && walk.memory.work.turns == before + 90)
    // It found no place: the next search in the right map knows none either.
    let again = try walk.map.relocalize(walk.begun, mode: .gravity, remembering: &walk.memory)
    #expect(again.isAccepted && walk.memory.work.turns == before + 180)
  }

  @Test func `a place that came to look like another one is searched, and not sure`() throws {
    let walk = try Self.walk.get()
    // The same room again, next door: both are in the map from the beginning.
    let twins = walk.trial.map + walk.trial.map.map { SIMD3($0.z + 6, $0.y, -$0.x) }
    var memory = PlaceMemory()
    let map = try Relocalizer(map: twins)
    for _ in 0..<2 {
      let answer = try map.relocalize(walk.begun, mode: .gravity, remembering: &memory)
      #expect(answer.state == .limited(.ambiguous))
    }
    #expect(memory.work.turns == 180)
  }

  @Test func `a search that was cancelled leaves what was known`() throws {
    var walk = try Self.walk.get()
    let before = walk.memory.work.turns
    #expect(throws: AlignmentError.cancelled) {
      try walk.map.relocalize(walk.trial.query, mode: .gravity, remembering: &walk.memory) { true }
    }
    #expect(try walk.map.relocalize(walk.trial.query, mode: .gravity, remembering: &walk.memory).isAccepted)
    #expect(walk.memory.work.turns == before)
  }
}

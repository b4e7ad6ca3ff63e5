import AlignmentTrials
import Testing
import WorldAlignment
import WorldModel

/// Maps of few points, and scans that have other points of the same surfaces.
@Suite struct SparseTests {
  @Test(arguments: [AlignmentMode.gravity, .free])
  func `a scan without a point in common finds its place in a sparse map`(mode: AlignmentMode) throws {
    let trial = SparseTrial(.walk, points: 4_000, mode: mode, seed: 1)
    let answer = try Relocalizer(map: trial.map).relocalize(trial.query, mode: mode)
    #expect(trial.isRight(try #require(answer.transform)) && answer.confidence > 0.5)
    let sure = try #require(answer.uncertainty)
    #expect(sure.position < 0.02 && sure.orientation < 0.02)
    let support = try #require(answer.support)
    // All over the room.
    #expect(support.source == .geometry && support.points > 100 && support.box.extent.x > 2)
  }

  /// Of 22,668 points: four rooms, each of which is as sparse as one of 6,000.
  @Test func `a wide map of many points is sparse where its rooms are`() throws {
    let trial = GateTrial(.flat, seed: 1_003, scans: 1)
    #expect(trial.map.count > 20_000)
    let answer = try Relocalizer(map: trial.map).relocalize(trial.scans[0].query, mode: .gravity)
    #expect(trial.scans[0].isRight(try #require(answer.transform)))
  }

  @Test func `a place in a sparse map is remembered`() throws {
    let trial = SparseTrial(.walk, points: 4_000, mode: .gravity, seed: 1)
    let map = try Relocalizer(map: trial.map)
    var memory = PlaceMemory()
    for _ in 0..<2 {
      let answer = try map.relocalize(trial.query, mode: .gravity, remembering: &memory)
      #expect(trial.isRight(try #require(answer.transform)))
    }
    // Fewer than in a dense map: that pays for the second decision.
    #expect(memory.work.turns == 90)
  }

  @Test func `the residual of a place in a sparse map is known where scan and map repeat each other`() throws {
    let trial = SparseTrial(.walk, points: 4_000, mode: .gravity, seed: 1)
    let map = try Relocalizer(map: trial.map)
    let drift = { (shift: SIMD3<Float>) in
      try map.drift(of: trial.query, from: Transform(translation: shift) * trial.truth, mode: .gravity)
    }
    let none = try #require(try drift(.zero))
    let shifted = try #require(try drift([0.06, 0, 0.06]))
    #expect(none < 0.02 && abs(shifted - 0.085) < 0.02)
    #expect(try drift([1.5, 0, 1]) == nil)
  }

  @Test func `halves of a map that are a centimeter off are accepted`() throws {
    let trial = SparseTrial(.halves, points: 1_500, mode: .gravity, seed: 1)
    let answer = try Relocalizer(map: trial.map).relocalize(trial.query, mode: .gravity)
    #expect(trial.isRight(try #require(answer.transform)))
  }

  /// The first tells whether the best slide of a point counts as chance, and not the mean of all.
  ///
  /// An edge of a wall lies on another one, and a point that is slid off it does not. The means of cells alone say that the second is
  /// one place; its points do not.
  @Test(arguments: [(5_000, 81_083), (3_000, 81_370)] as [(Int, UInt64)])
  func `a room cut in two is not accepted, though its halves fit when one is turned`(points: Int, seed: UInt64) throws {
    let trial = SparseTrial(.cut, points: points, mode: .gravity, seed: seed)
    #expect(try !Relocalizer(map: trial.map).relocalize(trial.query, mode: .gravity).isAccepted)
  }

  /// More of what the scan saw was seen in one of the two, which is no reason to be there.
  @Test func `one of two equal rooms is not accepted because the map knows it better`() throws {
    let trial = SparseTrial(.twins, points: 5_000, mode: .gravity, seed: 73_030)
    #expect(try !Relocalizer(map: trial.map).relocalize(trial.query, mode: .gravity).isAccepted)
  }

  @Test(arguments: [SparseTrial.Relation.elsewhere, .mirrored])
  func `another room and a mirror image are not accepted`(relation: SparseTrial.Relation) throws {
    let trial = SparseTrial(relation, points: 3_000, mode: .gravity, seed: 1_001)
    #expect(try !Relocalizer(map: trial.map).relocalize(trial.query, mode: .gravity).isAccepted)
  }
}

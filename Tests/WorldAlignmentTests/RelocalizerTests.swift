import AlignmentTrials
import Testing
import WorldAlignment
import WorldModel

@Suite struct RelocalizerTests {
  /// A scan in a small room, and its answer: relocalising without optimisation takes seconds.
  private static let example = Result {
    let trial = try #require(AlignmentTrial(of: .small, .small, .gravity, seed: 1))
    return (trial, try Relocalizer(map: trial.map).relocalize(trial.query, mode: .gravity))
  }

  @Test func `a scan finds its place`() throws {
    let (trial, answer) = try Self.example.get()
    try check(answer, trial)
    let sure = try #require(answer.uncertainty)
    #expect(sure.position > 1e-5 && sure.position < 0.02 && sure.orientation < 0.02)
    // The same clouds give the same answer.
    #expect(try Relocalizer(map: trial.map).relocalize(trial.query, mode: .gravity) == answer)
  }

  @Test func `a scan in any rotation finds its place`() throws {
    let trial = try #require(AlignmentTrial(of: .small, .small, .free, seed: 1))
    try check(try Relocalizer(map: trial.map).relocalize(trial.query, mode: .free), trial)
  }

  /// Of these two the right peak is far down the coarse ranking of its direction: all peaks have to be polished.
  @Test(arguments: [15, 16] as [UInt64])
  func `a scan of which a third is in the map finds its place in any rotation`(seed: UInt64) throws {
    let trial = try #require(AlignmentTrial(of: .small, .medium, .free, seed: seed))
    try check(try Relocalizer(map: trial.map).relocalize(trial.query, mode: .free), trial)
  }

  private func check(_ answer: Relocalization, _ trial: AlignmentTrial) throws {
    let pose = try #require(answer.transform)
    let error = trial.error(of: pose)
    #expect(answer.isAccepted && answer.confidence > 0.5 && error.distance < 0.02 && error.degrees < 0.5)
    #expect(answer.inliers > 40 && answer.inlierRatio > 0.5 && answer.rms > 0.001 && answer.rms < 0.05)
    try pose.validate()
  }

  @Test func `the residual of a known place is how far it is from the cloud, where the cloud meets the map at all`()
    throws
  {
    let (trial, answer) = try Self.example.get()
    let map = try Relocalizer(map: trial.map)
    let place = try #require(answer.transform)
    let none = try #require(try map.drift(of: trial.query, from: place, mode: .gravity))
    let shifted = try #require(
      try map.drift(of: trial.query, from: Transform(translation: [0.06, 0, 0.06]) * place, mode: .gravity))
    #expect(none < 0.015 && abs(shifted - 0.085) < 0.02)
    let elsewhere = Transform(translation: [1.5, 0, 1]) * place
    #expect(try map.drift(of: trial.query, from: elsewhere, mode: .gravity) == nil)
    #expect(try map.drift(of: Array(trial.query.prefix(20)), from: place, mode: .gravity) == nil)
    #expect(try Relocalizer(map: []).drift(of: trial.query, from: place, mode: .gravity) == nil)
  }

  @Test func `another place is not accepted`() throws {
    let trial = try #require(AlignmentTrial(of: .small, .small, .gravity, seed: 2))
    let other = try #require(AlignmentTrial(of: .small, .small, .gravity, seed: 3))
    let answer = try Relocalizer(map: other.map).relocalize(trial.query, mode: .gravity)
    #expect(!answer.isAccepted && answer.transform == nil && answer.proposal != nil && answer.confidence < 0.5)
  }

  @Test func `two rooms that look alike give not sure`() throws {
    let (trial, _) = try Self.example.get()
    // The same room again, next door and turned by a right angle.
    let twins = trial.map + trial.map.map { SIMD3($0.z + 6, $0.y, -$0.x) }
    let answer = try Relocalizer(map: twins).relocalize(trial.query, mode: .gravity)
    #expect(answer.state == .limited(.ambiguous) && answer.transform == nil)
  }

  @Test func `too few points give no pose, in query and map`() throws {
    let (trial, _) = try Self.example.get()
    let few = Array(trial.query.prefix(20))
    for (map, query) in [(trial.map, few), (few, trial.query), ([], trial.query), (trial.map, [])] {
      let answer = try Relocalizer(map: map).relocalize(query, mode: .gravity)
      #expect(answer.state == .limited(.insufficientFeatures) && answer.proposal == nil && answer.confidence == 0)
    }
  }

  /// Clouds that no device makes end in an answer or a typed error.
  @Test func `extreme clouds are survived`() throws {
    let (trial, _) = try Self.example.get()
    for bad in [Float.nan, .infinity, -.infinity] {
      #expect(throws: AlignmentError.notFinite) { try Relocalizer(map: trial.map + [[0, bad, 0]]) }
    }
    let far = Float.greatestFiniteMagnitude
    var draws = Draws(seed: 4)
    let clouds: [[SIMD3<Float>]] = [
      [[far, 0, 0], [0, -far, 0]],
      .init(repeating: [1, 2, 3], count: 100),
      (0..<200).map { [Float($0) * 0.1, 0, 0] },
      draws.points(100).map { $0 * 1e5 },
      draws.points(100).map { $0 * 1e-30 },
    ]
    let small = Array(trial.query.prefix(300))
    for cloud in clouds {
      let asQuery = try Relocalizer(map: small).relocalize(cloud, mode: .gravity)
      let asMap = try Relocalizer(map: cloud).relocalize(small, mode: .gravity)
      #expect(!asQuery.isAccepted && !asMap.isAccepted)
    }
  }

  @Test func `work can be cancelled`() throws {
    let (trial, _) = try Self.example.get()
    var questions = 0
    #expect(throws: AlignmentError.cancelled) {
      try Relocalizer(map: trial.map).relocalize(trial.query, mode: .gravity) {
        questions += 1
        return questions > 3
      }
    }
    #expect(questions == 4)
  }
}

import Basics
import Testing

@testable import WorldModel

@Suite("Transform")
struct TransformTests {
  /// A quarter turn about y (x goes to −z), then (1, 2, 3).
  let quarter = Transform(x: [0, 0, -1], y: [0, 1, 0], z: [1, 0, 0], translation: [1, 2, 3])

  @Test func actsRotatesAndInverts() {
    #expect(quarter.act(on: [1, 0, 0]) == [1, 2, 2])
    #expect(quarter.rotate([1, 0, 0]) == [0, 0, -1])
    #expect(quarter.inverse.act(on: [1, 2, 2]) == [1, 0, 0])
    #expect(quarter * quarter.inverse == .identity)
  }

  @Test func productAppliesTheRightFactorFirst() {
    let shift = Transform(translation: [5, 0, 0])
    #expect((quarter * shift).act(on: .zero) == quarter.act(on: [5, 0, 0]))
    #expect((shift * quarter).act(on: .zero) == [6, 2, 3])
  }

  @Test func quaternionTurnsRightHanded() throws {
    let half = Float(0.5).squareRoot()
    let turn = try #require(Transform(quaternion: [0, half, 0, half], translation: [1, 2, 3]))
    let axis = turn.rotate([1, 0, 0])
    #expect((axis - [0, 0, -1]).length < 1e-6)
    #expect(Transform(quaternion: .zero) == nil)
  }

  @Test func lookingPutsTheTargetOnMinusZ() throws {
    let pose = Transform.looking(at: [0, 0, 0], from: [0, 3, 4])
    try pose.validate()
    #expect((pose.inverse.act(on: .zero) - [0, 0, -5]).length < 1e-5)
    #expect(pose.columns.1.y > 0)
    try Transform.looking(at: [0, 0, 0], from: [0, 3, 0]).validate()
    #expect(Transform.looking(at: [1, 1, 1], from: [1, 1, 1]) == Transform(translation: [1, 1, 1]))
  }

  @Test func refusesWhatIsNotAPose() {
    var bad = quarter
    bad.translation.x = .nan
    #expect(throws: ModelError.notFinite("transform")) { try bad.validate() }
    bad.translation.x = .infinity
    #expect(throws: ModelError.notFinite("transform")) { try bad.validate() }
    bad.translation.x = .leastNonzeroMagnitude
    #expect(throws: ModelError.subnormal("transform")) { try bad.validate() }
    let mirrored = Transform(x: [-1, 0, 0], y: [0, 1, 0], z: [0, 0, 1], translation: .zero)
    #expect(throws: ModelError.notRigid("the axes are left-handed")) { try mirrored.validate() }
    let sheared = Transform(x: [1, 0, 0], y: [0.01, 1, 0], z: [0, 0, 1], translation: .zero)
    #expect(!sheared.isRigid)
    let projective = Transform(columns: ([1, 0, 0, 0.1], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]))
    #expect(throws: ModelError.notRigid("the last row is not 0 0 0 1")) { try projective.validate() }
  }

  @Test(arguments: [Float(0.0004), 0.0006])
  func toleranceIsOnTheEntriesOfTheProduct(excess: Float) {
    // |(1 + e)² − 1| is about 2e: within 0.001 for the first, beyond it for the second.
    let scaled = Transform(x: [1 + excess, 0, 0], y: [0, 1, 0], z: [0, 0, 1], translation: .zero)
    #expect(scaled.isRigid == (excess < 0.0005))
  }

  @Test func orthonormalizingRepairsDrift() throws {
    let drifted = Transform(x: [0, 0, -1.01], y: [0.02, 1, 0], z: [1, 0, 0.005], translation: [1, 2, 3])
    #expect(!drifted.isRigid)
    let repaired = try #require(drifted.orthonormalized())
    try repaired.validate()
    #expect(repaired.translation == [1, 2, 3])
    #expect(Transform(x: [-1, 0, 0], y: [0, 1, 0], z: [0, 0, 1], translation: .zero).orthonormalized() == nil)
  }

  @Test("a quaternion comes back from its rotation, whichever of its components is the largest")
  func quaternion() throws {
    var random = SplitMix64(seed: 3)
    let special: [SIMD4<Float>] = [[0, 0, 0, 1], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0.5, 0.5, 0.5, 0.5]]
    let drawn = (0..<200).map { _ in SIMD4<Float>.random(in: -1...1, using: &random) }
    for quaternion in special + drawn {
      let wanted = try #require(quaternion.unit)
      let found = try #require(Transform(quaternion: quaternion)).quaternion
      // Both signs stand for one rotation.
      #expect(1 - found.dot(wanted).magnitude < 1e-6 && found.w >= 0)
    }
  }
}

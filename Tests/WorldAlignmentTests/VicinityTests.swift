import AlignmentTrials
import Testing
import WorldModel

@testable import WorldAlignment

@Suite struct VicinityTests {
  /// A trial, and the part of its map that the scan may meet: to clean whole yards takes seconds without optimisation.
  private func trial(
    _ place: TrialPlace, _ level: ScanLevel, seed: UInt64
  ) throws -> (trial: AlignmentTrial, map: [SIMD3<Float>], query: Query) {
    let trial = try #require(AlignmentTrial(of: place, level, .gravity, seed: seed))
    let middle = trial.truth.act(on: trial.center)
    return (trial, trial.map.filter { ($0 - middle).lengthSquared < 9 }, Query(trial.query))
  }

  /// The right pose of a trial turned by `degrees` about the middle of the scan, then shifted.
  private func pose(_ trial: AlignmentTrial, turned degrees: Double, shifted shift: SIMD3<Float>) -> RigidMotion {
    let truth = RigidMotion(trial.truth)
    return truth.turned(by: .turn([0, degrees * .pi / 180, 0]), about: truth.act(on: trial.center)).shifted(by: shift)
  }

  /// Of these scans few points are in the map: closest points end at a pose turned by 3° to 4.4°, which was accepted.
  @Test(arguments: [(36005, 2.95), (36021, 4.35)] as [(UInt64, Double)])
  func `a pose in a valley of minima is improved, and not sure`(seed: UInt64, turn: Double) throws {
    let (trial, near, query) = try trial(.yard, .hard, seed: seed)
    let map = try #require(MapModel(near))
    let start = pose(trial, turned: turn, shifted: -map.center)
    let answer = map.verdict(query, start, .gravity, elsewhere: nil)
    let error = trial.error(of: try #require(answer.proposal))
    #expect(answer.state == .limited(.ambiguous) && error.degrees < Float(turn) - 0.2)
  }

  @Test func `a pose without rivals is found from beside, and leads`() throws {
    let (trial, near, query) = try trial(.small, .small, seed: 1)
    let start = pose(trial, turned: -2.5, shifted: [0.03, 0, -0.03])
    let best = Vicinity(of: query.all, in: PointGrid(near, cell: 0.1), .gravity).best(near: start)
    let error = trial.error(of: best.motion.transform)
    #expect(error.distance < 0.01 && error.degrees < 0.3 && best.lead > 4)
  }

  @Test func `a lead of less than three standard deviations over poses nearby is not accepted`() {
    for (lead, state) in [(3.1, .normal), (2.9, .limited(.ambiguous)), (-1, .limited(.ambiguous))]
      as [(Float, Relocalization.State)]
    {
      let evidence = Evidence(overlap: 0.9, lead: 3, sharpness: 2, tilt: 0.001, deviation: 0.0005, nearby: lead)
      #expect(evidence.state == state && (evidence.confidence >= 0.5) == (lead > 3) && evidence.confidence >= 0)
    }
  }

  @Test func `what looks alike from all sides has no lead`() throws {
    // Points of a round floor: every turn about its middle fits as well.
    var draws = Draws(seed: 5)
    let disc = draws.points(20_000).map { $0 * 0.4 }.filter { SIMD2($0.x, $0.z).length < 2 }
      .map { SIMD3($0.x, 0, $0.z) }
    let best = Vicinity(of: Array(disc.prefix(500)), in: PointGrid(Array(disc.dropFirst(500)), cell: 0.1), .gravity)
      .best(near: .identity)
    #expect(best.lead < 3)
  }
}

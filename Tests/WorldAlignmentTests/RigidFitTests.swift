import Basics
import Testing
import WorldAlignment
import WorldModel

@Suite struct RigidFitTests {
  private static func pairs(_ points: [SIMD3<Float>], _ transform: Transform) -> [RigidFit.Pair] {
    points.map { RigidFit.Pair(source: $0, target: transform.act(on: $0)) }
  }

  @Test(arguments: AlignmentMode.allCases)
  func `exact pairs give back any transform`(mode: AlignmentMode) throws {
    var draws = Draws(seed: 1)
    for round in 0..<300 {
      let transform = draws.transform(mode)
      let pairs = Self.pairs(draws.points(3 + round % 10), transform)
      let fit = try RigidFit(pairs, mode: mode)
      #expect(fit.transform.difference(to: transform) < 2e-4 && fit.transform.isRigid && fit.rms < 1e-5)
    }
  }

  @Test func `two points are enough where gravity is known, and only there`() throws {
    var draws = Draws(seed: 2)
    let transform = draws.transform(.gravity)
    let pairs = Self.pairs([[1, 0, 0], [-1, 0.5, 2]], transform)
    #expect(try RigidFit(pairs, mode: .gravity).transform.difference(to: transform) < 1e-5)
    #expect(throws: AlignmentError.notEnough(found: 2, needed: 3)) { try RigidFit(pairs, mode: .free) }
    #expect(throws: AlignmentError.notEnough(found: 1, needed: 2)) { try RigidFit([pairs[0]], mode: .gravity) }
    #expect(throws: AlignmentError.notEnough(found: 0, needed: 3)) { try RigidFit([], mode: .free) }
  }

  @Test func `a plane of points determines every rotation, without mirroring it`() throws {
    var draws = Draws(seed: 3)
    for _ in 0..<100 {
      let transform = draws.transform(.free)
      let flat = draws.points(8).map { SIMD3($0.x, 0.5 * $0.x - 0.2 * $0.z, $0.z) }
      let fit = try RigidFit(Self.pairs(flat, transform), mode: .free)
      #expect(fit.transform.isRigid && fit.transform.difference(to: transform) < 2e-4)
    }
  }

  @Test(arguments: [0, 1_000] as [Float])
  func `points on a line or a spot are degenerate`(far: Float) {
    var draws = Draws(seed: 4)
    let transform = draws.transform(.free)
    let line = (0..<6).map { SIMD3<Float>(far, 0, far) + Float($0) * SIMD3(1, 2, 0.5) }
    #expect(throws: AlignmentError.degenerate) { try RigidFit(Self.pairs(line, transform), mode: .free) }
    let spot = Self.pairs(.init(repeating: [far, 1, 2], count: 5), transform)
    for mode in AlignmentMode.allCases {
      #expect(throws: AlignmentError.degenerate) { try RigidFit(spot, mode: mode) }
    }
    // One above the other, with what Float rounds off at that distance.
    let pole = (0..<5).map { SIMD3<Float>(far * (1 + Float($0 % 2) * 1e-7), Float($0), far) }
    #expect(throws: AlignmentError.degenerate) {
      try RigidFit(pole.map { RigidFit.Pair(source: $0, target: $0) }, mode: .gravity)
    }
  }

  @Test func `a mirrored body is ambiguous`() {
    // Corners of a cube, mirrored through its middle: every rotation fits as well.
    let cube = (0..<8).map { SIMD3<Float>($0 & 1 == 0 ? 1 : -1, $0 & 2 == 0 ? 1 : -1, $0 & 4 == 0 ? 1 : -1) }
    let mirrored = cube.map { RigidFit.Pair(source: $0, target: -$0) }
    #expect(throws: AlignmentError.ambiguous) { try RigidFit(mirrored, mode: .free) }
    // Partners whose horizontal products cancel leave the yaw open.
    let crossed = [SIMD3<Float>(1, 0, 0), [0, 0, 1], [-1, 0, 0], [0, 0, -1]].map {
      RigidFit.Pair(source: $0, target: [$0.z, 0, $0.x])
    }
    #expect(throws: AlignmentError.ambiguous) { try RigidFit(crossed, mode: .gravity) }
  }

  @Test(arguments: [Float.nan, .infinity, -.infinity, .greatestFiniteMagnitude, 2e6])
  func `numbers that are no place are refused`(number: Float) {
    var draws = Draws(seed: 5)
    for place in 0..<3 {
      var pairs = Self.pairs(draws.points(6), .identity)
      if place == 0 { pairs[3].source.y = number }
      if place == 1 { pairs[3].target.x = number }
      if place == 2 { pairs[3].weight = number < 1e30 ? .nan : number }
      guard place < 2 || !number.isFinite else { continue }
      for mode in AlignmentMode.allCases {
        #expect(throws: AlignmentError.notFinite) { try RigidFit(pairs, mode: mode) }
      }
    }
  }

  @Test func `weights count, zero leaves a pair out, and less is refused`() throws {
    var draws = Draws(seed: 6)
    let transform = draws.transform(.free)
    var pairs = Self.pairs(draws.points(10), transform)
    pairs[0].target += [3, -2, 1]
    let with = try RigidFit(pairs, mode: .free)
    #expect(with.transform.difference(to: transform) > 0.05)
    pairs[0].weight = 1e-6
    #expect(try RigidFit(pairs, mode: .free).transform.difference(to: transform) < 1e-3)
    pairs[0].weight = 0
    #expect(try RigidFit(pairs, mode: .free).transform.difference(to: transform) < 1e-4)
    pairs[0].weight = -1
    #expect(throws: AlignmentError.negativeWeight) { try RigidFit(pairs, mode: .free) }
  }

  @Test func `subnormal and tiny extents come out as valid transforms or typed errors`() throws {
    let tiny = Float.leastNonzeroMagnitude
    let points: [SIMD3<Float>] = [[tiny, 0, 0], [0, tiny, 0], [0, 0, tiny]]
    for mode in AlignmentMode.allCases {
      #expect(throws: AlignmentError.degenerate) { try RigidFit(Self.pairs(points, .identity), mode: mode) }
    }
    let corner: [SIMD3<Float>] = [[1, 0, 0], [0, 1, 0], [0, 0, 1], .zero]
    let shifted = corner.map { RigidFit.Pair(source: $0, target: $0 + SIMD3(tiny, 0, 0)) }
    try RigidFit(shifted, mode: .free).transform.validate()
  }

  /// With noise of a known size the errors are as large as the covariance says.
  @Test(arguments: AlignmentMode.allCases)
  func `the covariance is honest`(mode: AlignmentMode) throws {
    var draws = Draws(seed: 7)
    var (positions, orientations) = (0.0, 0.0)
    let rounds = 400
    for _ in 0..<rounds {
      let transform = draws.transform(mode)
      let pairs = Self.pairs(draws.points(20), transform).map { pair in
        var pair = pair
        pair.target += draws.point(-0.02...0.02)
        return pair
      }
      let fit = try RigidFit(pairs, mode: mode)
      let sure = fit.uncertainty
      let inverse = transform.inverse
      let error = (fit.transform.act(on: inverse.act(on: sure.center)) - sure.center).length
      let turn = (fit.transform * inverse).turnVector.length
      positions += Double(error * error) / (sure.position * sure.position)
      orientations += Double(turn * turn) / (sure.orientation * sure.orientation)
      // Noise evenly spread over ±2 cm has a standard deviation of 1.15 cm an axis.
      #expect(fit.rms > 0.01 && fit.rms < 0.03)
    }
    #expect((0.85...1.15).contains(positions / Double(rounds)))
    #expect((0.85...1.15).contains(orientations / Double(rounds)))
  }

  @Test func `where gravity is known the covariance holds the other turns`() throws {
    var draws = Draws(seed: 8)
    let fit = try RigidFit(Self.pairs(draws.points(5), draws.transform(.gravity)), mode: .gravity)
    for held in [0, 2] {
      for other in 0..<6 {
        #expect(fit.uncertainty.covariance[held * 6 + other] == 0 && fit.uncertainty.covariance[other * 6 + held] == 0)
      }
    }
  }
}

extension Transform {
  /// The rotation vector of a small rotation (radians).
  fileprivate var turnVector: SIMD3<Float> {
    SIMD3(columns.1.z - columns.2.y, columns.2.x - columns.0.z, columns.0.y - columns.1.x) / 2
  }
}

import Basics
import Testing
import WorldModel

@Suite struct SurfaceFitTests {
  @Test func `a square by hand`() throws {
    let fit = try #require(SurfaceFit([[1, 2, 1], [1, 2, -1], [-1, 2, 1], [-1, 2, -1]] as [SIMD3<Float>]))
    #expect(fit.center == [0, 2, 0])
    #expect(fit.normal.y.magnitude == 1)
    #expect(fit.thickness == 0)
  }

  @Test func `a line, a spot and two points are no surface`() {
    #expect(SurfaceFit([[0, 0, 0], [1, 1, 1], [2, 2, 2]] as [SIMD3<Float>]) == nil)
    #expect(SurfaceFit([[1, 0, 0], [1, 0, 0], [1, 0, 0]] as [SIMD3<Float>]) == nil)
    #expect(SurfaceFit([[0, 0, 0], [1, 1, 0]] as [SIMD3<Float>]) == nil)
    #expect(SurfaceFit([[.nan, 0, 0], [1, 1, 0], [0, 1, 0]] as [SIMD3<Float>]) == nil)
  }

  @Test func `noisy surfaces of any direction and size`() throws {
    var random = SplitMix64(seed: 3)
    for _ in 0..<300 {
      let normal = try #require(random.vector(in: -1...1).unit)
      let size = random.float(in: 0.001...50)
      let center = random.vector(in: -20...20)
      let points = (0..<60).map { _ in
        let spot = random.vector(in: -1...1) * size
        return center + spot - normal * normal.dot(spot) + normal * (random.float(in: -0.01...0.01) * size)
      }
      let fit = try #require(SurfaceFit(points))
      // Far from the origin a float resolves 2 µm, which tilts a surface of a millimetre.
      #expect(fit.normal.dot(normal).magnitude > 0.999)
      #expect(fit.thickness < 0.011 * size + 1e-5)
    }
  }
}

import Testing
import WorldFormats
import WorldModel

/// Numbers that no camera measures, in what an app may pass: nothing here may end the program.
@Suite("Extreme numbers")
struct ExtremeNumberTests {
  private static let numbers: [Float] = [
    0, .nan, .infinity, -.infinity, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNonzeroMagnitude, 1e30,
  ]

  /// Points whose every coordinate is one of the numbers.
  private static func cloud(_ numbers: [Float]) -> FeatureCloud {
    var positions: [SIMD3<Float>] = []
    for x in numbers { for y in numbers { for z in numbers { positions.append(SIMD3(x, y, z)) } } }
    return FeatureCloud(positions: positions, identifiers: Array(0..<UInt64(positions.count)))
  }

  @Test(
    "a cloud of them is searched, measured, drawn, cut and encoded, or refused",
    arguments: [numbers, numbers.filter(\.isFinite), [0, .greatestFiniteMagnitude], [.nan], [.infinity, -.infinity]])
  func clouds(_ numbers: [Float]) throws {
    let cloud = Self.cloud(numbers)
    let map = WorldMap(cloud: cloud)
    let index = cloud.spatialIndex
    let finite = numbers.count(where: \.isFinite)
    #expect(index.count == finite * finite * finite)
    for x in Self.numbers {
      _ = index.indices(within: x, of: SIMD3(x, 0, 1))
      let camera = PinholeCamera(eye: SIMD3(x, 1, 0), target: SIMD3(0, x, 0), focalLength: x, aspectRatio: x)
      _ = index.indices(within: x, of: SIMD2(x, 1), through: camera)
      _ = HitTest(map).results(at: SIMD2(x, 0), through: camera)
      _ = camera.project(SIMD3(x, x, 1))
      _ = try? cloud.downsampled(voxel: x)
      _ = map.cropped(to: BoundingBox(minimum: SIMD3(x, 0, 0), maximum: SIMD3(1, x, 1)))
      _ = try? cloud.transformed(by: .init(translation: SIMD3(x, x, x)))
      let picture = MapPicture(map, view: .perspective(camera), width: 64, height: 64)
      _ = picture.png()
      _ = picture.svg()
    }
    _ = map.mappingStatus
    _ = MapPicture(map, width: 64, height: 64).png()
    _ = MapPicture(map, width: 64, height: 64).svg()
    _ = try? map.encoded(EncodingOptions(arrangement: .inSpace))
    _ = try? map.encoded(EncodingOptions())
    _ = try? map.validate()
  }
}

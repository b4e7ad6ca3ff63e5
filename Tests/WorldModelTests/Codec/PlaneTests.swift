import Basics
import Testing

@testable import WorldModel

@Suite("Byte planes and palettes")
struct PlaneTests {
  @Test func aFramesBytesStandInRunsOfFourNeighbors() {
    let words = (0..<128).map { UInt32($0) | 1000 &* UInt32($0) << 8 }
    let rows = FrameRows(words)
    let planes = BytePlanes(capacity: 300)
    planes.split(rows.frame(0), at: 128)
    for group in 0..<8 {
      for lane in 0..<4 {
        for row in 0..<4 {
          let word = words[32 * lane + 4 * group + row]
          #expect(planes[128 + 16 * group + 4 * lane + row] == word)
        }
      }
    }
    let back = FrameRows(count: 128)
    planes.join(at: 128, to: back.frame(0))
    #expect(back.elements == words)
  }

  @Test(arguments: [1, 127, 128, 130, 2300, 5000])
  func planesSurvive(count: Int) {
    var random = SplitMix64(seed: 3)
    let words = (0..<count).map { _ in (random.unit() - 0.5).bitPattern }
    let rows = FrameRows(words)
    var encoder = PlaneEncoder(capacity: count)
    var decoder = PlaneDecoder()
    _ = encoder.estimate(rows)
    for areDifferences in [false, true] {
      let memory = UnsafeMutableRawPointer.allocate(byteCount: 4 * (count + PlaneEncoder.slack), alignment: 16)
      defer { memory.deallocate() }
      var end = memory
      encoder.write(rows, areDifferences: areDifferences, to: &end)
      let bytes = UnsafeRawBufferPointer(start: memory, count: end - memory)
      var back = FrameRows(count: count)
      let isRead = decoder.read(bytes, areDifferences: areDifferences, to: &back)
      #expect(isRead && back.elements == words)
      #expect(bytes.count <= 4 * (count + 1))
    }
  }

  @Test func estimatesComeNearTheTruth() {
    var random = SplitMix64(seed: 4)
    for count in [700, 40_000] {
      let words = (0..<count).map { _ in (random.unit() * random.unit() * 4).bitPattern }
      let rows = FrameRows(words)
      var encoder = PlaneEncoder(capacity: count)
      let estimate = Double(encoder.estimate(rows).plain)
      let memory = UnsafeMutableRawPointer.allocate(byteCount: 4 * (count + PlaneEncoder.slack), alignment: 16)
      defer { memory.deallocate() }
      var end = memory
      encoder.write(rows, areDifferences: false, to: &end)
      #expect(abs(estimate / Double(end - memory) - 1) < 0.03)
    }
  }

  @Test func fewDifferentNumbersMakeAPalette() {
    let values: [Float] = [-7.25, -1e-3, -0.0, 0, 0.01, 4]
    let words = (0..<1000).map { values[($0 * 7 + $0 / 13) % 6].bitPattern }
    let rows = FrameRows(words)
    guard let palette = Palette(rows) else {
      Issue.record("no palette")
      return
    }
    #expect(palette.values.elements == values.map(\.bitPattern))
    var back = FrameRows(palette.ranks.elements)
    let isRestored = Palette.restore(&back, from: palette.values)
    #expect(isRestored && back.elements == words)
    back[999] = 6
    let hasValue = Palette.restore(&back, from: palette.values)
    #expect(!hasValue)
  }

  @Test func manyDifferentNumbersMakeNone() {
    var random = SplitMix64(seed: 5)
    for count in [10, 1000, 70_000] {
      let isPalette = Palette(FrameRows((0..<count).map { _ in UInt32(truncatingIfNeeded: random.next()) })) != nil
      #expect(!isPalette)
    }
  }

  /// A cloud whose coordinates were rounded to a hundredth.
  private let rounded: FeatureCloud = {
    let cloud = Samples.cloud(3000)
    let positions = cloud.positions.map { ($0 * 100).rounded(.toNearestOrEven) / 100 }
    return FeatureCloud(positions: positions, identifiers: cloud.identifiers)
  }()

  @Test func roundedCloudsShrinkAndSurvive() throws {
    let file = try WorldMap(cloud: rounded).encoded()
    let isSame = try WorldMap(decoding: file).cloud == rounded
    #expect(isSame)
    let plain = try WorldMap(cloud: Samples.cloud(3000)).encoded()
    #expect(file.count * 3 < plain.count * 2)
  }

  @Test func smoothColorsAreStoredAsDifferences() throws {
    func cloud(_ shade: (Int) -> UInt8) -> FeatureCloud {
      let plain = Samples.cloud(2000)
      let colors = plain.indices.map { SIMD3(shade($0), 0, 0) }
      return FeatureCloud(
        positions: plain.positions, identifiers: plain.identifiers, channels: .init(colors: colors))
    }
    var random = SplitMix64(seed: 6)
    let smooth = cloud { UInt8(truncatingIfNeeded: $0) }
    let noise = (0..<2000).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    let rough = cloud { noise[$0] }
    let file = try WorldMap(cloud: smooth).encoded()
    let plain = try WorldMap(cloud: rough).encoded()
    #expect(file.count + 1500 < plain.count)
    let isSame = try WorldMap(decoding: file).cloud == smooth
    #expect(isSame)
  }
}

import PeerCLI
import SharedWorld
import WorldFormats

/// A picture of two clouds from above: on the left as their files have them, on the right lined up.
struct AlignmentPicture {
  let path: String
  private let isVector: Bool

  /// The colours of the points of the map and of the query.
  private static let mapColor: SIMD3<UInt8> = [96, 130, 182]
  private static let queryColor: SIMD3<UInt8> = [240, 140, 40]

  /// - Throws: For a name that is neither of a PNG nor of an SVG file.
  init(_ path: String) throws(ProgramFailure) {
    guard let format = path.fileExtension, ["png", "svg"].contains(format) else {
      throw .usage("\(path): unknown format; end the name with .png or .svg")
    }
    self.path = path
    isVector = format == "svg"
  }

  /// Draws both; without a motion of the query the right half has the map alone.
  func draw(
    _ map: WorldMap, _ query: WorldMap, moved motion: Transform?, _ progress: Progress
  ) throws(ProgramFailure) {
    let bounds = Self.bounds(map.cloud.positions + query.cloud.positions)
    let fixed = map.cloud.positions.filter { bounds.contains($0.x) }
    let loose = query.cloud.positions.filter { bounds.contains($0.x) }
    let placed = motion.map { motion in loose.map { motion.act(on: $0) } } ?? []
    let right = SIMD3<Float>(bounds.upperBound - bounds.lowerBound, 0, 0)
    let groups =
      [(fixed, Self.mapColor), (loose, Self.queryColor)]
      + [(fixed.map { $0 + right }, Self.mapColor), (placed.map { $0 + right }, Self.queryColor)]
    let positions = groups.flatMap { $0.0 }
    let colors = groups.flatMap { Array(repeating: $0.1, count: $0.0.count) }
    let cloud = FeatureCloud(
      positions: positions, identifiers: positions.indices.map(UInt64.init),
      channels: FeatureCloud.Channels(colors: colors))
    let picture = MapPicture(WorldMap(cloud: cloud), width: 1600, height: 800)
    try MapOutput.write(isVector ? Array(picture.svg().utf8) : picture.png(), to: path, progress)
  }

  /// From left to right all but the outliers, and half a metre more.
  private static func bounds(_ points: [SIMD3<Float>]) -> ClosedRange<Float> {
    let across = points.map(\.x).sorted()
    guard !across.isEmpty else { return 0...1 }
    return across[across.count / 200] - 0.5...across[across.count - 1 - across.count / 200] + 0.5
  }
}

import Foundation
import SharedWorld

/// What a new revision of a map costs a peer that has the old one: the bytes of the chunks that it does not have.
///
/// One point in a hundred changes, those nearest to a lower corner of the place: they move by a centimetre, are removed,
/// or are joined by as many others.
enum MapUpdateRows {
  static let all = WorldMapData.all.flatMap { data in
    arrangements.flatMap { arrangement, options in
      changes.map { change, apply in
        let name = "map-update/\(change)/\(arrangement)/\(data.name)"
        return Benchmark(name: name) { [try row(name, data, options, apply)] }
      }
    }
  }

  private static let arrangements: [(String, EncodingOptions)] = [
    ("by-identifier", .lossless), ("in-space", EncodingOptions(arrangement: .inSpace)),
  ]

  private static let changes: [(String, @Sendable (FeatureCloud, [Int]) -> FeatureCloud)] = [
    ("moved", moving), ("removed", removing), ("added", adding),
  ]

  /// The largest chunk of a transfer (bytes).
  private static let chunk = 256 * 1024

  private static func row(
    _ name: String, _ data: WorldMapData, _ options: EncodingOptions, _ change: (FeatureCloud, [Int]) -> FeatureCloud
  ) throws -> Row {
    let cloud = try data.cloud()
    let known = Set(try chunks(of: cloud, options))
    let update = try chunks(of: change(cloud, corner(of: cloud)), options)
    let fresh = update.filter { !known.contains($0) }.reduce(0) { $0 + $1.count }
    let whole = update.reduce(0) { $0 + $1.count }
    return Row(
      name: name, value: Double(fresh), unit: "bytes", baseline: "the whole map", baselineValue: Double(whole),
      ratio: Double(fresh) / Double(whole))
  }

  private static func chunks(of cloud: FeatureCloud, _ options: EncodingOptions) throws -> [ArraySlice<UInt8>] {
    let file = try WorldMap(cloud: cloud).encoded(options)
    var rest = file[...]
    return try WorldMapDecoder(file).chunkLengths(limit: chunk).map { length in
      defer { rest = rest.dropFirst(length) }
      return rest.prefix(length)
    }
  }

  /// The points nearest to the lower corner of what is not an outlier, in the order of storage.
  private static func corner(of cloud: FeatureCloud) -> [Int] {
    let corner = BoundingBox(ignoringOutliersOf: cloud.positions)?.minimum ?? .zero
    let distances = cloud.positions.map { (($0 - corner) * ($0 - corner)).sum() }
    return cloud.indices.sorted { distances[$0] < distances[$1] }.prefix(max(1, cloud.count / 100)).sorted()
  }

  private static func moving(_ cloud: FeatureCloud, _ indices: [Int]) -> FeatureCloud {
    var positions = cloud.positions
    for index in indices { positions[index] += [0.007, 0.001, -0.007] }
    return FeatureCloud(positions: positions, identifiers: cloud.identifiers)
  }

  private static func removing(_ cloud: FeatureCloud, _ indices: [Int]) -> FeatureCloud {
    let removed = Set(indices)
    return cloud.selecting(cloud.indices.filter { !removed.contains($0) })
  }

  /// New points get the next identifiers, as a tracker gives them.
  private static func adding(_ cloud: FeatureCloud, _ indices: [Int]) -> FeatureCloud {
    let next = (cloud.identifiers.max() ?? 0) &+ 1
    return FeatureCloud(
      positions: cloud.positions + indices.map { cloud.positions[$0] + [0.002, 0.003, 0.001] },
      identifiers: cloud.identifiers + indices.indices.map { next &+ UInt64($0) })
  }
}

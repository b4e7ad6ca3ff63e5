public import CSharedWorldHeaders
import SharedWorld

/// A map behind a handle.
final class MapBox: HandleObject {
  static let word = "a map"

  let map: WorldMap

  init(_ map: WorldMap) {
    self.map = map
  }
}

/// Points as C gives them, checked.
func cloud(
  _ positions: UnsafePointer<Float>?, _ identifiers: UnsafePointer<UInt64>?, _ count: Int
) throws -> FeatureCloud {
  guard (0...Limits.points).contains(count) else {
    throw Failure(SW_LIMIT_EXCEEDED, "a map has at most \(Limits.points) points")
  }
  guard count > 0 else { return FeatureCloud() }
  guard let identifiers else { throw Failure.argument("identifiers is NULL") }
  let points = FeatureCloud(
    positions: try points(positions, count),
    identifiers: Array(UnsafeBufferPointer(start: identifiers, count: count)))
  do {
    let sorted = try points.sorted()
    try WorldMap(cloud: sorted).validate()
    return sorted
  } catch {
    throw Failure.argument("the points make no map: \(error)")
  }
}

/// A map from points.
@c @implementation
public func sw_map_create(
  _ positions: UnsafePointer<Float>?, _ identifiers: UnsafePointer<UInt64>?, _ count: Int,
  _ map: UnsafeMutablePointer<OpaquePointer?>?
) -> sw_status {
  attempt {
    let map = try output(map, "map")
    let cloud = try cloud(positions, identifiers, count)
    map.pointee = handle(MapBox(WorldMap(cloud: cloud)))
  }
}

/// Reads a map file.
@c @implementation
public func sw_map_load(_ path: UnsafePointer<CChar>?, _ map: UnsafeMutablePointer<OpaquePointer?>?) -> sw_status {
  attempt {
    let map = try output(map, "map")
    map.pointee = handle(MapBox(try WorldMap(contentsOfFile: try text(path, "path"))))
  }
}

/// Writes a map file.
@c @implementation
public func sw_map_save(_ map: OpaquePointer?, _ path: UnsafePointer<CChar>?) -> sw_status {
  attempt { try object(map, as: MapBox.self).map.write(toFile: text(path, "path")) }
}

/// The feature points of a map.
@c @implementation
public func sw_map_point_count(_ map: OpaquePointer?) -> Int {
  (try? object(map, as: MapBox.self).map.cloud.count) ?? 0
}

/// The static anchors of a map.
@c @implementation
public func sw_map_anchor_count(_ map: OpaquePointer?) -> Int {
  (try? object(map, as: MapBox.self).map.anchors.count) ?? 0
}

/// The peer that shared a map.
@c @implementation
public func sw_map_provider(_ map: OpaquePointer?, _ peer: UnsafeMutablePointer<sw_peer_id>?) -> sw_status {
  attempt {
    let peer = try output(peer, "peer")
    peer.pointee = sw_peer_id(copying: try object(map, as: MapBox.self).map.provider?.bytes ?? [])
  }
}

/// How well the place of a map is mapped.
@c @implementation
public func sw_map_mapping(
  _ map: OpaquePointer?, _ views: UInt32, _ status: UnsafeMutablePointer<UInt32>?,
  _ lacks: UnsafeMutablePointer<UInt32>?, _ progress: UnsafeMutablePointer<Float>?
) -> sw_status {
  attempt {
    let map = try object(map, as: MapBox.self).map
    let evidence = MappingEvidence(map.cloud, views: views == 0 ? map.views : views)
    let (found, missing): (Int, MappingStatus.Reasons) =
      switch evidence.status {
      case .notAvailable: (SW_MAPPING_NOT_AVAILABLE, [])
      case .limited(let reasons): (SW_MAPPING_LIMITED, reasons)
      case .extending: (SW_MAPPING_EXTENDING, [])
      case .mapped: (SW_MAPPING_MAPPED, [])
      }
    status?.pointee = UInt32(found)
    lacks?.pointee = UInt32(missing.rawValue)
    progress?.pointee = evidence.progress
  }
}

/// Copies points out of a map.
@c @implementation
public func sw_map_copy_points(
  _ map: OpaquePointer?, _ first: Int, _ count: Int, _ positions: UnsafeMutablePointer<Float>?,
  _ identifiers: UnsafeMutablePointer<UInt64>?
) -> sw_status {
  attempt {
    let cloud = try object(map, as: MapBox.self).map.cloud
    // A size_t above Int.max arrives as a negative number.
    guard first >= 0, count >= 0, first <= cloud.count, count <= cloud.count - first else {
      throw Failure.argument("the map has \(cloud.count) points")
    }
    for index in 0..<count {
      let position = cloud.positions[first + index]
      for axis in 0..<3 { positions?[3 * index + axis] = position[axis] }
      identifiers?[index] = cloud.identifiers[first + index]
    }
  }
}

/// Gives a map back.
@c @implementation
public func sw_map_destroy(_ map: OpaquePointer?) { drop(map, as: MapBox.self) }

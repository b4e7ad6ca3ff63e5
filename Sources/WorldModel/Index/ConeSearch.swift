/// The cone of everything that a camera shows within a disc on its picture.
struct ConeSearch {
  private let origin: SIMD3<Float>
  /// The columns of the matrix that gives how far right and above the axis of the cone a point is, and how far ahead.
  private let columns: (SIMD4<Float>, SIMD4<Float>, SIMD4<Float>)
  /// The radius of the cone for each metre ahead.
  private let spread: Float
  /// Moving a point by a metre changes by at most this how far it is outside the cone.
  private let stretch: Float

  /// The cone around `screen` with a radius in picture heights.
  init(_ screen: SIMD2<Float>, radius: Float, through camera: PinholeCamera) {
    let slope = camera.slope(through: screen)
    let (x, y, z) = camera.pose.axes
    let (right, up) = (x + z * slope.x, y + z * slope.y)
    columns = (
      SIMD4(right.x, up.x, -z.x, 0), SIMD4(right.y, up.y, -z.y, 0), SIMD4(right.z, up.z, -z.z, 0)
    )
    origin = camera.pose.translation
    spread = radius / camera.focalLength
    stretch = 1 + slope.length + spread
  }

  /// The smallest depth that a point of the sphere can have in the cone; nil when the sphere is outside.
  @inline(__always)
  func nearest(_ sphere: SIMD4<Float>) -> Float? {
    let local = local(sphere.xyz)
    let reach = spread * local.z + stretch * sphere.w
    guard local.z + sphere.w > 0, reach >= 0, local.x * local.x + local.y * local.y <= reach * reach else {
      return nil
    }
    return local.z - sphere.w
  }

  /// The depth of a point in the cone; nil outside.
  @inline(__always)
  func depth(_ point: SIMD3<Float>) -> Float? {
    let local = local(point)
    let reach = spread * local.z
    guard local.z > 0, local.x * local.x + local.y * local.y <= reach * reach else { return nil }
    return local.z
  }

  @inline(__always)
  private func local(_ point: SIMD3<Float>) -> SIMD4<Float> {
    let offset = point - origin
    return columns.0 * offset.x + columns.1 * offset.y + columns.2 * offset.z
  }
}

/// Finds, among points that come in any order, the first depth that has enough others close behind it.
struct NearestCluster {
  private let size: Int
  /// How many times the depth of its first point a cluster reaches back.
  private let reach: Float
  /// Points before the cluster, nearest first: too few and too far apart to be one.
  private var front: [(depth: Float, point: SIMD3<Float>)] = []
  private var members: [(depth: Float, point: SIMD3<Float>)] = []
  private var start = Float.infinity
  private var end = Float.infinity

  /// This many points determine a surface: the search for more of the same cluster ends.
  private static let enough = 256

  /// Points behind this depth no longer matter.
  var limit: Float { members.count < Self.enough ? end : start }

  init(size: Int, reach: Float) {
    self.size = size
    self.reach = reach
  }

  /// The points of the cluster; nil when there is none.
  var points: [SIMD3<Float>]? {
    start < .infinity ? members.filter { $0.depth <= end }.map(\.point) : nil
  }

  /// Takes a point into account.
  mutating func add(_ point: SIMD3<Float>, at depth: Float) {
    guard depth <= limit else { return }
    if depth < start {
      front.insert((depth, point), at: front.firstIndex { $0.depth > depth } ?? front.count)
    } else {
      members.append((depth, point))
      // A member may be what a point before the cluster lacked.
      guard let last = front.last, depth <= last.depth * reach else { return }
    }
    guard let first = front.indices.first(where: { isSupported(at: $0) }) else { return }
    start = front[first].depth
    end = start * reach
    members += front[first...]
    front.removeSubrange(first...)
  }

  /// Whether enough points follow the one at `index` of the front closely.
  private func isSupported(at index: Int) -> Bool {
    let limit = front[index].depth * reach
    var count = front[index...].count { $0.depth <= limit }
    // The count stops at the needed number, since a cluster may have thousands of members.
    for member in members {
      guard count < size else { break }
      if member.depth <= limit { count += 1 }
    }
    return count >= size
  }
}

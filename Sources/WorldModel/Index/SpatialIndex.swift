/// Answers "which points are near this?" without looking at all of them.
///
/// The points lie in Morton order in leaves of eight; a leaf is wrapped in a sphere, four spheres in a larger one, and
/// so on to the top: a bounding-volume hierarchy without pointers. Building is linear in the number of points. A
/// point that is not finite is in no answer. The index is a value of its own: it keeps a copy of the positions (16
/// bytes each) and does not follow later changes of the cloud.
public struct SpatialIndex: Sendable {
  private static let leafSize = 8
  private static let fanOut = 4

  /// The positions in Morton order.
  private let positions: [SIMD3<Float>]
  /// Where each of them stands in the cloud.
  private let indices: [UInt32]
  /// The spheres (centre, radius) of each level, leaves first; the last level has at most four.
  private let levels: [[SIMD4<Float>]]

  /// Builds the index of `positions` (metres), at most 2³² of them.
  public init(_ positions: [SIMD3<Float>]) {
    let bounds = BoundingBox(ignoringOutliersOf: positions) ?? BoundingBox(minimum: .zero, maximum: .zero)
    indices = MortonOrder.indices(of: positions, in: bounds)
    self.positions = indices.map { positions[Int($0)] }
    var boxes = Self.boxes(of: self.positions)
    var levels = [boxes.map(Self.sphere)]
    while boxes.count > Self.fanOut {
      boxes = Self.grouped(boxes)
      levels.append(boxes.map(Self.sphere))
    }
    self.levels = levels
  }

  /// The number of finite points.
  public var count: Int { positions.count }

  /// The indices in the cloud of all points at most `radius` metres from `center`, in no stated order but always the
  /// same.
  public func indices(within radius: Float, of center: SIMD3<Float>) -> [Int] {
    search { sphere in
      let reach = radius + sphere.w
      let offset = sphere.xyz - center
      return offset.dot(offset) <= reach * reach
    } point: { position in
      let offset = position - center
      return offset.dot(offset) <= radius * radius
    }
  }

  /// The indices in the cloud of all points that `camera` shows at most `radius` picture heights from `screen`.
  ///
  /// Only points ahead of the camera count; the order is not stated but always the same.
  public func indices(within radius: Float, of screen: SIMD2<Float>, through camera: PinholeCamera) -> [Int] {
    let cone = ConeSearch(screen, radius: radius, through: camera)
    return search {
      cone.nearest($0) != nil
    } point: {
      cone.depth($0) != nil
    }
  }

  /// The nearest points in a cone that are at least `size` within a range of depths from d to `reach` times d.
  ///
  /// Spheres are visited about front to back, and none that begins behind the cluster found so far: what hides behind a
  /// wall costs nothing.
  func nearestCluster(of size: Int, reach: Float, in cone: ConeSearch) -> [SIMD3<Float>]? {
    var cluster = NearestCluster(size: size, reach: reach)
    var stack: [(level: Int, node: Int, depth: Float)] = []
    push(levels[levels.count - 1].indices, of: levels.count - 1, in: cone, onto: &stack)
    while let (level, node, depth) = stack.popLast() {
      guard depth <= cluster.limit else { continue }
      if level > 0 {
        let start = node * Self.fanOut
        push(start..<min(start + Self.fanOut, levels[level - 1].count), of: level - 1, in: cone, onto: &stack)
        continue
      }
      let start = node * Self.leafSize
      for slot in start..<min(start + Self.leafSize, positions.count) {
        if let depth = cone.depth(positions[slot]) { cluster.add(positions[slot], at: depth) }
      }
    }
    return cluster.points
  }

  /// Puts the spheres that touch the cone on the stack, the nearest on top.
  @inline(__always)
  private func push(
    _ nodes: Range<Int>, of level: Int, in cone: ConeSearch, onto stack: inout [(level: Int, node: Int, depth: Float)]
  ) {
    let bottom = stack.count
    for node in nodes {
      guard let depth = cone.nearest(levels[level][node]) else { continue }
      var place = stack.count
      stack.append((level, node, depth))
      while place > bottom, stack[place - 1].depth < depth {
        stack.swapAt(place, place - 1)
        place -= 1
      }
    }
  }

  /// Walks down from the top through every sphere that `node` accepts, to the points that `point` accepts.
  @inline(__always)
  private func search(node: (SIMD4<Float>) -> Bool, point: (SIMD3<Float>) -> Bool) -> [Int] {
    var found: [Int] = []
    var stack: [(level: Int, node: Int)] = []
    let top = levels.count - 1
    for index in levels[top].indices { stack.append((top, index)) }
    while let (level, index) = stack.popLast() {
      guard node(levels[level][index]) else { continue }
      if level == 0 {
        let start = index * Self.leafSize
        for slot in start..<min(start + Self.leafSize, positions.count) where point(positions[slot]) {
          found.append(Int(indices[slot]))
        }
      } else {
        let start = index * Self.fanOut
        for child in start..<min(start + Self.fanOut, levels[level - 1].count) { stack.append((level - 1, child)) }
      }
    }
    return found
  }
}

extension SpatialIndex {
  /// The boxes of the leaves.
  private static func boxes(of positions: [SIMD3<Float>]) -> [BoundingBox] {
    stride(from: 0, to: positions.count, by: leafSize).map { start in
      var box = BoundingBox(minimum: positions[start], maximum: positions[start])
      for slot in start..<min(start + leafSize, positions.count) {
        box.minimum = pointwiseMin(box.minimum, positions[slot])
        box.maximum = pointwiseMax(box.maximum, positions[slot])
      }
      return box
    }
  }

  /// The boxes one level up.
  private static func grouped(_ boxes: [BoundingBox]) -> [BoundingBox] {
    stride(from: 0, to: boxes.count, by: fanOut).map { start in
      var box = boxes[start]
      for child in start..<min(start + fanOut, boxes.count) {
        box.minimum = pointwiseMin(box.minimum, boxes[child].minimum)
        box.maximum = pointwiseMax(box.maximum, boxes[child].maximum)
      }
      return box
    }
  }

  /// The sphere around a box, a little too large so that rounding loses no point.
  private static func sphere(around box: BoundingBox) -> SIMD4<Float> {
    let center = box.center
    let size = pointwiseMax(center.magnitude, box.extent)
    return SIMD4(center, box.extent.length / 2 + size.max() * 1e-6)
  }
}

extension SIMD3<Float> {
  /// The absolute values.
  fileprivate var magnitude: Self { pointwiseMax(self, -self) }
}

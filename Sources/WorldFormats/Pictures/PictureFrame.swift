import WorldModel

/// Where the points of a map fall on its picture.
struct PictureFrame {
  /// The box that is shown (metres): the cloud without outliers, or the anchors when there is no cloud.
  let box: BoundingBox
  /// Points outside are left out (metres): ``box`` with a little room, without the ceiling.
  private let shown: BoundingBox
  /// How positions become pixels.
  let projection: Projection
  private let picture: MapPicture

  /// How positions become pixels.
  enum Projection {
    /// Pixels a metre, and what of the world is in the middle of the picture.
    case above(scale: Float, middle: SIMD2<Float>)
    /// A camera, and the depths between which points fade (metres).
    case perspective(PinholeCamera, depths: ClosedRange<Float>)
  }

  init(_ picture: MapPicture) {
    self.picture = picture
    let positions = picture.map.cloud.positions
    let candidates = [positions, picture.map.anchors.map(\.transform.translation)].lazy.compactMap {
      BoundingBox(ignoringOutliersOf: $0)
    }
    var box = candidates.first { $0.extent.length.isFinite } ?? BoundingBox(minimum: [-1, -1, -1], maximum: [1, 1, 1])
    // Something without size, such as a single point, is shown in a frame of 20 cm, far from the origin a larger one.
    let middle = box.center
    let smallest = pointwiseMax(pointwiseMax(middle, -middle) * 1e-5, SIMD3(repeating: 0.1))
    box.minimum = pointwiseMin(box.minimum, middle - smallest)
    box.maximum = pointwiseMax(box.maximum, middle + smallest)
    self.box = box
    let room = box.extent * 0.08
    var shown = BoundingBox(minimum: box.minimum - room, maximum: box.maximum + room)
    if picture.hidesCeiling, let cut = Self.ceiling(of: positions, in: box) { shown.maximum.y = cut }
    self.shown = shown
    projection = Self.projection(of: picture, box)
  }

  private static func projection(of picture: MapPicture, _ box: BoundingBox) -> Projection {
    let size = SIMD2(Float(picture.size.width), Float(picture.size.height))
    switch picture.view {
    case .above:
      let scale = min(size.x * 0.88 / box.extent.x, size.y * 0.84 / box.extent.z)
      return .above(scale: scale, middle: SIMD2(box.center.x, box.center.z))
    case .perspective(var camera):
      camera.aspectRatio = size.x / size.y
      let depths = box.corners.map { camera.local($0).z }
      let near = max(0.01, depths.min() ?? 0)
      return .perspective(camera, depths: near...max(near * 1.01, depths.max() ?? 0))
    }
  }

  /// Where a ceiling begins: a layer in the upper third that is much denser than what is below it; nil without one.
  private static func ceiling(of positions: [SIMD3<Float>], in box: BoundingBox) -> Float? {
    let layers = 40
    var counts = [Int](repeating: 0, count: layers)
    let scale = Float(layers) / box.extent.y
    for point in positions where box.contains(point) {
      counts[min(Int((point.y - box.minimum.y) * scale), layers - 1)] += 1
    }
    let total = counts.reduce(0, +)
    let median = counts.inOrder()[layers / 2]
    guard let top = counts.indices.suffix(layers / 3).max(by: { counts[$0] < counts[$1] }) else { return nil }
    guard total > 0, counts[top] > 3 * median, counts[top] * 25 > total else { return nil }
    // Two layers lower, so that the noise of the ceiling goes with it.
    return box.minimum.y + Float(top - 2) / scale
  }

  /// The pixel on which `point` falls, and its depth (smaller hides larger); nil outside what can be seen.
  @inline(__always)
  func place(_ point: SIMD3<Float>) -> (pixel: SIMD2<Float>, depth: Float)? {
    let size = SIMD2(Float(picture.size.width), Float(picture.size.height))
    let pixel: SIMD2<Float>
    let depth: Float
    switch projection {
    case .above(let scale, let middle):
      pixel = (SIMD2(point.x, point.z) - middle) * scale + size / 2
      depth = -point.y
    case .perspective(let camera, _):
      guard let screen = camera.project(point) else { return nil }
      pixel = screen * size
      depth = camera.local(point).z
    }
    // Far off the picture, and what is not a number, is nowhere.
    guard pixel.x.magnitude < 100_000, pixel.y.magnitude < 100_000, depth.isFinite else { return nil }
    return (pixel, depth)
  }

  /// All points of the cloud, plotted at `scale` times the size of the picture.
  func plotted(scale: Int) -> PointPlot {
    let (width, height) = picture.size
    var plot = PointPlot(width: width * scale, height: height * scale)
    let cloud = picture.map.cloud
    let colors = picture.coloring == .automatic ? cloud.channels.colors : nil
    let positions = cloud.positions
    let radius = dotRadius(count: positions.count) * Float(scale)
    for index in positions.indices {
      let point = positions[index]
      guard shown.contains(point), let (pixel, depth) = place(point) else { continue }
      var color = colors.map { Color(Float($0[index].x), Float($0[index].y), Float($0[index].z)) }
      if color == nil { color = heightColor(point.y) }
      guard let color else { continue }
      plot.dot(
        at: pixel * Float(scale), radius: radius * nearness(depth), depth: depth, color: faded(color, depth))
    }
    return plot
  }

  private func heightColor(_ height: Float) -> Color {
    let top = min(shown.maximum.y, box.maximum.y)
    let fraction = (height - box.minimum.y) / max(top - box.minimum.y, 1e-3)
    return PictureStyle.heights[Int((min(max(fraction, 0), 1) * 255).rounded())]
  }

  /// A radius at which the dots of this many points cover a good part of the picture (pixels).
  private func dotRadius(count: Int) -> Float {
    let area = Float(picture.size.width * picture.size.height)
    return min(max((area * 0.11 / Float(max(count, 1))).squareRoot(), 0.55), 3.2)
  }

  /// How much larger a dot is drawn because it is near.
  private func nearness(_ depth: Float) -> Float {
    guard case .perspective(_, let depths) = projection else { return 1 }
    return min(max((depths.lowerBound + depths.upperBound) / 2 / max(depth, 1e-3), 0.6), 2.2)
  }

  /// Fades far points towards the ground's colour.
  private func faded(_ color: Color, _ depth: Float) -> Color {
    guard case .perspective(_, let depths) = projection else { return color }
    let far = (depth - depths.lowerBound) / (depths.upperBound - depths.lowerBound)
    let fade = min(max(far, 0), 1) * 0.55
    return color + (PictureStyle.background - color) * fade
  }
}

extension PinholeCamera {
  /// The direction from what is framed to the camera when nothing else is said: from the front, right and above.
  public static let defaultDirection: SIMD3<Float> = [0.5, 0.75, 1]

  /// A camera that shows the whole of `bounds`, as large as fits with a margin of 5 % of the picture on each side.
  ///
  /// - Parameters:
  ///   - bounds: The box to frame (metres); one smaller than a centimetre is framed as a centimetre.
  ///   - direction: From the middle of the bounds to the camera; any length.
  ///   - focalLength: In picture heights.
  ///   - aspectRatio: Width over height.
  public static func framing(
    _ bounds: BoundingBox, from direction: SIMD3<Float> = defaultDirection, focalLength: Float = 1,
    aspectRatio: Float = 4 / 3
  ) -> PinholeCamera {
    let center = bounds.center
    let back = direction.unit ?? [0, 0, 1]
    var camera = PinholeCamera(
      eye: center + back, target: center, focalLength: focalLength, aspectRatio: aspectRatio)
    camera.pose.translation = center
    // A corner at (x, y, z ahead) is inside when f·|y| ≤ 0.45·(z + distance), and likewise for x and the width.
    let smallest = 0.005 * (focalLength / 0.45 + 1)
    let distance = bounds.corners.reduce(smallest) { distance, corner in
      let local = camera.local(corner)
      let size = max(local.y.magnitude, local.x.magnitude / aspectRatio)
      return max(distance, size * focalLength / 0.45 - local.z)
    }
    camera.pose.translation = center + back * distance
    return camera
  }

  /// A camera that shows the whole of `map`, ignoring outliers (see ``BoundingBox/init(ignoringOutliersOf:)``).
  ///
  /// A map without points is framed by its anchors, an empty map by a box of 2 m around the origin.
  public static func framing(
    _ map: WorldMap, from direction: SIMD3<Float> = defaultDirection, focalLength: Float = 1,
    aspectRatio: Float = 4 / 3
  ) -> PinholeCamera {
    let bounds =
      BoundingBox(ignoringOutliersOf: map.cloud.positions) ?? BoundingBox(
        containing: map.anchors.map(\.transform.translation))
      ?? BoundingBox(minimum: [-1, -1, -1], maximum: [1, 1, 1])
    return framing(bounds, from: direction, focalLength: focalLength, aspectRatio: aspectRatio)
  }
}

package import SharedWorld

/// A room seen from outside: it is cut open, so that the ceiling and the walls between the eye and the room are not in the
/// way of a tap either.
package enum OpenRoom {
  /// The part of the extent that is cut away on each side that the eye is beyond.
  private static let margin: Float = 0.07

  /// The box of what is seen; without end on the sides that stay.
  ///
  /// - Parameters:
  ///   - bounds: The box about the room's points (metres), as ``BoundingBox/init(ignoringOutliersOf:)`` gives it.
  ///   - eye: Where the camera is (metres).
  package static func box(of bounds: BoundingBox, seenFrom eye: SIMD3<Float>) -> BoundingBox {
    var box = BoundingBox(
      minimum: SIMD3(repeating: -.greatestFiniteMagnitude), maximum: SIMD3(repeating: .greatestFiniteMagnitude))
    for axis in 0..<3 {
      let cut = margin * bounds.extent[axis]
      if eye[axis] > bounds.maximum[axis] { box.maximum[axis] = bounds.maximum[axis] - cut }
      if eye[axis] < bounds.minimum[axis] { box.minimum[axis] = bounds.minimum[axis] + cut }
    }
    return box
  }
}

extension HitTest {
  /// A hit-test on the points and the plane anchors inside a box; nil is everything.
  package init(cloud: FeatureCloud, anchors: [Anchor], within box: BoundingBox?) {
    var shown = cloud
    if let box { shown = cloud.selecting(cloud.indices.filter { box.contains(cloud.positions[$0]) }) }
    let planes = anchors.compactMap { anchor -> Surface? in
      guard let plane = Plane(anchor), box?.contains(plane.transform.translation) ?? true else { return nil }
      return Surface(plane, anchor: anchor.id)
    }
    self.init(cloud: shown, planes: planes)
  }
}

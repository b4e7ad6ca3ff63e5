import Glibc
package import SharedWorld

extension Transform {
  /// An upright placement, turned about y (degrees).
  package init(position: SIMD3<Float>, heading: Float) {
    let angle = heading * .pi / 180
    self.init(
      x: [cosf(angle), 0, -sinf(angle)], y: [0, 1, 0], z: [sinf(angle), 0, cosf(angle)], translation: position)
  }
}

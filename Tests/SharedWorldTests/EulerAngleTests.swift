import Foundation
import SharedWorld
import Testing

@Suite("Euler angles")
struct EulerAngleTests {
  private static func turn(_ angle: Float, about axis: SIMD3<Float>) throws -> Transform {
    try #require(Transform(quaternion: SIMD4(axis * sin(angle / 2), cos(angle / 2))))
  }

  @Test(
    "roll, then pitch, then yaw",
    arguments: [
      [0, 0, 0], [0.3, 0, 0], [0, -2.5, 0], [0, 0, 3], [0.4, 1.2, -0.7], [-1.5, 3, -3], [1.5, -0.1, 0.1],
      [.pi / 2, 1, 0], [-.pi / 2, -2, 0],
    ] as [SIMD3<Float>])
  func angles(angles: SIMD3<Float>) throws {
    let rotation =
      try Self.turn(angles.y, about: [0, 1, 0]) * Self.turn(angles.x, about: [1, 0, 0])
      * Self.turn(angles.z, about: [0, 0, 1])
    let found = rotation.eulerAngles
    for index in 0..<3 { #expect((found[index] - angles[index]).magnitude < 2e-3, "\(found)") }
  }
}

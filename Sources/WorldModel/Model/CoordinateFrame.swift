/// How a system lays its axes, all right-handed and in metres; this package's own is ``world``.
public enum CoordinateFrame: Hashable, Sendable, CaseIterable {
  /// This package, ARKit and OpenGL's world: x right, y up, z towards the viewer; a camera looks along −z, its y up.
  case world
  /// ROS, after REP 103: x forward, y left, z up. Its bodies (and cameras' bodies) look along +x, their z up.
  case ros
  /// COLMAP and OpenCV, whose axes are a camera's: x right, y down, z forward; a camera looks along +z, its y down.
  case colmap
  /// Scans, maps and drawings: x right, y away from the viewer, z up. A camera looks along +y, its z up.
  case zUp

  /// The rotation that brings coordinates of this frame to those of ``world``.
  ///
  /// ROS's forward becomes −z, its left −x, its up y; COLMAP's right stays x, its down becomes −y, its forward −z;
  /// of a frame with z up, right stays x, away becomes −z, up y.
  public var toWorld: Transform {
    switch self {
    case .world: .identity
    case .ros: Transform(x: [0, 0, -1], y: [-1, 0, 0], z: [0, 1, 0], translation: .zero)
    case .colmap: Transform(x: [1, 0, 0], y: [0, -1, 0], z: [0, 0, -1], translation: .zero)
    case .zUp: Transform(x: [1, 0, 0], y: [0, 0, -1], z: [0, 1, 0], translation: .zero)
    }
  }

  /// A point of this frame in ``world`` (metres).
  public func pointToWorld(_ point: SIMD3<Float>) -> SIMD3<Float> { toWorld.act(on: point) }

  /// A point of ``world`` in this frame (metres).
  public func pointFromWorld(_ point: SIMD3<Float>) -> SIMD3<Float> { toWorld.inverse.act(on: point) }

  /// A pose of this frame in ``world``: the place and the body are both brought over.
  ///
  /// A body's own axes follow the same convention as its frame, so a camera that looks along this frame's forward
  /// looks along −z afterwards.
  public func poseToWorld(_ pose: Transform) -> Transform { toWorld * pose * toWorld.inverse }

  /// A pose of ``world`` in this frame; the inverse of ``poseToWorld(_:)``.
  public func poseFromWorld(_ pose: Transform) -> Transform { toWorld.inverse * pose * toWorld }

  /// The pose of a camera from what COLMAP's `images.txt` holds: the world-to-camera rotation and translation.
  ///
  /// - Parameters:
  ///   - rotation: The quaternion (x, y, z, w), w the real part. COLMAP writes w first.
  ///   - translation: COLMAP's translation vector (its units).
  /// - Returns: The camera-to-world pose in ``world``; nil when the quaternion is zero or not finite.
  public static func cameraPose(
    colmapRotation rotation: SIMD4<Float>, translation: SIMD3<Float>
  ) -> Transform? {
    guard let worldToCamera = Transform(quaternion: rotation, translation: translation) else { return nil }
    return colmap.poseToWorld(worldToCamera.inverse)
  }
}

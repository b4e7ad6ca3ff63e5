/// A camera without lens distortion: a pose, a focal length and the shape of its picture.
///
/// The world is right-handed, y up, in metres. The pose is column-major as every ``Transform``: its x axis points
/// right in the picture, y up, and the camera looks along its −z axis. A screen point is normalised: (0, 0) is the
/// top left corner of the picture, (1, 1) the bottom right, (0.5, 0.5) the principal point. The focal length is
/// counted in heights of the picture: f = 1 / (2 tan(v / 2)) for a vertical field of view v, so 1 means 53.1°, 0.866
/// means 60°.
public struct PinholeCamera: Hashable, Sendable {
  /// Where the camera is and how it is turned; must be rigid.
  public var pose: Transform
  /// The focal length in picture heights; greater than zero.
  public var focalLength: Float
  /// The width of the picture over its height; greater than zero.
  public var aspectRatio: Float

  /// A camera from its pose.
  public init(pose: Transform = .identity, focalLength: Float = 1, aspectRatio: Float = 4 / 3) {
    self.pose = pose
    self.focalLength = focalLength
    self.aspectRatio = aspectRatio
  }

  /// A camera at `eye` that looks at `target`, with the world's y axis up in its picture.
  ///
  /// Looking straight up or down, where that says nothing, the top of the picture points to −z (down) or z (up).
  /// Without a direction (`eye` equals `target`) it looks along −z.
  public init(eye: SIMD3<Float>, target: SIMD3<Float>, focalLength: Float = 1, aspectRatio: Float = 4 / 3) {
    let forward = (target - eye).unit ?? [0, 0, -1]
    let right = forward.cross([0, 1, 0])
    // Within 0.1 mrad of the vertical the direction of `right` would be noise.
    let x = right.length > 1e-4 ? right / right.length : [1, 0, 0]
    let up = x.cross(forward)
    let pose = Transform(columns: (SIMD4(x, 0), SIMD4(up, 0), SIMD4(-forward, 0), SIMD4(eye, 1)))
    self.init(pose: pose, focalLength: focalLength, aspectRatio: aspectRatio)
  }

  /// The ray from the camera's position through a normalised screen point; points outside 0…1 are just off the picture.
  public func ray(through screen: SIMD2<Float>) -> Ray {
    let slope = slope(through: screen)
    let direction = pose.columns.0.xyz * slope.x + pose.columns.1.xyz * slope.y - pose.columns.2.xyz
    return Ray(origin: pose.translation, direction: direction)
  }

  /// The normalised screen point where `point` (metres, world frame) appears; nil when it is not in front of the
  /// camera.
  public func project(_ point: SIMD3<Float>) -> SIMD2<Float>? {
    let local = local(point)
    guard local.z > 0 else { return nil }
    let screen = SIMD2(
      0.5 + focalLength / aspectRatio * (local.x / local.z), 0.5 - focalLength * (local.y / local.z))
    return screen.x.isFinite && screen.y.isFinite ? screen : nil
  }

  /// How far right and up the ray through `screen` goes for each metre ahead.
  func slope(through screen: SIMD2<Float>) -> SIMD2<Float> {
    SIMD2((screen.x - 0.5) * aspectRatio / focalLength, (0.5 - screen.y) / focalLength)
  }

  /// How far `point` is to the right, above and ahead of the camera (metres).
  @inline(__always)
  package func local(_ point: SIMD3<Float>) -> SIMD3<Float> {
    let (x, y, z, origin) = pose.columns
    let offset = SIMD3(point.x - origin.x, point.y - origin.y, point.z - origin.z)
    return SIMD3(
      offset.x * x.x + offset.y * x.y + offset.z * x.z, offset.x * y.x + offset.y * y.y + offset.z * y.z,
      -(offset.x * z.x + offset.y * z.y + offset.z * z.z))
  }
}

/// A picture from which a device mapped the place: the camera's pose and its lens, without the pixels.
public struct Keyframe: Hashable, Sendable {
  /// The device's mapping session that took the picture; a map that was extended has several.
  public var session: UInt64
  /// The number of the picture in its session.
  public var number: UInt64
  /// The device's number of the camera; equal numbers mean the same camera.
  public var camera: UInt64
  /// When it was taken, by the device's clock (seconds since an unknown start).
  public var time: Double
  /// The pose of the camera, which looks along −z, its y up in the picture.
  public var pose: Transform
  /// The lens through which it was taken.
  public var lens: Lens

  /// A picture; it is checked when its map is encoded.
  public init(session: UInt64, number: UInt64, camera: UInt64, time: Double, pose: Transform, lens: Lens) {
    self.session = session
    self.number = number
    self.camera = camera
    self.time = time
    self.pose = pose
    self.lens = lens
  }

  /// How a camera maps rays to pixels.
  ///
  /// A ray (x, y) at depth 1, x right and y down, with r² = x² + y², meets the picture at centre + focal length × (x, y) × s.
  public struct Lens: Hashable, Sendable {
    /// The factor s by which the lens distorts.
    @nonexhaustive
    public enum Model: UInt8, Hashable, Sendable, CaseIterable {
      /// s = 1 + k1 r² + k2 r⁴ (D. C. Brown, 1966, without the tangential terms).
      case pinhole = 1
      /// s = θ (1 + k1 θ² + k2 θ⁴ + k3 θ⁶ + k4 θ⁸) / r with θ = atan r (J. Kannala and S. Brandt, 2006).
      case fisheye = 2
    }

    /// The law of the distortion.
    public var model: Model
    /// The focal length along x and y (pixels, above 0).
    public var focalLength: SIMD2<Double>
    /// Where the optical axis meets the picture (pixels from its upper left).
    public var center: SIMD2<Double>
    /// The coefficients k1 to k4; a pinhole has two.
    public var distortion: SIMD4<Double>

    /// A lens; it is checked with its keyframe.
    public init(model: Model, focalLength: SIMD2<Double>, center: SIMD2<Double>, distortion: SIMD4<Double> = .zero) {
      self.model = model
      self.focalLength = focalLength
      self.center = center
      self.distortion = distortion
    }
  }

  /// Refuses a pose that is not rigid, and numbers that are not finite or, of a focal length, not above 0.
  func validate() throws(ModelError) {
    try pose.validate()
    guard time.isFinite else { throw .notFinite("time of a keyframe") }
    let numbers = [lens.focalLength, lens.center, lens.distortion.lowHalf, lens.distortion.highHalf]
    guard numbers.allSatisfy({ $0.x.isFinite && $0.y.isFinite }) else { throw .notFinite("lens") }
    guard lens.focalLength.x > 0, lens.focalLength.y > 0 else { throw .outOfRange(field: "focal length") }
  }
}

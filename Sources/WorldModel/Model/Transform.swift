/// A placement in the world: a 4×4 matrix of Float, column-major, metres, right-handed, y up.
///
/// Columns 0–2 are the local x, y and z axes in world coordinates, column 3 the position. A camera looks along its −z.
public struct Transform: Hashable, Sendable {
  /// The four columns.
  public var columns: (SIMD4<Float>, SIMD4<Float>, SIMD4<Float>, SIMD4<Float>) {
    get { (x, y, z, w) }
    set { (x, y, z, w) = newValue }
  }

  private var x: SIMD4<Float>
  private var y: SIMD4<Float>
  private var z: SIMD4<Float>
  private var w: SIMD4<Float>

  /// A matrix from its columns.
  public init(columns: (SIMD4<Float>, SIMD4<Float>, SIMD4<Float>, SIMD4<Float>)) {
    (x, y, z, w) = columns
  }

  /// A pure translation (metres).
  public init(translation: SIMD3<Float>) {
    // Not by literals of arrays, which are made before they become vectors.
    self.init(
      columns: (SIMD4(1, 0, 0, 0), SIMD4(0, 1, 0, 0), SIMD4(0, 0, 1, 0), SIMD4(translation, 1)))
  }

  /// The placement that changes nothing.
  public static let identity = Transform(translation: .zero)

  /// The position: column 3 without its last component (metres).
  public var translation: SIMD3<Float> {
    get { SIMD3(w.x, w.y, w.z) }
    set { w = SIMD4(newValue, w.w) }
  }
}

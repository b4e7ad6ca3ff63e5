/// The place in the frame of a file that is (0, 0, 0) of the cloud that was read from it (metres).
///
/// It is no vector: one of three `Double`s is aligned to 32 bytes, for which the memory of a task is not made.
public struct CloudOrigin: Hashable, Sendable {
  /// The coordinates.
  public var x, y, z: Double

  /// An origin.
  public init(x: Double, y: Double, z: Double) { (self.x, self.y, self.z) = (x, y, z) }

  /// The origin of the file itself.
  public static let zero = CloudOrigin(x: 0, y: 0, z: 0)

  /// The three coordinates.
  package var coordinates: [Double] { [x, y, z] }
}

/// The named limits of a world; all are checked before memory is reserved.
public enum Limits {
  /// Bytes of UTF-8 in an anchor's name.
  public static let anchorName = 256
  /// Bytes of UTF-8 in a payload's content type.
  public static let contentType = 127
  /// Bytes in an anchor's payload.
  public static let anchorPayload = 64 * 1024
  /// Anchors in a world.
  public static let anchors = 65_536
  /// Bytes of UTF-8 in the name of a reference image, object or mesh.
  public static let referenceName = 256
  /// Corners of a plane's boundary polygon.
  public static let planeBoundary = 256
  /// Bytes of an encoded map.
  public static let map = 512 * 1024 * 1024
  /// Points of a cloud.
  public static let points = 32 * 1024 * 1024
  /// Keyframes of a map.
  public static let keyframes = 65_536
  /// Bytes of one point's descriptor.
  public static let descriptor = 512
  /// Bytes of a cloud's planes of memory once decoded.
  public static let cloud = 2 * 1024 * 1024 * 1024
}

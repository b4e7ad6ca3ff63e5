public import WorldModel

/// Reads the archive in which an iPhone or iPad saves an `ARWorldMap`: the bytes of `NSKeyedArchiver`, such as a file
/// `room.arexperience`.
///
/// Anchors come with identifier, name, transform and kind; one of an app's own class becomes a plain anchor whose payload
/// keeps the name of the class (``ARKitAnchor``). Feature points come in the world frame with their evidence, and the
/// pictures they were seen in as keyframes. A point is left out when a sighting lies more than ``worstResidual`` from
/// where it should be. The descriptors are those of the first sighting of each point, of the kind
/// ``descriptorKind``; only ARKit's own detector makes such ones.
///
/// Two layouts of the points are known: those of archive version 1 (published 2019) and 2 (2021). Of any other one the
/// anchors come, and ``unreadablePoints`` says why the points do not. Archives are never written: a device relocalises
/// only by tracking data that it recorded itself.
public struct ARKitArchive: Sendable {
  /// The map.
  public var map: WorldMap
  /// The version that the archive states; nil when it states none.
  public var version: Int?
  /// The descriptors of all sightings of the points, in the order of `map.cloud`; nil when it has no points.
  public var sightings: FeatureCloud.Sightings?
  /// How many points were left out because of their residuals.
  public var droppedPoints = 0
  /// Why the map has no points, as a sentence; nil when they were read.
  public var unreadablePoints: String?

  /// The largest archive worth reading (bytes): real ones have 0.2 to 2.5 million.
  public static let largestFile = 256 * 1024 * 1024
  /// The largest distance between a sighting and the image of its point for the point to be kept (pixels).
  public static let worstResidual: Float = 10
  /// The kind of the descriptors: 471 bits in 59 bytes, lowest bit first.
  public static let descriptorKind = "arkit-471"

  /// Whether a file begins as an archive does.
  static func begins(_ bytes: [UInt8]) -> Bool { bytes.starts(with: BinaryPropertyList.magic) }

  /// Reads an archive.
  ///
  /// - Parameter bytes: The whole file, at most ``largestFile``.
  /// - Throws: ``ARKitArchiveError`` when the archive is damaged, or an anchor in it is.
  public init(reading bytes: [UInt8]) throws(ARKitArchiveError) {
    guard bytes.count <= Self.largestFile else { throw .tooLarge(limit: Self.largestFile) }
    var archive = try KeyedArchive(try BinaryPropertyList(bytes))
    guard let root = try archive.object(ofClass: "ARWorldMap") else { throw .noWorldMap }
    if case .integer(let version) = try archive.value("version", of: root) { self.version = Int(exactly: version) }
    map = WorldMap(anchors: try ArchivedAnchors.read(from: root, &archive))
    let origin = try archive.transform("referenceOriginTransform", of: root) { .malformedArchive($0) }
    let blob = try archive.value("trackingData", of: root)
    do throws(UnreadablePoints) {
      guard let origin else { throw UnreadablePoints("the archive has no referenceOriginTransform") }
      guard case .data(let range) = blob else { throw UnreadablePoints("the archive has no trackingData") }
      let survey = try TrackingData(reading: bytes, range, archiveVersion: version).survey(from: origin)
      map.cloud = survey.cloud
      sightings = survey.sightings
      map.keyframes = survey.keyframes
      map.views = UInt32(survey.keyframes.count)
      droppedPoints = survey.dropped
    } catch {
      unreadablePoints = "points unreadable: \(error.reason)"
    }
  }
}

/// Why the points of an archive cannot be read.
struct UnreadablePoints: Error {
  let reason: String

  init(_ reason: String) { self.reason = reason }
}

/// The payload of an anchor whose class in ARKit has no kind of its own here: JSON, for `Anchor.decodePayload(_:)`.
public struct ARKitAnchor: Hashable, Sendable, Codable {
  /// The name of its class in the app that saved the archive.
  public var `class`: String
  /// The size of an environment probe (metres); nil for one without an end, and for other anchors.
  public var extent: [Float]?
}

extension KeyedArchive {
  /// How far an axis of a transform may be from unit length, and two axes from a right angle.
  private static let rigidTolerance: Float = 0.01
  /// The largest coordinate (metres).
  static let farthest: Float = 100_000

  /// The little-endian numbers of a value of data; nil when it has another length.
  func floats(_ value: Value, count: Int) -> [Float]? {
    guard case .data(let range) = value, range.count == 4 * count else { return nil }
    return floats(range)
  }

  /// All whole little-endian numbers of a range of bytes.
  func floats(_ range: Range<Int>) -> [Float] {
    let bytes = self.bytes(range)
    return stride(from: range.lowerBound, to: range.lowerBound + range.count / 4 * 4, by: 4).map { place -> Float in
      var bits: UInt32 = 0
      for byte in 0..<4 { bits |= UInt32(bytes[place + byte]) << UInt32(8 * byte) }
      return Float(bitPattern: bits)
    }
  }

  /// The transform under a key, its axes made exactly rigid where they are a little off; nil when there is none.
  func transform(
    _ key: String, of object: Object, fault: (String) -> ARKitArchiveError
  ) throws(ARKitArchiveError) -> Transform? {
    let value = try value(key, of: object)
    if case .null = value { return nil }
    guard let m = floats(value, count: 16) else { throw fault("its \(key) is not 16 numbers") }
    guard m.allSatisfy({ $0.magnitude <= Self.farthest }) else {
      throw fault("its \(key) is not finite or too far away")
    }
    let lastRow: [Float] = [m[3], m[7], m[11], m[15] - 1]
    guard lastRow.allSatisfy({ $0.magnitude <= 0.001 }) else {
      throw fault("the last row of its \(key) is not 0 0 0 1")
    }
    let axes: [SIMD3<Float>] = [[m[0], m[1], m[2]], [m[4], m[5], m[6]], [m[8], m[9], m[10]]]
    let transform = Transform(x: axes[0], y: axes[1], z: axes[2], translation: [m[12], m[13], m[14]])
    if transform.isRigid { return transform }
    let products = (0..<3).flatMap { row in
      (0..<3).map { column in (axes[row] * axes[column]).sum() - (row == column ? 1 : 0) }
    }
    guard products.allSatisfy({ $0.magnitude <= Self.rigidTolerance }), let rigid = transform.orthonormalized() else {
      throw fault("its \(key) is not a rotation and a shift")
    }
    return rigid
  }
}

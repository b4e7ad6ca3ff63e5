import Basics

extension FeatureCloud {
  /// Optional data of each point beside position and identifier; every present channel has one element a point.
  public struct Channels: Hashable, Sendable {
    /// How sure the point is, 0 (a guess) to 1.
    public var confidence: [Float]?
    /// Red, green and blue, 0–255, sRGB.
    public var colors: [SIMD3<UInt8>]?
    /// The direction the surface faces; meant to be of length 1, kept as it is.
    public var normals: [SIMD3<Float>]?
    /// The appearance of the point, for matching.
    public var descriptors: Descriptors?
    /// How a device measured the point.
    public var evidence: [FeatureEvidence]?

    /// The channels of a cloud.
    public init(
      confidence: [Float]? = nil, colors: [SIMD3<UInt8>]? = nil, normals: [SIMD3<Float>]? = nil,
      descriptors: Descriptors? = nil, evidence: [FeatureEvidence]? = nil
    ) {
      self.confidence = confidence
      self.colors = colors
      self.normals = normals
      self.descriptors = descriptors
      self.evidence = evidence
    }

    /// Whether no channel is there.
    public var isEmpty: Bool { self == Channels() }

    /// Makes room for the elements of `count` points: what grows bit by bit is copied, and takes twice its room meanwhile.
    mutating func reserveCapacity(_ count: Int) {
      confidence?.reserveCapacity(count)
      colors?.reserveCapacity(count)
      normals?.reserveCapacity(count)
      if let size = descriptors?.size { descriptors?.bytes.reserveCapacity(count * size) }
      evidence?.reserveCapacity(count)
    }

    /// Appends the elements of other points, which have the same channels.
    mutating func append(_ other: Channels) {
      confidence?.append(contentsOf: other.confidence ?? [])
      colors?.append(contentsOf: other.colors ?? [])
      normals?.append(contentsOf: other.normals ?? [])
      descriptors?.bytes.append(contentsOf: other.descriptors?.bytes ?? [])
      evidence?.append(contentsOf: other.evidence ?? [])
    }
  }

  /// Fixed-size binary descriptors, one a point, in one run of bytes.
  public struct Descriptors: Hashable, Sendable {
    /// How the descriptors were computed, such as `orb`: UTF-8, 1 to ``Limits/contentType`` bytes.
    public var kind: String
    /// Bytes a descriptor, 1 to ``Limits/descriptor``; ORB has 32.
    public var size: Int
    /// The descriptors one after the other.
    public var bytes: [UInt8]

    /// Descriptors; they are checked with their cloud.
    public init(kind: String, size: Int, bytes: [UInt8]) {
      self.kind = kind
      self.size = size
      self.bytes = bytes
    }

    /// The descriptor of the point at `index`.
    public subscript(index: Int) -> ArraySlice<UInt8> { bytes[(index * size)..<((index + 1) * size)] }
  }

  /// Refuses a cloud with a position, confidence or normal that is not finite, a confidence outside 0…1, a channel of
  /// the wrong length, more points than ``Limits/points``, or more bytes than ``Limits/cloud``.
  ///
  /// That no identifier occurs twice is checked when the cloud is sorted, since that is when it costs nothing.
  public func validate() throws(ModelError) {
    try validateButPositions()
    guard positions.allAreFinite else { throw .notFinite("position") }
  }

  func validateButPositions() throws(ModelError) {
    try Self.validate(count: count, bytesPerPoint: bytesPerPoint)
    try channels.validate(count: count)
  }

  /// Refuses more points than ``Limits/points``, and more bytes than ``Limits/cloud``.
  static func validate(count: Int, bytesPerPoint: Int) throws(ModelError) {
    guard count <= Limits.points else { throw .overLimit(field: "points", limit: Limits.points) }
    guard count * bytesPerPoint <= Limits.cloud else { throw .overLimit(field: "cloud", limit: Limits.cloud) }
  }
}

extension FeatureCloud {
  /// All descriptors by which a device knows the points of a cloud: one for each sighting, several a point.
  ///
  /// A point looks different from other sides, so two clouds are matched better by all sightings than by the one descriptor
  /// that ``Channels/descriptors`` has room for. Files of this project do not keep them; archives of ARKit have them.
  public struct Sightings: Hashable, Sendable {
    /// The descriptors of the first point, then those of the second, and so on.
    public var descriptors: Descriptors
    /// How many of them each point has, in the order of the cloud.
    public var counts: [UInt32]

    /// The sightings of a cloud with `counts.count` points.
    public init(descriptors: Descriptors, counts: [UInt32]) {
      self.descriptors = descriptors
      self.counts = counts
    }
  }
}

extension FeatureCloud.Channels {
  package func validate(count: Int) throws(ModelError) {
    if let confidence {
      guard confidence.count == count else { throw .unevenChannel("confidence") }
      guard confidence.allSatisfy({ $0 >= 0 && $0 <= 1 }) else { throw .outOfRange(field: "confidence") }
    }
    if let colors, colors.count != count { throw .unevenChannel("colors") }
    if let normals {
      guard normals.count == count else { throw .unevenChannel("normals") }
      guard normals.allAreFinite else { throw .notFinite("normal") }
    }
    if let descriptors { try descriptors.validate(count: count) }
    if let evidence {
      guard evidence.count == count else { throw .unevenChannel("evidence") }
      for row in evidence { try row.validate() }
    }
  }
}

extension FeatureCloud.Descriptors {
  fileprivate func validate(count: Int) throws(ModelError) {
    guard !kind.isEmpty else { throw .empty(field: "descriptor kind") }
    guard kind.utf8.count <= Limits.contentType else {
      throw .overLimit(field: "descriptor kind", limit: Limits.contentType)
    }
    guard PlainText.allows(kind) else { throw .controlCharacters(field: "descriptor kind") }
    guard size >= 1 else { throw .empty(field: "descriptor") }
    guard size <= Limits.descriptor else { throw .overLimit(field: "descriptor", limit: Limits.descriptor) }
    guard bytes.count == count * size else { throw .unevenChannel("descriptors") }
  }
}

extension [SIMD3<Float>] {
  /// Whether every component of every vector is finite.
  var allAreFinite: Bool {
    // A finite number times zero is zero; infinity and NaN times zero are NaN, and stay so in a sum.
    var sum = SIMD3<Float>.zero
    for vector in self { sum += vector * 0 }
    return sum.isFinite
  }
}

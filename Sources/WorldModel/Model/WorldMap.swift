/// The map of a place: anchors and a cloud of feature points in one frame.
///
/// The frame is right-handed with y up, lengths are metres. ``CoordinateFrame`` converts from others.
public struct WorldMap: Hashable, Sendable {
  /// The static anchors, in the order of their ids once encoded.
  public var anchors: [Anchor]
  /// The feature points, in the order of their identifiers once encoded.
  public var cloud: FeatureCloud
  /// How many camera views the cloud was built from; nil when that is not known.
  public var views: UInt32?
  /// The peer that shared the map in a session; nil of one that this device has made, or whose origin is not known.
  public var provider: PeerID?
  /// The pictures from which a device mapped the place, where they are known.
  public var keyframes: [Keyframe] = []
  /// Sections of a file that this version does not know; they are kept and written back as they were.
  public var unknownSections: [UnknownSection]

  /// A map; it is checked when it is encoded.
  public init(anchors: [Anchor] = [], cloud: FeatureCloud = FeatureCloud(), views: UInt32? = nil) {
    self.anchors = anchors
    self.cloud = cloud
    self.views = views
    unknownSections = []
  }

  /// A section of a file that this version does not know.
  public struct UnknownSection: Hashable, Sendable {
    /// Its four-character code, first character in the lowest byte.
    public var code: UInt32
    /// The codec field of its table entry.
    package var codec: UInt32
    /// The length it would have once decoded (bytes), as its table entry says.
    package var rawLength: UInt64
    /// How many of its first bytes the checksum of its table entry covers.
    package var coveredLength: Int
    /// Its stored bytes.
    public var bytes: [UInt8]

    /// A section; it is checked when the map is encoded.
    package init(code: UInt32, codec: UInt32, rawLength: UInt64, coveredLength: Int, bytes: [UInt8]) {
      self.code = code
      self.codec = codec
      self.rawLength = rawLength
      self.coveredLength = coveredLength
      self.bytes = bytes
    }
  }
}

extension WorldMap {
  /// The smallest box about the feature points; nil for an empty cloud.
  public var bounds: BoundingBox? { BoundingBox(containing: cloud.positions) }

  /// The middle of what people see as the whole of the cloud, its outliers ignored (metres); the origin for an empty cloud.
  ///
  /// ``BoundingBox/init(ignoringOutliersOf:)`` says how; ``bounds`` has the outliers too.
  public var center: SIMD3<Float> { BoundingBox(ignoringOutliersOf: cloud.positions)?.center ?? .zero }

  /// The size of the same along each axis (metres); zero for an empty cloud.
  public var extent: SIMD3<Float> { BoundingBox(ignoringOutliersOf: cloud.positions)?.extent ?? .zero }

  /// The size in memory that the format's figures call raw: 20 bytes a point, and its channels (bytes).
  package var rawSize: Int { cloud.count * cloud.bytesPerPoint }

  /// Refuses a map that breaks a limit, has an anchor id twice, or holds an anchor or cloud that is not valid.
  public func validate() throws(ModelError) {
    try validateButPositions()
    guard cloud.positions.allAreFinite else { throw .notFinite("position") }
  }

  /// The same without a pass over the positions, which the encoder looks at anyway.
  func validateButPositions() throws(ModelError) {
    guard anchors.count <= Limits.anchors else { throw .overLimit(field: "anchors", limit: Limits.anchors) }
    for anchor in anchors { try anchor.validate() }
    let ids = anchors.map(\.id).sorted()
    for (id, next) in zip(ids, ids.dropFirst()) where id == next { throw .duplicateAnchor(id) }
    guard keyframes.count <= Limits.keyframes else { throw .overLimit(field: "keyframes", limit: Limits.keyframes) }
    for keyframe in keyframes { try keyframe.validate() }
    let optional = [
      views != nil, provider != nil, !anchors.isEmpty, !keyframes.isEmpty, cloud.channels.evidence != nil,
    ]
    let sections = 1 + optional.count(where: \.self) + unknownSections.count
    guard sections <= Container.sectionLimit else { throw .overLimit(field: "sections", limit: Container.sectionLimit) }
    try cloud.validateButPositions()
  }
}

extension WorldMap {
  /// How well the place is mapped; see ``MappingEvidence`` for the rule.
  public var mappingStatus: MappingStatus { MappingEvidence(cloud, views: views).status }

  /// How far the map has come towards ``MappingStatus/mapped``, 0–1; see ``MappingEvidence/progress``.
  public var buildingProgress: Float { MappingEvidence(cloud, views: views).progress }
}

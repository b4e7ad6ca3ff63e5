/// A cloud of feature points, stored as planes of memory: one array of positions, one of identifiers, and one for each
/// channel.
///
/// The arrays are copied on write, and a ``FeaturePoint`` is made only when one is asked for: no allocation per point.
public struct FeatureCloud: Hashable, Sendable {
  /// The positions (metres, world frame).
  public private(set) var positions: [SIMD3<Float>] {
    didSet { lazyIndex = LazyIndex() }
  }
  /// The identifiers, one a point, unique within a cloud.
  public private(set) var identifiers: [UInt64]
  /// Optional data of each point.
  public internal(set) var channels: Channels
  private var lazyIndex = LazyIndex()

  /// A cloud from planes of equal length; it is checked when it is encoded.
  public init(positions: [SIMD3<Float>] = [], identifiers: [UInt64] = [], channels: Channels = Channels()) {
    precondition(positions.count == identifiers.count, "a cloud needs one identifier for each position")
    self.positions = positions
    self.identifiers = identifiers
    self.channels = channels
  }

  /// A cloud of `points`; a channel is kept when every point has it.
  public init(_ points: some Sequence<FeaturePoint>) {
    let points = Array(points)
    let confidence = points.compactMap(\.confidence)
    let colors = points.compactMap(\.color)
    let normals = points.compactMap(\.normal)
    let isWhole = { (count: Int) in count == points.count && count > 0 }
    self.init(
      positions: points.map(\.position), identifiers: points.map(\.identifier),
      channels: Channels(
        confidence: isWhole(confidence.count) ? confidence : nil, colors: isWhole(colors.count) ? colors : nil,
        normals: isWhole(normals.count) ? normals : nil))
  }
}

extension FeatureCloud: RandomAccessCollection {
  /// The first index.
  @inlinable public var startIndex: Int { 0 }
  /// The number of points.
  @inlinable public var endIndex: Int { positions.count }

  /// The point at `index`.
  @inlinable public subscript(index: Int) -> FeaturePoint {
    FeaturePoint(
      position: positions[index], identifier: identifiers[index], confidence: channels.confidence?[index],
      color: channels.colors?[index], normal: channels.normals?[index])
  }
}

extension FeatureCloud {
  /// The index that answers which points are near something: built when it is first asked for, on any thread, and
  /// kept for this cloud and its copies until their positions change.
  public var spatialIndex: SpatialIndex { lazyIndex.of(positions) }

  /// The points at `indices`, in that order, with their channels.
  public func selecting(_ indices: [Int]) -> FeatureCloud {
    var descriptors = channels.descriptors
    if let all = channels.descriptors {
      var bytes: [UInt8] = []
      bytes.reserveCapacity(indices.count * all.size)
      for index in indices { bytes.append(contentsOf: all[index]) }
      descriptors?.bytes = bytes
    }
    let channels = Channels(
      confidence: channels.confidence.map { plane in indices.map { plane[$0] } },
      colors: channels.colors.map { plane in indices.map { plane[$0] } },
      normals: channels.normals.map { plane in indices.map { plane[$0] } }, descriptors: descriptors,
      evidence: channels.evidence.map { plane in indices.map { plane[$0] } })
    return FeatureCloud(
      positions: indices.map { positions[$0] }, identifiers: indices.map { identifiers[$0] }, channels: channels)
  }

  /// Drops the points for which `shouldRemove` holds, in the memory that the cloud has; the others keep their order.
  package mutating func removeAll(where shouldRemove: (FeaturePoint) -> Bool) {
    var kept: [UInt32] = []
    kept.reserveCapacity(count)
    for index in indices where !shouldRemove(self[index]) { kept.append(UInt32(index)) }
    identifiers.keep(kept)
    positions.keep(kept)
    channels.confidence?.keep(kept)
    channels.colors?.keep(kept)
    channels.normals?.keep(kept)
    if let size = channels.descriptors?.size { channels.descriptors?.bytes.keep(kept, width: size) }
    channels.evidence?.keep(kept)
  }

  /// Gives up the planes of positions and identifiers, with `count` elements of any value; the cloud is empty then.
  mutating func takePlanes(count: Int) -> (positions: [SIMD3<Float>], identifiers: [UInt64]) {
    var (positions, identifiers) = (positions, identifiers)
    self = FeatureCloud()
    positions.resize(to: count)
    identifiers.resize(to: count)
    return (positions, identifiers)
  }

  /// Appends the points of a cloud with the same channels.
  package mutating func append(_ other: FeatureCloud) {
    positions += other.positions
    identifiers += other.identifiers
    channels.append(other.channels)
  }

  /// Whether the identifiers rise strictly: the canonical order, in which none occurs twice.
  public var isSorted: Bool {
    var wrong = 0
    identifiers.withUnsafeBufferPointer { plane in
      for index in 1..<Swift.max(plane.count, 1) where plane[index] <= plane[index - 1] { wrong += 1 }
    }
    return wrong == 0
  }

  /// The same points in the canonical order: by identifier, rising.
  ///
  /// - Throws: ``ModelError/duplicatePoint(_:)`` when two points share an identifier.
  public func sorted() throws(ModelError) -> FeatureCloud {
    var cloud = self
    try cloud.sort()
    return cloud
  }

  /// Brings the points into the canonical order, in the memory that they have.
  ///
  /// - Throws: ``ModelError/duplicatePoint(_:)`` when two points share an identifier.
  mutating func sort() throws(ModelError) {
    guard let order = try identifierOrder() else { return }
    identifiers.permute(by: order)
    positions.permute(by: order)
    channels.confidence?.permute(by: order)
    channels.colors?.permute(by: order)
    channels.normals?.permute(by: order)
    if let size = channels.descriptors?.size { channels.descriptors?.bytes.permute(by: order, width: size) }
    channels.evidence?.permute(by: order)
  }

  /// The storage indices in the order of the identifiers; nil when that is the storage order.
  ///
  /// - Throws: ``ModelError/duplicatePoint(_:)`` when two points share an identifier.
  func identifierOrder() throws(ModelError) -> [UInt32]? {
    if isSorted { return nil }
    var order = (0..<UInt32(count)).map(\.self)
    // Sorted runs, such as blocks or maps, are merged: the sort detects runs.
    identifiers.withUnsafeBufferPointer { identifiers in
      order.sort { identifiers[Int($0)] < identifiers[Int($1)] }
    }
    for (one, next) in zip(order, order.dropFirst()) where identifiers[Int(one)] == identifiers[Int(next)] {
      throw .duplicatePoint(identifiers[Int(one)])
    }
    return order
  }
}

/// One point of a ``FeatureCloud``.
public struct FeaturePoint: Hashable, Sendable {
  /// Where it is (metres, world frame).
  public var position: SIMD3<Float>
  /// Which it is, the same in every map that sees it again.
  public var identifier: UInt64
  /// How sure it is, 0 to 1, when that is known.
  public var confidence: Float?
  /// Its red, green and blue, 0–255, when they are known.
  public var color: SIMD3<UInt8>?
  /// The direction its surface faces, when that is known.
  public var normal: SIMD3<Float>?

  /// A point.
  @inlinable public init(
    position: SIMD3<Float>, identifier: UInt64, confidence: Float? = nil, color: SIMD3<UInt8>? = nil,
    normal: SIMD3<Float>? = nil
  ) {
    self.position = position
    self.identifier = identifier
    self.confidence = confidence
    self.color = color
    self.normal = normal
  }
}

extension Array where Element: BitwiseCopyable {
  /// Moves rows of `width` elements in place, so that row n is the one that stood at `order[n]`: a permutation of all.
  fileprivate mutating func permute(by order: [UInt32], width: Int = 1) {
    precondition(order.count * width == count, "a permutation of other rows")
    var rest = order
    var carried: [Element] = []
    withUnsafeMutableBufferPointer { rows in
      for start in rest.indices where rest[start] != start {
        // Along a cycle each row goes to the hole that the one before it left.
        carried.removeAll(keepingCapacity: true)
        carried += rows[(start * width)..<((start + 1) * width)]
        var hole = start
        while rest[hole] != start {
          let source = Int(rest[hole])
          for column in 0..<width { rows[hole * width + column] = rows[source * width + column] }
          rest[hole] = UInt32(hole)
          hole = source
        }
        for column in 0..<width { rows[hole * width + column] = carried[column] }
        rest[hole] = UInt32(hole)
      }
    }
  }

  /// Moves the rows of `width` elements at `places`, which rise, to the front and drops the others.
  fileprivate mutating func keep(_ places: [UInt32], width: Int = 1) {
    withUnsafeMutableBufferPointer { rows in
      for (row, place) in places.enumerated() where row != place {
        for column in 0..<width { rows[row * width + column] = rows[Int(place) * width + column] }
      }
    }
    removeLast(count - places.count * width)
  }

  /// Drops elements at the end, or replaces an array that is too small; the elements do not matter.
  fileprivate mutating func resize(to count: Int) {
    if count <= self.count {
      removeLast(self.count - count)
    } else {
      // Every bit pattern is an element, and the decoder overwrites each before it is read: filling the memory first
      // would cost as much as decoding.
      self = Array(unsafeUninitializedCapacity: count) { _, filled in filled = count }
    }
  }
}

/// A cloud of feature points, stored as planes of memory: one array of positions, one of identifiers.
public struct FeatureCloud: Hashable, Sendable {
  /// The positions (metres, world frame).
  public private(set) var positions: [SIMD3<Float>]
  /// The identifiers, one a point, unique within a cloud.
  public private(set) var identifiers: [UInt64]

  /// A cloud from two planes of equal length.
  public init(positions: [SIMD3<Float>] = [], identifiers: [UInt64] = []) {
    precondition(positions.count == identifiers.count, "a cloud needs one identifier for each position")
    self.positions = positions
    self.identifiers = identifiers
  }
}

extension FeatureCloud: RandomAccessCollection {
  /// The first index.
  public var startIndex: Int { 0 }
  /// The number of points.
  public var endIndex: Int { positions.count }

  /// The point at `index`.
  public subscript(index: Int) -> FeaturePoint {
    FeaturePoint(position: positions[index], identifier: identifiers[index])
  }
}

/// One point of a ``FeatureCloud``.
public struct FeaturePoint: Hashable, Sendable {
  /// Where it is (metres, world frame).
  public var position: SIMD3<Float>
  /// Which it is, the same in every map that sees it again.
  public var identifier: UInt64

  /// A point.
  public init(position: SIMD3<Float>, identifier: UInt64) {
    self.position = position
    self.identifier = identifier
  }
}

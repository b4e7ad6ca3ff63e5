/// How well a place is mapped: whether the map is worth sharing, and which evidence is missing.
@nonexhaustive
public enum MappingStatus: Hashable, Sendable {
  /// There is no feature point yet; nothing can be captured.
  case notAvailable
  /// Too little to relocalise; the reasons say which evidence is missing.
  case limited(Reasons)
  /// Enough to share, and still growing.
  case extending
  /// The place is well covered.
  case mapped

  /// The missing evidence.
  public struct Reasons: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt8

    /// The reasons with these bits.
    public init(rawValue: UInt8) {
      self.rawValue = rawValue
    }

    /// Too few cells of the place hold points.
    public static let coverage = Reasons(rawValue: 1)
    /// The covered cells hold too few points.
    public static let density = Reasons(rawValue: 2)
    /// It was seen from too few views.
    public static let views = Reasons(rawValue: 4)
  }

  /// Whether a map may be shared: at least ``extending``.
  public var allowsSharing: Bool { self == .extending || self == .mapped }
}

extension MappingStatus: CustomStringConvertible {
  /// Some words, such as `limited: too little coverage, too few views`.
  public var description: String {
    switch self {
    case .notAvailable: "not available"
    case .limited(let reasons): "limited: \(reasons)"
    case .extending: "extending"
    case .mapped: "mapped"
    }
  }
}

extension MappingStatus.Reasons: CustomStringConvertible {
  /// The reasons in words, with commas between them.
  public var description: String {
    let words: [(MappingStatus.Reasons, String)] = [
      (.coverage, "too little coverage"), (.density, "too few points"), (.views, "too few views"),
    ]
    return words.filter { contains($0.0) }.map(\.1).joined(separator: ", ")
  }
}

/// The measures that decide a ``MappingStatus``.
///
/// Space is cut into cubic cells of ``cellSize`` at multiples of it. A cell is covered when it holds at least
/// ``coveredCell`` points, so that single outliers, even kilometres away, count for nothing.
///
/// | status | covered cells | points a covered cell | views, when known |
/// |---|---|---|---|
/// | `extending` | ≥ 8 | ≥ 8 | ≥ 3 |
/// | `mapped` | ≥ 48 | ≥ 16 | ≥ 12 |
///
/// Below a bound of `extending` the status is `limited` with that column as the reason.
public struct MappingEvidence: Hashable, Sendable {
  /// The edge of a cell: half a metre, about an arm's reach.
  public static let cellSize: Float = 0.5
  /// The fewest points of a covered cell.
  public static let coveredCell = 4

  /// The number of feature points.
  public var points: Int
  /// The number of covered cells.
  public var coveredCells: Int
  /// The mean number of points of a covered cell.
  public var density: Float
  /// The number of camera views, when it is known.
  public var views: UInt32?

  /// The evidence of a cloud.
  public init(_ cloud: FeatureCloud, views: UInt32? = nil) {
    var cells = CoveredCells()
    while cells.beginTurn() { cells.add(cloud.positions) }
    self.init(points: cloud.count, cells, views: views)
  }

  /// The evidence of `points` points that lie in these cells.
  init(points: Int, _ cells: CoveredCells, views: UInt32?) {
    self.points = points
    coveredCells = cells.count
    density = cells.count == 0 ? 0 : Float(cells.points) / Float(cells.count)
    self.views = views
  }

  /// The status that the table of this type gives.
  public var status: MappingStatus {
    guard points > 0 else { return .notAvailable }
    let missing = reasons(cells: 8, density: 8, views: 3)
    guard missing.isEmpty else { return .limited(missing) }
    let (cells, density, views) = Self.mapped
    return reasons(cells: cells, density: density, views: views).isEmpty ? .mapped : .extending
  }

  /// How far the evidence has come towards ``MappingStatus/mapped``, 0–1: the least share of its bounds that is reached.
  ///
  /// It is 1 exactly of what is mapped. More points can lower it for a moment, where they open cells that hold few yet.
  public var progress: Float {
    let (cells, least, fewest) = Self.mapped
    let shares = [Float(coveredCells) / Float(cells), density / least, views.map { Float($0) / Float(fewest) } ?? 1]
    return min(1, shares.min() ?? 0)
  }

  /// The bounds of ``MappingStatus/mapped``.
  private static let mapped: (cells: Int, density: Float, views: UInt32) = (48, 16, 12)

  private func reasons(cells: Int, density least: Float, views fewest: UInt32) -> MappingStatus.Reasons {
    var missing: MappingStatus.Reasons = []
    if coveredCells < cells { missing.insert(.coverage) }
    if density < least { missing.insert(.density) }
    if let views, views < fewest { missing.insert(.views) }
    return missing
  }
}

extension SIMD3<Int32> {
  /// The whole part of each component, at the bounds of Int32 where it would not fit.
  package init(clamping vector: SIMD3<Float>) {
    // The largest Float below 2³¹.
    let most: Float = 2_147_483_520
    let bounded = vector.clamped(
      lowerBound: SIMD3<Float>(repeating: -most), upperBound: SIMD3<Float>(repeating: most))
    self.init(Int32(bounded.x), Int32(bounded.y), Int32(bounded.z))
  }
}

/// Counts the covered cells of a place in bounded memory: all positions are added once for each turn.
///
/// One turn is enough for a place of a million cells, a surface of a quarter of a square kilometre.
struct CoveredCells {
  /// The covered cells of the turns before.
  private(set) var count = 0
  /// The points in them.
  private(set) var points = 0
  private var tally: KeyTally

  /// - Parameter room: The most cells that are held at once.
  init(room: Int = KeyTally.room) {
    tally = KeyTally(room: room)
  }

  /// Begins a turn; returns false once every cell has been counted.
  mutating func beginTurn() -> Bool {
    for (_, points) in tally.finishStretch() where points >= MappingEvidence.coveredCell {
      count += 1
      self.points += points
    }
    return tally.beginStretch()
  }

  /// Adds points to the cells that have their turn.
  mutating func add(_ positions: [SIMD3<Float>]) {
    tally.add(
      positions.lazy.map { position in
        let cell = SIMD3<Int32>(clamping: (position / MappingEvidence.cellSize).rounded(.down))
        let bits = SIMD3<UInt32>(truncatingIfNeeded: cell)
        return UInt128(bits.x) << 64 | UInt128(UInt64(bits.y) << 32 | UInt64(bits.z))
      })
  }
}

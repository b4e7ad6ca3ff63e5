/// How well a place is mapped: whether the map is worth sharing, and which evidence is missing.
@nonexhaustive
public enum MappingStatus: Hashable, Sendable {
  /// There is no feature point yet; nothing can be captured.
  case notAvailable
  /// Too little to relocalise, in most cases; the reasons say which evidence is missing.
  case limited(Reasons)
  /// Enough to share: half of all scans of the place are accepted at least.
  case extending
  /// The place is well covered: 95 of 100 scans of it are accepted at least.
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

/// The measures that decide a ``MappingStatus``: a promise about the scans of others.
///
/// Another device finds its place in a map by the points of its scan that repeat those of the map, though hardly any is
/// the same. So *mapped* promises that of scans of the same part, which are as dense and have other points, 95 of 100 are
/// accepted by the shape of the cloud, with gravity known; *extending* promises one half. The bounds were set on made-up
/// rooms, parts of rooms, corridors, flats and yards, and hold for other ones of these (`trials gate`). Places that repeat
/// themselves, such as two equal rooms, keep no promise: a cloud does not tell that it has a twin.
///
/// Space is cut into cubic cells of half a metre at multiples of it. A cell is covered when it holds at least
/// four points, so that single outliers, even kilometres away, count for nothing. How sure a scan can be grows
/// with ``strength``; in a wide place it sees a part alone, which must be dense enough by itself.
///
/// | status | covered cells | points a covered cell | strength | views, when known |
/// |---|---|---|---|---|
/// | `extending` | ≥ 8 | ≥ 15 | ≥ 40,000 | ≥ 3 |
/// | `mapped` | ≥ 24 | ≥ 18 | ≥ 70,000 | ≥ 12 |
///
/// Below a bound of `extending` the status is `limited` with that column as the reason. Strength counts as coverage: it is
/// what more cells of that density would give.
///
/// Descriptors find a place in far fewer points, if the other device has comparable ones, which a map cannot know. So
/// 500 points with descriptors are `extending` whatever their cells; only their shape makes them `mapped`.
public struct MappingEvidence: Hashable, Sendable {
  /// The edge of a cell: half a metre, about an arm's reach.
  package static let cellSize: Float = 0.5
  /// The fewest points of a covered cell.
  static let coveredCell = 4
  /// The fewest points with descriptors that make a map worth sharing.
  ///
  /// Made-up sessions of so many points, one of ten of which both have, find each other; those of 200 mostly do not.
  static let describedPoints = 500

  /// The number of feature points.
  public var points: Int
  /// The number of covered cells.
  public var coveredCells: Int
  /// The mean number of points of a covered cell.
  public var density: Float
  /// The number of camera views, when it is known.
  public var views: UInt32?
  /// Whether the points have descriptors.
  public var hasDescriptors: Bool

  /// The evidence of a cloud.
  public init(_ cloud: FeatureCloud, views: UInt32? = nil) {
    var cells = CoveredCells()
    while cells.beginTurn() { cells.add(cloud.positions) }
    self.init(points: cloud.count, cells, views: views, hasDescriptors: cloud.channels.descriptors != nil)
  }

  /// The evidence of `points` points that lie in these cells.
  init(points: Int, _ cells: CoveredCells, views: UInt32?, hasDescriptors: Bool) {
    self.points = points
    coveredCells = cells.count
    density = cells.count == 0 ? 0 : Float(cells.points) / Float(cells.count)
    self.views = views
    self.hasDescriptors = hasDescriptors
  }

  /// The points in covered cells times ``density``.
  ///
  /// A scan is sure by how many standard deviations it repeats the map more than chance would: the share that is repeated
  /// grows with the density, and the deviation with the root of the number of cells. This is the square of both.
  public var strength: Float { Float(coveredCells) * density * density }

  /// The status that the table of this type gives.
  public var status: MappingStatus {
    guard points > 0 else { return .notAvailable }
    if missing(for: .mapped).isEmpty { return .mapped }
    var reasons = missing(for: .extending)
    if hasDescriptors, points >= Self.describedPoints { reasons.subtract([.coverage, .density]) }
    return reasons.isEmpty ? .extending : .limited(reasons)
  }

  /// How far the evidence has come towards ``MappingStatus/mapped``, 0–1: the least share of its bounds that is reached.
  ///
  /// Of ``strength``, which is a square, the root counts. It is 1 exactly of what is mapped. More points can lower it for a
  /// moment, where they open cells that hold few yet.
  public var progress: Float {
    let bounds = Bounds.mapped
    let shares = [
      Float(coveredCells) / Float(bounds.cells), density / bounds.density,
      (strength / bounds.strength).squareRoot(), views.map { Float($0) / Float(bounds.views) } ?? 1,
    ]
    return min(1, shares.min() ?? 0)
  }

  /// A row of the table.
  private struct Bounds {
    let cells: Int
    let density: Float
    let strength: Float
    let views: UInt32

    static let extending = Bounds(cells: 8, density: 15, strength: 40_000, views: 3)
    static let mapped = Bounds(cells: 24, density: 18, strength: 70_000, views: 12)
  }

  private func missing(for bounds: Bounds) -> MappingStatus.Reasons {
    var missing: MappingStatus.Reasons = []
    // Cells of the least density must be as many as give the strength, so that a sparse place lacks coverage too.
    let density = max(density, bounds.density)
    if coveredCells < bounds.cells || Float(coveredCells) * density * density < bounds.strength {
      missing.insert(.coverage)
    }
    if self.density < bounds.density { missing.insert(.density) }
    if let views, views < bounds.views { missing.insert(.views) }
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

import WorldModel

/// Collects the points of a file row by row into the planes of a cloud.
struct CloudRows {
  /// How many points were left out.
  private(set) var dropped = 0
  /// The place that was taken off each position, so that coordinates of a whole country keep their millimetres as `Float`.
  private(set) var origin = SIMD3<Double>.zero
  private var positions: [SIMD3<Float>] = []
  private var identifiers: [UInt64] = []
  /// How many lines or bytes each point that has an identifier stands behind the one before: half of what a place takes.
  private var steps: [UInt32] = []
  private var lastPlace = 0
  private var colors: [SIMD3<UInt8>] = []
  private var normals: [SIMD3<Float>] = []
  private var confidence: [Float] = []
  private let has: Set<CloudField>
  private let hasIdentifiers: Bool

  /// A builder for rows that have `fields`, with room for `capacity` points.
  init(_ fields: some Sequence<CloudField>, capacity: Int) {
    has = Set(fields)
    hasIdentifiers = has.contains(.identifier) || has.contains(.identifierLow)
    positions.reserveCapacity(capacity)
    identifiers.reserveCapacity(capacity)
    if hasIdentifiers { steps.reserveCapacity(capacity) }
    if hasColors { colors.reserveCapacity(capacity) }
    if hasNormals { normals.reserveCapacity(capacity) }
    if has.contains(.confidence) { confidence.reserveCapacity(capacity) }
  }

  /// How many rows there were.
  var rows: Int { positions.count + dropped }

  private var hasColors: Bool {
    has.contains(.packedColor) || (has.contains(.red) && has.contains(.green) && has.contains(.blue))
  }
  private var hasNormals: Bool { has.contains(.normalX) && has.contains(.normalY) && has.contains(.normalZ) }

  /// A point as it is read.
  struct Row {
    var position = SIMD3<Double>.zero
    var normal = SIMD3<Float>.zero
    var color = SIMD3<UInt8>.zero
    var confidence: Float = 0
    var identifier: UInt64 = 0

    /// Takes over the number of one column.
    @inline(__always)
    mutating func set(_ column: CloudColumn, _ number: CloudNumber) {
      switch column.field {
      case .x: position.x = number.real
      case .y: position.y = number.real
      case .z: position.z = number.real
      case .normalX: normal.x = Float(number.real)
      case .normalY: normal.y = Float(number.real)
      case .normalZ: normal.z = Float(number.real)
      case .red: color.x = Self.byte(number.real, column.scalar)
      case .green: color.y = Self.byte(number.real, column.scalar)
      case .blue: color.z = Self.byte(number.real, column.scalar)
      case .packedColor:
        color = SIMD3(truncatingIfNeeded: SIMD3(number.bits >> 16, number.bits >> 8, number.bits))
      case .confidence: confidence = Float(number.real)
      case .identifier: identifier = number.bits
      case .identifierLow: identifier |= number.bits & 0xffff_ffff
      case .identifierHigh: identifier |= number.bits << 32
      case .ignored: break
      }
    }

    /// A share of colour: 0–255 in integer columns, 0–1 in real ones.
    private static func byte(_ value: Double, _ scalar: CloudScalar) -> UInt8 {
      let scaled = scalar.isReal ? (value * 255).rounded() : value
      // A comparison with NaN is false, which leaves 0.
      return scaled >= 255 ? 255 : scaled > 0 ? UInt8(scaled) : 0
    }
  }

  /// Adds a point, or drops it when its position is not finite.
  ///
  /// - Parameters:
  ///   - row: The point.
  ///   - place: Its line, or where it begins (bytes), for errors: never less than that of the row before.
  @inline(__always)
  mutating func append(_ row: Row, at place: Int) {
    if positions.isEmpty { origin = Self.origin(of: row.position) }
    let position = SIMD3<Float>(row.position - origin)
    guard position.x.isFinite, position.y.isFinite, position.z.isFinite else {
      dropped += 1
      return
    }
    identifiers.append(hasIdentifiers ? row.identifier : UInt64(positions.count + dropped))
    if hasIdentifiers {
      steps.append(UInt32(clamping: place - lastPlace))
      lastPlace = place
    }
    positions.append(position)
    if hasColors { colors.append(row.color) }
    if hasNormals { normals.append(Self.direction(row.normal)) }
    if has.contains(.confidence) { confidence.append(row.confidence >= 0 ? min(row.confidence, 1) : 0) }
  }

  /// From where a `Float` knows no millimetre to where no place on Earth is (metres).
  private static let far = 16_384.0...1e8

  /// The origin of a file whose first point is at `position`: whole kilometres along each axis on which that is far.
  private static func origin(of position: SIMD3<Double>) -> SIMD3<Double> {
    var origin = SIMD3<Double>.zero
    for axis in 0..<3 where far.contains(abs(position[axis])) {
      origin[axis] = (position[axis] / 1000).rounded() * 1000
    }
    return origin
  }

  /// A normal as the model wants it: what has no direction becomes zero.
  private static func direction(_ normal: SIMD3<Float>) -> SIMD3<Float> { normal.isFinite ? normal : .zero }

  /// The cloud.
  ///
  /// - Parameter isText: Whether the places of the rows are lines, for errors.
  consuming func finish(isText: Bool) throws(PointCloudFileError) -> FeatureCloud {
    let channels = FeatureCloud.Channels(
      confidence: has.contains(.confidence) ? confidence : nil, colors: hasColors ? colors : nil,
      normals: hasNormals ? normals : nil)
    let cloud = FeatureCloud(positions: positions, identifiers: identifiers, channels: channels)
    do {
      return try cloud.sorted()
    } catch {
      guard case .duplicatePoint(let identifier) = error,
        let second = cloud.identifiers.indices.filter({ cloud.identifiers[$0] == identifier }).dropFirst().first
      else { return cloud }
      let place = steps[...second].reduce(0) { $0 + Int($1) }
      throw .duplicateIdentifier(identifier, at: isText ? .line(place) : .byte(place))
    }
  }
}

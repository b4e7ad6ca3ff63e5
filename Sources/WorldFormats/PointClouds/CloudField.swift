/// The meaning of a column of a point-cloud file.
enum CloudField: Equatable {
  case x, y, z
  case normalX, normalY, normalZ
  case red, green, blue
  /// Red, green and blue in the three lowest bytes of a 32-bit number, as the Point Cloud Library packs them.
  case packedColor
  case confidence
  case identifier
  /// The halves of an identifier, for formats without 64-bit numbers.
  case identifierLow, identifierHigh
  case ignored

  /// Whether it is all of an identifier or a half.
  var isIdentifier: Bool { self == .identifier || self == .identifierLow || self == .identifierHigh }

  /// The meaning of a column by the names that programs give it, and by its type: identifiers are whole numbers.
  init(named name: String, _ scalar: CloudScalar) {
    let field: CloudField =
      switch name.lowercased() {
      case "x": .x
      case "y": .y
      case "z": .z
      case "nx", "normal_x": .normalX
      case "ny", "normal_y": .normalY
      case "nz", "normal_z": .normalZ
      case "red", "diffuse_red", "r": .red
      case "green", "diffuse_green", "g": .green
      case "blue", "diffuse_blue", "b": .blue
      case "rgb", "rgba": .packedColor
      case "confidence": .confidence
      case "id", "identifier": .identifier
      case "id_low": .identifierLow
      case "id_high": .identifierHigh
      default: .ignored
      }
    self = field.isIdentifier && scalar.isReal ? .ignored : field
  }
}

/// The type of a column.
enum CloudScalar: Equatable {
  case int8, uint8, int16, uint16, int32, uint32, int64, uint64, float32, float64

  /// Its size (bytes).
  var size: Int {
    switch self {
    case .int8, .uint8: 1
    case .int16, .uint16: 2
    case .int32, .uint32, .float32: 4
    case .int64, .uint64, .float64: 8
    }
  }

  /// Whether it holds fractions.
  var isReal: Bool { self == .float32 || self == .float64 }
}

/// A column: what it means and how its numbers are stored.
struct CloudColumn: Equatable {
  var field: CloudField
  var scalar: CloudScalar
}

/// A number of a file: as a real number, and as bits for identifiers and packed colours.
struct CloudNumber {
  var real: Double
  var bits: UInt64
  /// Whether it was stored or written as a whole number, whose bits these are.
  var isWhole: Bool

  /// A stored number from its bytes, lowest first.
  @inline(__always)
  init(_ raw: UInt64, _ scalar: CloudScalar) {
    bits = raw
    isWhole = !scalar.isReal
    switch scalar {
    case .int8: real = Double(Int8(truncatingIfNeeded: raw))
    case .int16: real = Double(Int16(truncatingIfNeeded: raw))
    case .int32: real = Double(Int32(truncatingIfNeeded: raw))
    case .int64: real = Double(Int64(truncatingIfNeeded: raw))
    case .uint8, .uint16, .uint32, .uint64: real = Double(raw)
    case .float32: real = Double(Float(bitPattern: UInt32(truncatingIfNeeded: raw)))
    case .float64: real = Double(bitPattern: raw)
    }
  }

  /// A number written as text; nil when it is none.
  init?(_ text: some StringProtocol, _ scalar: CloudScalar) {
    if !scalar.isReal, let integer = UInt64(text) {
      (real, bits, isWhole) = (Double(integer), integer, true)
    } else if !scalar.isReal, let integer = Int64(text) {
      (real, bits, isWhole) = (Double(integer), UInt64(bitPattern: integer), true)
    } else {
      // Straight to single precision, so that what was printed from a Float comes back as it was.
      guard let value = Float(text) else { return nil }
      // Coordinates of a surveyor have more digits than that; CloudRows takes the kilometres off them.
      let exact = value.magnitude > 16_384 ? Double(text) : nil
      (real, bits, isWhole) = (exact ?? Double(value), UInt64(value.bitPattern), false)
    }
  }
}

import WorldModel

/// A cloud as a table of numbers, for the formats that are tables.
enum CloudTable {
  /// A column that is written.
  struct Column {
    var field: CloudField
    var scalar: CloudScalar
    var plyName: String
    var pcdName: String

    init(_ field: CloudField, _ scalar: CloudScalar, _ name: String, pcd: String? = nil) {
      self.field = field
      self.scalar = scalar
      plyName = name
      pcdName = pcd ?? name
    }
  }

  /// The columns that hold all of `cloud` but its descriptors.
  ///
  /// Identifiers are halved: neither format has 64-bit integers.
  static func columns(of cloud: FeatureCloud) -> [Column] {
    var columns = [Column(.x, .float32, "x"), Column(.y, .float32, "y"), Column(.z, .float32, "z")]
    if cloud.channels.normals != nil {
      columns.append(Column(.normalX, .float32, "nx", pcd: "normal_x"))
      columns.append(Column(.normalY, .float32, "ny", pcd: "normal_y"))
      columns.append(Column(.normalZ, .float32, "nz", pcd: "normal_z"))
    }
    if cloud.channels.colors != nil {
      columns.append(Column(.red, .uint8, "red"))
      columns.append(Column(.green, .uint8, "green"))
      columns.append(Column(.blue, .uint8, "blue"))
    }
    if cloud.channels.confidence != nil { columns.append(Column(.confidence, .float32, "confidence")) }
    columns.append(Column(.identifierLow, .uint32, "id_low"))
    columns.append(Column(.identifierHigh, .uint32, "id_high"))
    return columns
  }

  /// The bits of the number in a column.
  @inline(__always)
  static func bits(_ field: CloudField, of point: FeaturePoint) -> UInt32 {
    let color = point.color ?? .zero
    return switch field {
    case .x: point.position.x.bitPattern
    case .y: point.position.y.bitPattern
    case .z: point.position.z.bitPattern
    case .normalX: (point.normal ?? .zero).x.bitPattern
    case .normalY: (point.normal ?? .zero).y.bitPattern
    case .normalZ: (point.normal ?? .zero).z.bitPattern
    case .red: UInt32(color.x)
    case .green: UInt32(color.y)
    case .blue: UInt32(color.z)
    case .packedColor: UInt32(color.x) << 16 | UInt32(color.y) << 8 | UInt32(color.z)
    case .confidence: (point.confidence ?? 0).bitPattern
    case .identifierLow: UInt32(truncatingIfNeeded: point.identifier)
    case .identifierHigh: UInt32(truncatingIfNeeded: point.identifier >> 32)
    case .identifier, .ignored: 0
    }
  }

  /// Appends a line for each point; real numbers in the shortest form that reads back as the same.
  static func appendText(_ cloud: FeatureCloud, _ columns: [Column], to file: inout [UInt8]) {
    for point in cloud {
      for (index, column) in columns.enumerated() {
        if index > 0 { file.append(UInt8(ascii: " ")) }
        let bits = bits(column.field, of: point)
        file += column.scalar.isReal ? Array("\(Float(bitPattern: bits))".utf8) : Array("\(bits)".utf8)
      }
      file.append(UInt8(ascii: "\n"))
    }
  }

  /// Appends a row of bytes for each point.
  static func appendRows(_ cloud: FeatureCloud, _ columns: [Column], bigEndian: Bool, to file: inout [UInt8]) {
    file.reserveCapacity(file.count + cloud.count * columns.reduce(0) { $0 + $1.scalar.size })
    for point in cloud {
      for column in columns { append(bits(column.field, of: point), column.scalar, bigEndian, to: &file) }
    }
  }

  /// Appends the lowest bytes of a number.
  @inline(__always)
  static func append(_ bits: UInt32, _ scalar: CloudScalar, _ bigEndian: Bool, to file: inout [UInt8]) {
    for index in 0..<scalar.size {
      let place = bigEndian ? scalar.size - 1 - index : index
      file.append(UInt8(truncatingIfNeeded: bits >> (8 * UInt32(place))))
    }
  }
}

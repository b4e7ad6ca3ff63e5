/// Splits elements of equal width into planes, one for each of their bytes, and stores each plane as small as it gets.
///
/// Neighbouring elements agree in their high bytes, so a plane of high bytes is nearly constant while the noise stays
/// in planes of its own, which are stored as they are.
enum BytePlanes {
  /// How a plane is stored.
  private enum Mode: UInt8 {
    /// As it is.
    case raw = 0
    /// One byte that all elements share.
    case constant = 1
    /// A length and a zstd frame.
    case zstd = 2
  }

  /// The level for planes: higher ones cost much and gain little on planes.
  private static let level: Int32 = 1

  /// Appends the planes of `elements`, lowest byte first.
  ///
  /// - Parameters:
  ///   - elements: Little-endian elements of `width` bytes each, one after the other.
  ///   - width: Bytes an element.
  ///   - writer: Where the planes go.
  static func encode(_ elements: [UInt8], width: Int, to writer: inout ByteWriter) {
    let count = elements.count / width
    for byte in 0..<width {
      let plane = [UInt8](unsafeUninitializedCapacity: count) { plane, filled in
        elements.withUnsafeBufferPointer { source in
          for index in 0..<count { plane[index] = source[index &* width &+ byte] }
        }
        filled = count
      }
      write(plane, to: &writer)
    }
  }

  private static func write(_ plane: [UInt8], to writer: inout ByteWriter) {
    if let first = plane.first, plane.allSatisfy({ $0 == first }) {
      writer.write(Mode.constant.rawValue)
      writer.write(first)
    } else if let frame = plane.withUnsafeBytes({ Zstd.compress($0, level: level, limit: plane.count - 4) }) {
      writer.write(Mode.zstd.rawValue)
      writer.write(UInt32(frame.count))
      writer.write(bytes: frame)
    } else {
      writer.write(Mode.raw.rawValue)
      writer.write(bytes: plane)
    }
  }

  /// Reads `count` elements of `width` bytes, one after the other.
  @_lifetime(reader: copy reader)
  static func decode(count: Int, width: Int, from reader: inout ByteReader) throws(DecodingFailure) -> [UInt8] {
    var elements = [UInt8](repeating: 0, count: count * width)
    for byte in 0..<width {
      let plane = try readPlane(count: count, from: &reader)
      elements.withUnsafeMutableBufferPointer { target in
        plane.withUnsafeBufferPointer { source in
          for index in 0..<count { target[index &* width &+ byte] = source[index] }
        }
      }
    }
    return elements
  }

  @_lifetime(reader: copy reader)
  private static func readPlane(count: Int, from reader: inout ByteReader) throws(DecodingFailure) -> [UInt8] {
    let start = reader.offset
    guard let mode = Mode(rawValue: try reader.readByte()) else { throw .invalid("unknown plane mode", offset: start) }
    switch mode {
    case .raw: return try reader.readBytes(count)
    case .constant: return [UInt8](repeating: try reader.readByte(), count: count)
    case .zstd:
      let frame = try reader.readSpan(Int(try reader.read(UInt32.self)))
      var isWhole = false
      let plane = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
        isWhole = frame.withUnsafeBytes { Zstd.decompress($0, into: UnsafeMutableRawBufferPointer(buffer)) }
        filled = isWhole ? count : 0
      }
      guard isWhole else { throw .invalid("not a zstd frame of \(count) bytes", offset: start) }
      return plane
    }
  }
}

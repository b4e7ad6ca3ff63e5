import Basics
import WorldModel

/// COLMAP's `points3D.bin`, little-endian: a count, then for each point its id, three doubles, three bytes of colour,
/// the error as a double, the length of its track and eight bytes for each of its steps, which are passed over.
enum COLMAPBinary {
  /// The bytes of a point without its track.
  private static let smallestPoint = 51
  private static let fields: [CloudField] = [.identifier, .x, .y, .z, .red, .green, .blue]

  static func read(_ bytes: [UInt8]) throws(PointCloudFileError) -> CloudRows {
    guard bytes.count >= 8 else { throw .malformedBytes("the count of points is cut off", offset: 0) }
    let count = integer(bytes, 0)
    guard count <= UInt64(Limits.points) else { throw .tooManyPoints(limit: Limits.points, at: .byte(0)) }
    var builder = CloudRows(fields, capacity: min(Int(count), bytes.count / smallestPoint))
    var offset = 8
    for index in 0..<Int(count) {
      guard bytes.count - offset >= smallestPoint else {
        throw .truncated(found: index, expected: Int(count), offset: bytes.count)
      }
      builder.append(row(bytes, offset), at: offset)
      let track = integer(bytes, offset + 43)
      offset += smallestPoint
      guard track <= UInt64((bytes.count - offset) / 8) else {
        throw .malformedBytes("the track of a point is longer than the file", offset: offset - 8)
      }
      offset += Int(track) * 8
    }
    guard offset == bytes.count else { throw .malformedBytes("there are bytes after the last point", offset: offset) }
    return builder
  }

  static func write(_ cloud: FeatureCloud) -> [UInt8] {
    var writer = ByteWriter(capacity: 8 + cloud.count * smallestPoint)
    writer.write(UInt64(cloud.count))
    for point in cloud {
      writer.write(point.identifier)
      for axis in 0..<3 { writer.write(Double(point.position[axis]).bitPattern) }
      let color = point.color ?? .zero
      for channel in 0..<3 { writer.write(color[channel]) }
      writer.write(Double(0).bitPattern)
      writer.write(UInt64(0))
    }
    return writer.bytes
  }

  /// Whether the first point of a file that says nothing about itself is plausible.
  static func looksLike(_ bytes: [UInt8]) -> Bool {
    guard bytes.count >= 8 + smallestPoint else { return false }
    let count = integer(bytes, 0)
    guard count > 0, count <= UInt64((bytes.count - 8) / smallestPoint) else { return false }
    let track = integer(bytes, 51)
    return SIMD3<Float>(row(bytes, 8).position).isFinite && track <= UInt64((bytes.count - 8 - smallestPoint) / 8)
  }

  private static func row(_ bytes: [UInt8], _ offset: Int) -> CloudRows.Row {
    let real = { (place: Int) in Double(bitPattern: integer(bytes, offset + place)) }
    var row = CloudRows.Row()
    row.identifier = integer(bytes, offset)
    row.position = SIMD3(real(8), real(16), real(24))
    row.color = SIMD3(bytes[offset + 32], bytes[offset + 33], bytes[offset + 34])
    return row
  }

  private static func integer(_ bytes: [UInt8], _ offset: Int) -> UInt64 {
    BinaryRows.number(.uint64, in: bytes, at: offset, bigEndian: false).bits
  }
}

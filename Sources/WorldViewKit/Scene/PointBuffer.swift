package import SharedWorld

/// Feature points as the page's graphics take them.
///
/// Little-endian: the number of points (UInt32), 1 if there are colours else 0 (UInt32), x, y and z of each point (Float,
/// metres), then red, green and blue of each (UInt8) if there are colours.
package enum PointBuffer {
  /// The points a page shows; of a larger cloud an even selection.
  package static let limit = 2_000_000

  /// The buffer of a cloud.
  package static func encode(_ cloud: FeatureCloud, limit: Int = limit) -> [UInt8] {
    let count = min(cloud.count, limit)
    let shown = (0..<count).lazy.map { ($0 * cloud.count + cloud.count / 2) / count }
    let colours = cloud.channels.colours
    var bytes: [UInt8] = []
    bytes.reserveCapacity(8 + count * (colours == nil ? 12 : 15))
    append(UInt32(count), to: &bytes)
    append(colours == nil ? 0 : 1, to: &bytes)
    for index in shown {
      let position = cloud.positions[index]
      append(position.x.bitPattern, to: &bytes)
      append(position.y.bitPattern, to: &bytes)
      append(position.z.bitPattern, to: &bytes)
    }
    if let colours {
      for index in shown { bytes += [colours[index].x, colours[index].y, colours[index].z] }
    }
    return bytes
  }

  private static func append(_ word: UInt32, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: word.littleEndian) { bytes.append(contentsOf: $0) }
  }
}

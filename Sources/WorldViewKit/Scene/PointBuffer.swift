package import SharedWorld

/// Feature points as the page's graphics take them, in the order of ``PointOrder``, so that a page draws any beginning.
///
/// Little-endian: the number of points (UInt32), 1 if there are colours else 0 (UInt32), then for each point x, y and z
/// (Float, metres) and, if there are colours, red, green, blue and 255 (UInt8).
package enum PointBuffer {
  /// The points a page shows; of a larger cloud an even selection.
  package static let limit = 6_000_000

  /// The buffer of a cloud.
  package static func encode(_ cloud: FeatureCloud, limit: Int = limit) -> [UInt8] {
    let order = PointOrder.indices(of: cloud.positions).prefix(limit)
    let colors = cloud.channels.colors
    let size = 8 + order.count * (colors == nil ? 12 : 16)
    return [UInt8](unsafeUninitializedCapacity: size) { bytes, count in
      var at = 0
      func append(_ word: UInt32) {
        UnsafeMutableRawBufferPointer(bytes).storeBytes(of: word.littleEndian, toByteOffset: at, as: UInt32.self)
        at += 4
      }
      append(UInt32(order.count))
      append(colors == nil ? 0 : 1)
      for index in order {
        let position = cloud.positions[index]
        for axis in 0..<3 { append(position[axis].bitPattern) }
        guard let color = colors?[index] else { continue }
        append(UInt32(color.x) | UInt32(color.y) << 8 | UInt32(color.z) << 16 | 255 << 24)
      }
      count = at
    }
  }
}

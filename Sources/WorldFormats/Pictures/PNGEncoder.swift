import CZlib

/// Writes Portable Network Graphics (ISO/IEC 15948): the signature, IHDR, one IDAT and IEND.
enum PNGEncoder {
  /// The file of `canvas`: 8 bits a channel, no transparency, not interlaced.
  static func encode(_ canvas: PixelCanvas) -> [UInt8] {
    var file: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
    let header = bigEndian(UInt32(canvas.width)) + bigEndian(UInt32(canvas.height)) + [8, 2, 0, 0, 0]
    append("IHDR", header, to: &file)
    append("IDAT", Zlib.deflated(filtered(canvas)), to: &file)
    append("IEND", [], to: &file)
    return file
  }

  /// The rows of pixels, each with filter 1 (difference to the pixel on the left), which flat ground likes.
  private static func filtered(_ canvas: PixelCanvas) -> [UInt8] {
    var rows: [UInt8] = []
    rows.reserveCapacity(canvas.height * (1 + 3 * canvas.width))
    for y in 0..<canvas.height {
      rows.append(1)
      var left = SIMD3<UInt8>.zero
      for x in 0..<canvas.width {
        let pixel = canvas.bytes(x: x, y: y)
        let difference = pixel &- left
        rows.append(difference.x)
        rows.append(difference.y)
        rows.append(difference.z)
        left = pixel
      }
    }
    return rows
  }

  private static func append(_ type: String, _ data: [UInt8], to file: inout [UInt8]) {
    let body = Array(type.utf8) + data
    file += bigEndian(UInt32(data.count))
    file += body
    file += bigEndian(UInt32(truncatingIfNeeded: crc32(0, body, uInt(body.count))))
  }

  private static func bigEndian(_ value: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * UInt32($0))) }
  }
}

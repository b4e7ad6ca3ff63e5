import WorldModel

/// Writes a cloud as the vertices of a Polygon File Format file; the place in the frame of another file that is (0, 0, 0) here
/// stands in a comment.
enum PLYWriter {
  static func write(
    _ cloud: FeatureCloud, _ format: PointCloudFormat, origin: CloudOrigin = .zero
  ) -> [UInt8] {
    let columns = CloudTable.columns(of: cloud)
    let encoding =
      switch format {
      case .plyASCII: PLYHeader.Encoding.ascii
      case .plyBigEndian: PLYHeader.Encoding.bigEndian
      case .plyLittleEndian, .pcdASCII, .pcdBinary, .pcdCompressed, .colmapText, .colmapBinary, .xyz:
        PLYHeader.Encoding.littleEndian
      }
    var header = "ply\nformat \(encoding.rawValue) 1.0\ncomment metres, right-handed, y up\n"
    if origin != .zero { header += "comment origin \(origin.x) \(origin.y) \(origin.z)\n" }
    header += "element vertex \(cloud.count)\n"
    for column in columns { header += "property \(typeName(column.scalar)) \(column.plyName)\n" }
    header += "end_header\n"
    var file = Array(header.utf8)
    switch encoding {
    case .ascii: CloudTable.appendText(cloud, columns, to: &file)
    case .littleEndian: CloudTable.appendRows(cloud, columns, bigEndian: false, to: &file)
    case .bigEndian: CloudTable.appendRows(cloud, columns, bigEndian: true, to: &file)
    }
    return file
  }

  private static func typeName(_ scalar: CloudScalar) -> String {
    switch scalar {
    case .uint8: "uchar"
    case .uint32: "uint"
    case .int8, .int16, .uint16, .int32, .int64, .uint64, .float32, .float64: "float"
    }
  }
}

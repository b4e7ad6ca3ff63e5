import WorldModel

/// Writes a cloud as a Point Cloud Data file, version 0.7.
enum PCDWriter {
  static func write(_ cloud: FeatureCloud, _ format: PointCloudFormat) -> [UInt8] {
    var columns = CloudTable.columns(of: cloud).filter { $0.field != .green && $0.field != .blue }
    // The Point Cloud Library knows one column of packed colour.
    if let index = columns.firstIndex(where: { $0.field == .red }) {
      columns[index] = CloudTable.Column(.packedColor, .uint32, "rgb")
    }
    let encoding =
      switch format {
      case .pcdASCII: PCDHeader.Encoding.ascii
      case .pcdCompressed: PCDHeader.Encoding.compressed
      case .pcdBinary, .plyASCII, .plyLittleEndian, .plyBigEndian, .colmapText, .colmapBinary, .xyz:
        PCDHeader.Encoding.binary
      }
    var file = Array(header(columns, count: cloud.count, encoding).utf8)
    switch encoding {
    case .ascii: CloudTable.appendText(cloud, columns, to: &file)
    case .binary: CloudTable.appendRows(cloud, columns, bigEndian: false, to: &file)
    case .compressed:
      var planes: [UInt8] = []
      for column in columns {
        for point in cloud {
          CloudTable.append(CloudTable.bits(column.field, of: point), column.scalar, false, to: &planes)
        }
      }
      let stored = LZF.compress(planes)
      CloudTable.append(UInt32(stored.count), .uint32, false, to: &file)
      CloudTable.append(UInt32(planes.count), .uint32, false, to: &file)
      file += stored
    }
    return file
  }

  private static func header(_ columns: [CloudTable.Column], count: Int, _ encoding: PCDHeader.Encoding) -> String {
    let types = columns.map { $0.scalar.isReal ? "F" : "U" }
    return """
      # .PCD v0.7 - Point Cloud Data file format
      VERSION 0.7
      FIELDS \(columns.map(\.pcdName).joined(separator: " "))
      SIZE \(columns.map { "\($0.scalar.size)" }.joined(separator: " "))
      TYPE \(types.joined(separator: " "))
      COUNT \(columns.map { _ in "1" }.joined(separator: " "))
      WIDTH \(count)
      HEIGHT 1
      VIEWPOINT 0 0 0 1 0 0 0
      POINTS \(count)
      DATA \(encoding.rawValue)

      """
  }
}

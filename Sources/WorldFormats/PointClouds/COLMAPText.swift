import WorldModel

/// COLMAP's `points3D.txt`: a line of POINT3D_ID, X, Y, Z, R, G, B, ERROR and the track, which is passed over.
enum COLMAPText {
  private static let columns = [
    CloudColumn(field: .identifier, scalar: .uint64), CloudColumn(field: .x, scalar: .float64),
    CloudColumn(field: .y, scalar: .float64), CloudColumn(field: .z, scalar: .float64),
    CloudColumn(field: .red, scalar: .uint8), CloudColumn(field: .green, scalar: .uint8),
    CloudColumn(field: .blue, scalar: .uint8), CloudColumn(field: .ignored, scalar: .float64),
  ]

  /// Reads a file of at most `limit` points.
  static func read(_ bytes: [UInt8], limit: Int = Limits.points) throws(PointCloudFileError) -> CloudRows {
    // A line has at least 16 bytes: eight numbers and as many separators.
    var builder = CloudRows(columns.map(\.field), capacity: min(bytes.count / 16, limit))
    var lines = TextLines(bytes)
    var words: [Range<Int>] = []
    while let range = lines.nextContent(commentsBeginWith: UInt8(ascii: "#")) {
      guard builder.rows < limit else { throw .tooManyPoints(limit: limit, at: .line(lines.line)) }
      lines.split(range, into: &words, limit: columns.count)
      guard words.count == columns.count else {
        throw .malformed("a point has at least eight numbers, this has \(words.count)", line: lines.line)
      }
      var row = CloudRows.Row()
      for (word, column) in zip(words, columns) { row.set(column, try lines.number(word, column)) }
      builder.append(row, at: lines.line)
    }
    return builder
  }

  static func write(_ cloud: FeatureCloud) -> [UInt8] {
    var text = "# 3D point list with one line of data per point:\n"
    text += "#   POINT3D_ID, X, Y, Z, R, G, B, ERROR, TRACK[] as (IMAGE_ID, POINT2D_IDX)\n"
    text += "# Number of points: \(cloud.count), mean track length: 0\n"
    var file = Array(text.utf8)
    for point in cloud {
      let (position, color) = (point.position, point.color ?? .zero)
      let line = "\(point.identifier) \(position.x) \(position.y) \(position.z) \(color.x) \(color.y) \(color.z) 0\n"
      file += Array(line.utf8)
    }
    return file
  }
}

/// The point-cloud formats that can be read and written.
@nonexhaustive
public enum PointCloudFormat: String, Hashable, Sendable, CaseIterable {
  /// Polygon File Format (G. Turk, 1994), numbers as text.
  case plyASCII = "ply-ascii"
  /// Polygon File Format, little-endian.
  case plyLittleEndian = "ply"
  /// Polygon File Format, big-endian.
  case plyBigEndian = "ply-big-endian"
  /// Point Cloud Data 0.7 of the Point Cloud Library, numbers as text.
  case pcdASCII = "pcd-ascii"
  /// Point Cloud Data, little-endian rows.
  case pcdBinary = "pcd"
  /// Point Cloud Data, planes compressed with LZF.
  case pcdCompressed = "pcd-compressed"
  /// COLMAP's `points3D.txt`.
  case colmapText = "colmap-txt"
  /// COLMAP's `points3D.bin`.
  case colmapBinary = "colmap"
  /// Lines of x, y and z, and perhaps red, green and blue.
  case xyz

  /// The extension that files of this format usually have.
  public var fileExtension: String {
    switch self {
    case .plyASCII, .plyLittleEndian, .plyBigEndian: "ply"
    case .pcdASCII, .pcdBinary, .pcdCompressed: "pcd"
    case .colmapText: "txt"
    case .colmapBinary: "bin"
    case .xyz: "xyz"
    }
  }

  /// Whether the format has room for identifiers; without it points are numbered from 0 when they are read.
  public var keepsIdentifiers: Bool { self != .xyz }

  /// Whether the points are lines of text.
  var isText: Bool {
    switch self {
    case .plyASCII, .pcdASCII, .colmapText, .xyz: true
    case .plyLittleEndian, .plyBigEndian, .pcdBinary, .pcdCompressed, .colmapBinary: false
    }
  }

  /// The usual binary format for a file extension (without the dot, any case); nil for an unknown one.
  public init?(fileExtension: String) {
    switch fileExtension.lowercased() {
    case "ply": self = .plyLittleEndian
    case "pcd": self = .pcdBinary
    case "txt": self = .colmapText
    case "bin": self = .colmapBinary
    case "xyz", "csv", "asc": self = .xyz
    default: return nil
    }
  }

  /// Recognises a format by its first bytes, and by the file's extension where those say nothing; nil when neither
  /// helps.
  ///
  /// - Parameters:
  ///   - bytes: The file, or at least its first 4 KiB.
  ///   - fileExtension: Without the dot, any case.
  public init?(detecting bytes: [UInt8], fileExtension: String? = nil) {
    let mark = TextLines.byteOrderMark
    let head = bytes.prefix(4096).dropFirst(bytes.starts(with: mark) ? mark.count : 0)
    let isText = Self.isText(head)
    let parts = head.split(whereSeparator: { $0 == 10 || $0 == 13 })
    let lines = parts.map { String(decoding: $0, as: UTF8.self) }
    // Bytes that happen to spell a line of a header stand behind others that are no text.
    let first = zip(parts, lines).prefix(12).prefix { Self.isText($0.0) }.map(\.1)
    if lines.first == "ply" {
      self = Self.encoding(lines, "format", ["ascii": .plyASCII, "binary_big_endian": .plyBigEndian], .plyLittleEndian)
    } else if lines.first?.hasPrefix("# .PCD") == true || first.contains(where: { $0.hasPrefix("FIELDS ") }) {
      self = Self.encoding(
        lines, "DATA", ["ascii": .pcdASCII, "binary_compressed": .pcdCompressed], .pcdBinary)
    } else if !isText {
      guard fileExtension?.lowercased() == "bin" || COLMAPBinary.looksLike(bytes) else { return nil }
      self = .colmapBinary
    } else if lines.contains(where: { $0.hasPrefix("#") && $0.contains("POINT3D_ID") }) {
      self = .colmapText
    } else if let format = fileExtension.flatMap({ PointCloudFormat(fileExtension: $0) }), Self.texts.contains(format) {
      self = format
    } else {
      guard let line = lines.first(where: { !$0.hasPrefix("#") && !$0.hasPrefix("//") }) else { return nil }
      guard XYZText.numbers(Array(line.utf8)) != nil else { return nil }
      self = .xyz
    }
  }

  private static func isText(_ bytes: ArraySlice<UInt8>) -> Bool {
    !bytes.contains { $0 < 9 || ($0 > 13 && $0 < 32) }
  }

  private static let texts: Set<PointCloudFormat> = [.colmapText, .xyz]

  /// The case that the header's line of `keyword` names.
  private static func encoding(
    _ lines: [String], _ keyword: String, _ cases: [String: PointCloudFormat], _ otherwise: PointCloudFormat
  ) -> PointCloudFormat {
    let words = lines.lazy.map { $0.split(separator: " ") }.first { $0.first.map(String.init) == keyword }
    guard let words, words.count > 1 else { return otherwise }
    return cases[String(words[1])] ?? otherwise
  }
}

import Testing

@testable import WorldFormats

/// Each error that an importer can throw, and the line or byte that it names.
@Suite struct PointCloudErrorTests {
  /// A file that is refused.
  struct Refusal: Sendable, CustomTestStringConvertible {
    let format: PointCloudFormat
    let text: String
    let error: PointCloudFileError

    init(_ format: PointCloudFormat, _ text: String, _ error: PointCloudFileError) {
      (self.format, self.text, self.error) = (format, text, error)
    }

    var testDescription: String { "\(format.rawValue): \(error)" }
  }

  private static let limit = Limits.points
  private static let nul = "\u{0}"

  /// `count` zeros.
  private static func zeros(_ count: Int) -> String { String(repeating: nul, count: count) }

  private static let xyz = [
    Refusal(.xyz, "1 2 3\n4 5 x\n", .malformed("\"x\" is no number", line: 2)),
    Refusal(.xyz, "# c\n1 2 3\n\n4 5\n", .malformed("3 numbers are needed, there are 2", line: 4)),
  ]

  private static let colmapText = [
    Refusal(
      .colmapText, "1 2 3 4 5 6 7 8\n1 2 3\n", .malformed("a point has at least eight numbers, this has 3", line: 2)),
    Refusal(.colmapText, "1 2 3 4 5 6 seven 8\n", .malformed("\"seven\" is no number", line: 1)),
    Refusal(
      .colmapText, "1 2 3 4 5 6 7 8\n1e3 2 3 4 5 6 7 8\n",
      .malformed("an identifier is a whole number, not \"1e3\"", line: 2)),
    Refusal(
      .colmapText, "# c\n7 2 3 4 5 6 7 8\n7 2 3 4 5 6 7 8\n7 2 3 4 5 6 7 8\n", .duplicateIdentifier(7, at: .line(3))),
    Refusal(
      .colmapText, "7 2 3 4 5 6 7 8\n7 nan 3 4 5 6 7 8\n9 2 3 4 5 6 7 8\n9 2 3 4 5 6 7 8\n",
      .duplicateIdentifier(9, at: .line(4))),
  ]

  private static let colmapBinary = [
    Refusal(.colmapBinary, "\u{1}\0\0", .malformedBytes("the count of points is cut off", offset: 0)),
    Refusal(.colmapBinary, zeros(7) + "\u{1}", .tooManyPoints(limit: limit, at: .byte(0))),
    Refusal(.colmapBinary, "\u{2}" + zeros(7 + 51), .truncated(found: 1, expected: 2, offset: 59)),
    Refusal(
      .colmapBinary, "\u{1}" + zeros(7 + 50) + "\u{7f}",
      .malformedBytes("the track of a point is longer than the file", offset: 51)),
    Refusal(.colmapBinary, zeros(10), .malformedBytes("there are bytes after the last point", offset: 8)),
    Refusal(
      .colmapBinary, "\u{2}" + zeros(7 + 43) + "\u{1}" + zeros(7 + 8 + 51), .duplicateIdentifier(0, at: .byte(67))),
  ]

  private static let vertices = "element vertex 1\nproperty float x\nproperty float y\nproperty float z\n"
  private static let ascii = "ply\nformat ascii 1.0\n"
  private static let binary = "ply\nformat binary_little_endian 1.0\n"

  private static let plyHeader = [
    Refusal(.plyASCII, "plx\n", .malformed("a PLY file begins with \"ply\"", line: 1)),
    Refusal(.plyASCII, "ply\nend_header\n", .malformed("the format is missing", line: 2)),
    Refusal(.plyASCII, "ply\nformat ascii 2.0\nend_header\n", .malformed("the format is not known", line: 2)),
    Refusal(.plyASCII, ascii + "bogus\n", .malformed("a PLY header has no \"bogus\"", line: 3)),
    Refusal(.plyASCII, ascii + "comment only\n", .malformed("the header does not end", line: 3)),
    Refusal(.plyASCII, ascii + "element vertex -1\n", .malformed("an element needs a name and a count", line: 3)),
    Refusal(.plyASCII, ascii + "element vertex 99999999999\n", .tooManyPoints(limit: limit, at: .line(3))),
    Refusal(.plyASCII, ascii + "property float x\n", .malformed("the property is not understood", line: 3)),
    Refusal(
      .plyASCII, ascii + "element face 1\nproperty list float int v\n",
      .malformed("the length of a list must be an integer", line: 4)),
    Refusal(.plyASCII, ascii + "end_header\n", .malformed("the file has no vertices", line: 4)),
    Refusal(
      .plyASCII, ascii + "element vertex 1\nproperty float x\nend_header\n1\n",
      .malformed("the vertices have no x, y and z", line: 6)),
    Refusal(
      .plyASCII, ascii + vertices + "property list uchar int v\nend_header\n",
      .malformed("the vertices have lists", line: 9)),
  ]

  private static let plyBody = [
    Refusal(
      .plyASCII, ascii + vertices + "end_header\n1 2\n", .malformed("3 numbers are needed, there are 2", line: 8)),
    Refusal(.plyASCII, ascii + vertices + "end_header\n1 2 z\n", .malformed("\"z\" is no number", line: 8)),
    Refusal(.plyASCII, ascii + vertices + "end_header\n", .truncated(found: 0, expected: 1, offset: 100)),
    Refusal(
      .plyASCII, ascii + "element face 2\nproperty int v\n" + vertices + "end_header\n1\n",
      .truncated(found: 0, expected: 1, offset: 132)),
    Refusal(
      .plyLittleEndian, binary + vertices + "end_header\n123456789AB", .truncated(found: 0, expected: 1, offset: 126)),
    Refusal(
      .plyLittleEndian, binary + "element face 1\nproperty list int int v\n" + vertices + "end_header\n123",
      .truncated(found: 0, expected: 1, offset: 157)),
    Refusal(
      .plyLittleEndian, binary + "element face 1\nproperty list int int v\n" + vertices + "end_header\n1234",
      .malformedBytes("a list is longer than the file", offset: 154)),
    Refusal(
      .plyLittleEndian, binary + "element face 1\nproperty list int int v\n" + vertices + "end_header\n\u{1}\0\0\0123",
      .truncated(found: 0, expected: 1, offset: 161)),
  ]

  private static let pcd = "FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\n"

  private static let pcdHeader = [
    Refusal(.pcdASCII, "", .malformed("the header does not end with DATA", line: 1)),
    Refusal(.pcdASCII, pcd + "POINTS 1\nDATA runes\n", .malformed("the encoding of the data is not known", line: 5)),
    Refusal(.pcdASCII, pcd + "POINTS 1\n", .malformed("the header does not end with DATA", line: 4)),
    Refusal(
      .pcdASCII, "FIELDS x y z\nSIZE 4 4\nTYPE F F F\nPOINTS 1\nDATA ascii\n",
      .malformed("FIELDS, SIZE and TYPE do not fit together", line: 5)),
    Refusal(.pcdASCII, pcd + "COUNT 1 1\nPOINTS 1\nDATA ascii\n", .malformed("COUNT does not fit FIELDS", line: 4)),
    Refusal(.pcdASCII, pcd + "COUNT 1 1 0\nPOINTS 1\nDATA ascii\n", .malformed("COUNT is not understood", line: 4)),
    Refusal(
      .pcdASCII, "FIELDS x y z\nSIZE 4 4 4\nTYPE F F Q\nPOINTS 1\nDATA ascii\n",
      .malformed("a field of type Q and size 4 is not known", line: 3)),
    Refusal(
      .pcdASCII, "FIELDS x y\nSIZE 4 4\nTYPE F F\nPOINTS 2\nDATA ascii\n",
      .malformed("the points have no x, y and z", line: 5)),
    Refusal(.pcdASCII, pcd + "DATA ascii\n", .malformed("the number of points is missing", line: 4)),
    Refusal(.pcdASCII, pcd + "POINTS 99999999\nDATA ascii\n", .tooManyPoints(limit: limit, at: .line(4))),
    Refusal(.pcdASCII, pcd + "WIDTH 99999\nHEIGHT 99999\nDATA ascii\n", .tooManyPoints(limit: limit, at: .line(5))),
  ]

  private static let compressed = pcd + "POINTS 1\nDATA binary_compressed\n"

  private static let pcdBody = [
    Refusal(.pcdASCII, pcd + "POINTS 2\nDATA ascii\n1 2 3\n", .truncated(found: 1, expected: 2, offset: 61)),
    Refusal(.pcdASCII, pcd + "POINTS 1\nDATA ascii\n1 2\n", .malformed("3 numbers are needed, there are 2", line: 6)),
    Refusal(.pcdBinary, pcd + "POINTS 2\nDATA binary\n0123456789AB", .truncated(found: 1, expected: 2, offset: 68)),
    Refusal(.pcdCompressed, compressed + "\u{1}\0\0\0", .truncated(found: 0, expected: 1, offset: 71)),
    Refusal(
      .pcdCompressed, compressed + "\u{1}\0\0\0\u{d}\0\0\0",
      .malformedBytes("the planes have 13 bytes and need 12", offset: 71)),
    Refusal(.pcdCompressed, compressed + "\u{5}\0\0\0\u{c}\0\0\0", .truncated(found: 0, expected: 1, offset: 75)),
    Refusal(
      .pcdCompressed, compressed + zeros(4) + "\u{c}\0\0\0", .malformedBytes("0 bytes cannot hold 12", offset: 75)),
    Refusal(
      .pcdCompressed, compressed + "\u{2}\0\0\0\u{c}\0\0\0\u{4}a",
      .malformedBytes("a run of literals is too long", offset: 75)),
    Refusal(
      .pcdCompressed, compressed + "\u{3}\0\0\0\u{c}\0\0\0\0a\u{20}", .malformedBytes("a copy is cut off", offset: 77)),
    Refusal(
      .pcdCompressed, compressed + "\u{4}\0\0\0\u{c}\0\0\0\0a\u{20}\u{1}",
      .malformedBytes("a copy reaches out of the data", offset: 77)),
    Refusal(
      .pcdCompressed, compressed + "\u{4}\0\0\0\u{c}\0\0\0\0a\u{20}\0",
      .malformedBytes("the data make 4 bytes, not 12", offset: 79)),
  ]

  @Test(arguments: xyz + colmapText + colmapBinary + plyHeader + plyBody + pcdHeader + pcdBody)
  func `errors say where`(refusal: Refusal) {
    #expect(throws: refusal.error) { try PointCloudFile(reading: Array(refusal.text.utf8), as: refusal.format) }
    #expect("\(refusal.error)".contains("\(refusal.error.place)"))
  }

  @Test func `text without a count is refused at the point that is too many`() {
    let tooMany = PointCloudFileError.tooManyPoints(limit: 1, at: .line(3))
    #expect(throws: tooMany) { try XYZText.read(Array("# c\n1 2 3\n1 2 3\n".utf8), limit: 1) }
    let line = "1 2 3 4 5 6 7 8\n"
    #expect(throws: tooMany) { try COLMAPText.read(Array("# c\n\(line)\(line)".utf8), limit: 1) }
  }

  @Test func `a file of no known format is refused at its beginning`() {
    #expect(throws: PointCloudFileError.unknownFormat) { try PointCloudFile(reading: Array("GIF89a".utf8)) }
    #expect(PointCloudFileError.unknownFormat.place == .byte(0))
    #expect("\(PointCloudFileError.unknownFormat)" == "no point cloud of a known format begins at byte 0")
  }

  @Test(arguments: PointCloudFormat.allCases.filter(\.keepsIdentifiers))
  func `the second of two points with an identifier is named`(format: PointCloudFormat) throws {
    let cloud = FeatureCloud(positions: [.zero, .one, .zero], identifiers: [5, 9, 5])
    let bytes = cloud.file(as: format)
    let place: PointCloudFileError.Place
    switch format {
    case .plyASCII, .pcdASCII, .colmapText: place = .line(bytes.count { $0 == UInt8(ascii: "\n") })
    case .plyLittleEndian, .plyBigEndian, .pcdBinary: place = .byte(bytes.count - 20)
    case .colmapBinary: place = .byte(bytes.count - 51)
    case .pcdCompressed, .xyz:
      let header = String(decoding: bytes, as: UTF8.self).split(separator: "compressed\n")[0]
      place = .byte(header.utf8.count + "compressed\n".utf8.count)
    }
    #expect(throws: PointCloudFileError.duplicateIdentifier(5, at: place)) {
      try PointCloudFile(reading: bytes, as: format)
    }
  }

  @Test(arguments: PointCloudFormat.allCases)
  func `whatever is wrong, the place is in the file`(format: PointCloudFormat) throws {
    let positions = SyntheticRoom(seed: 2, pointCount: 4).map().cloud.positions
    let bytes = FeatureCloud(positions: positions, identifiers: [5, 6, 7, 9]).file(as: format)
    var damaged = bytes.indices.map { Array(bytes[..<$0]) }
    for index in bytes.indices {
      for bit in 0..<8 {
        var flipped = bytes
        flipped[index] ^= 1 << bit
        damaged.append(flipped)
      }
    }
    var refused = 0
    for file in damaged {
      do {
        _ = try PointCloudFile(reading: file, as: format)
      } catch {
        refused += 1
        switch error.place {
        case .line(let line):
          let ends = file.count { $0 == 10 || $0 == 13 }
          #expect((1...(ends + 1)).contains(line), "\(error)")
        case .byte(let offset): #expect((0...file.count).contains(offset), "\(error)")
        }
      }
    }
    #expect(refused > 0)
  }
}

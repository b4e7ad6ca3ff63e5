import Basics
import Testing
import WorldFormats
import WorldModel

@Suite struct PointCloudFileTests {
  /// A cloud with awkward numbers and the channels that `mask` names.
  private func cloud(_ count: Int, mask: Int, seed: UInt64) throws -> FeatureCloud {
    var random = SplitMix64(seed: seed)
    let special: [Float] = [0, -0.0, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 0.1, -1e-20, 16_777_215]
    let positions = (0..<count).map { index in
      index % 7 == 3
        ? SIMD3(special[index / 7 % special.count], 1, special[index % special.count]) : random.vector(in: -50...50)
    }
    let identifiers = Set((0..<count).map { _ in random.next() }).sorted()
    return FeatureCloud(
      positions: positions, identifiers: identifiers,
      channels: FeatureCloud.Channels(
        confidence: mask & 1 == 0 ? nil : positions.map { _ in random.float(in: 0...1) },
        colors: mask & 2 == 0
          ? nil : positions.map { _ in SIMD3(truncatingIfNeeded: SIMD3(random.next(), random.next(), random.next())) },
        normals: mask & 4 == 0 ? nil : positions.map { _ in random.vector(in: -1...1) }))
  }

  @Test(arguments: PointCloudFormat.allCases, [0, 1, 40])
  func `what is written is read back`(format: PointCloudFormat, count: Int) throws {
    for mask in 0..<8 {
      let cloud = try cloud(count, mask: mask, seed: UInt64(8 * count + mask))
      let bytes = cloud.file(as: format)
      let file = try PointCloudFile(reading: bytes, as: format)
      #expect(file.droppedPoints == 0)
      #expect(file.cloud.positions.map(\.bits) == cloud.positions.map(\.bits))
      let numbered = (0..<UInt64(count)).map { $0 }
      #expect(file.cloud.identifiers == (format.keepsIdentifiers ? cloud.identifiers : numbered))
      switch format {
      case .plyASCII, .plyLittleEndian, .plyBigEndian, .pcdASCII, .pcdBinary, .pcdCompressed:
        #expect(file.cloud.channels == cloud.channels)
      case .colmapText, .colmapBinary, .xyz:
        if cloud.channels.colors != nil, count > 0 { #expect(file.cloud.channels.colors == cloud.channels.colors) }
      }
      if count > 0 {
        #expect(PointCloudFormat(detecting: bytes, fileExtension: format.fileExtension) == format)
      }
    }
  }

  @Test func `an identifier that spells a line of another header does not hide the format`() throws {
    let identifier = "\nFIELDS ".utf8.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let bytes = FeatureCloud(positions: [.one], identifiers: [identifier]).file(as: .colmapBinary)
    #expect(PointCloudFormat(detecting: bytes, fileExtension: "bin") == .colmapBinary)
  }

  @Test func `a column of real numbers is no identifier`() throws {
    let header = "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\nproperty float z\n"
    for name in ["id", "identifier", "id_low"] {
      let file = header + "property float \(name)\nend_header\n1 2 3 7.5\n4 5 6 7.5\n"
      #expect(try PointCloudFile(reading: Array(file.utf8)).cloud.identifiers == [0, 1])
      let whole = file.replacing("float \(name)", with: "int \(name)").replacing(" 7.5", with: " 7")
      #expect(throws: PointCloudFileError.self) { try PointCloudFile(reading: Array(whole.utf8)) }
    }
  }

  @Test(arguments: [PointCloudFormat.plyASCII, .pcdASCII, .colmapText, .xyz])
  func `a byte order mark is no part of a text`(format: PointCloudFormat) throws {
    let cloud = FeatureCloud(positions: [[1, 2, 3], [4, 5, 6]], identifiers: [0, 1])
    let mark: [UInt8] = [0xef, 0xbb, 0xbf]
    let file = try PointCloudFile(reading: mark + cloud.file(as: format))
    #expect(file.format == format && file.cloud.positions == cloud.positions)
    #expect(throws: PointCloudFileError.self) { try PointCloudFile(reading: mark) }
  }

  @Test func `formats are recognized without an extension`() throws {
    let cloud = try cloud(20, mask: 2, seed: 1)
    for format in PointCloudFormat.allCases {
      #expect(PointCloudFormat(detecting: cloud.file(as: format)) == format)
    }
    for text in ["", "hello\nworld\n", "\u{0}\u{1}\u{2}", "# only a comment\n", "1 2\n"] {
      #expect(PointCloudFormat(detecting: Array(text.utf8)) == nil)
    }
  }

  @Test func `LZF copies may overlap what they make`() throws {
    // Literals "abc", then 12 bytes from 3 back, then 3 bytes from 1 back.
    let header = "FIELDS x y z t\nSIZE 4 4 4 1\nTYPE F F F U\nCOUNT 1 1 1 6\nPOINTS 1\nDATA binary_compressed\n"
    let stored: [UInt8] = [2, 97, 98, 99, 7 << 5, 3, 2, 1 << 5, 0]
    let sizes: [UInt8] = [UInt8(stored.count), 0, 0, 0, 18, 0, 0, 0]
    let file = try PointCloudFile(reading: Array(header.utf8) + sizes + stored, as: .pcdCompressed)
    // abca bcab cabc, little-endian.
    let expected = [0x6163_6261, 0x6261_6362, 0x6362_6163].map { Float(bitPattern: UInt32($0)) }
    #expect(file.cloud.positions == [SIMD3(expected[0], expected[1], expected[2])])
  }

  @Test func `LZF that lies about its size reserves no memory`() {
    let header = "FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nPOINTS 30000000\nDATA binary_compressed\n"
    let sizes: [UInt8] = [4, 0, 0, 0] + (0..<4).map { UInt8(truncatingIfNeeded: 360_000_000 >> (8 * $0)) }
    #expect(throws: PointCloudFileError.malformedBytes("4 bytes cannot hold 360000000", offset: 82)) {
      try PointCloudFile(reading: Array(header.utf8) + sizes + [1, 2, 3, 4], as: .pcdCompressed)
    }
  }

  @Test func `compressed files are smaller and come back`() throws {
    let room = SyntheticRoom(seed: 5, pointCount: 3_000, includesColors: true).map().cloud
    let compressed = room.file(as: .pcdCompressed)
    #expect(compressed.count < room.file(as: .pcdBinary).count)
    let back = try PointCloudFile(reading: compressed).cloud
    #expect(back == room)
  }
}

extension SIMD3<Float> {
  /// The bits, which tell −0 from 0.
  fileprivate var bits: SIMD3<UInt32> { SIMD3<UInt32>(x.bitPattern, y.bitPattern, z.bitPattern) }
}

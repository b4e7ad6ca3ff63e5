import Basics
import Foundation
import TestSupport
import Testing

@testable import WorldModel

/// The golden files of Fixtures/Maps: every later version must read them and write them to the byte.
///
/// `WRITE_FIXTURES=1 swift test --filter GoldenMap` rewrites them, for a new version of the format.
@Suite("Golden maps")
struct GoldenMapTests {
  /// A golden file and how it was made.
  struct Golden: CustomTestStringConvertible, Sendable {
    var name: String
    var map: WorldMap
    var options: EncodingOptions
    var testDescription: String { name }

    var url: URL {
      let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      return tests.deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Fixtures/Maps/\(name).worldmap")
    }

    var bytes: [UInt8] { get throws { [UInt8](try Data(contentsOf: url)) } }
  }

  /// A small map with every kind of anchor, and 150 points with every channel.
  static let full = WorldMap(
    anchors: Samples.anchors.sorted { $0.id < $1.id }, cloud: Samples.cloud(150, channels: true), views: 12)

  /// Identifiers over the whole range of 64 bits.
  static let wide: WorldMap = {
    var random = SplitMix64(seed: 4)
    let cloud = Samples.cloud(200)
    let identifiers = cloud.indices.map { _ in random.next() }.sorted()
    return WorldMap(cloud: FeatureCloud(positions: cloud.positions, identifiers: identifiers))
  }()

  /// Points anywhere in a hall, one in twenty far outside: neighbours by identifier are not neighbours in space.
  static let scattered: WorldMap = {
    var random = SplitMix64(seed: 6)
    let positions = (0..<150).map { index in
      let scale: Float = index % 20 == 7 ? 900_000 : 40
      return SIMD3(random.unit() - 0.5, random.unit() - 0.5, random.unit() - 0.5) * scale
    }
    return WorldMap(cloud: FeatureCloud(positions: positions, identifiers: positions.indices.map { UInt64($0) * 3 }))
  }()

  /// Points in rows and columns, as a depth camera gives them.
  static let organized: WorldMap = {
    let positions = (0..<1200).map { index -> SIMD3<Float> in
      let (row, column) = index.quotientAndRemainder(dividingBy: 40)
      return SIMD3(Float(column) * 0.013, Float(row) * 0.013, Float(row / 10) * 0.1)
    }
    return WorldMap(cloud: FeatureCloud(positions: positions, identifiers: positions.indices.map { UInt64($0) }))
  }()

  static let all: [Golden] = [
    Golden(name: "scattered", map: scattered, options: .fast),
    Golden(
      name: "scattered-millimeter", map: scattered,
      options: EncodingOptions(precision: .within(bound: 0.0005), effort: .fast)),
    Golden(name: "organized", map: organized, options: .lossless),
    Golden(name: "empty", map: WorldMap(), options: .fast),
    Golden(name: "room", map: WorldMap(cloud: Samples.cloud(300)), options: .fast),
    Golden(name: "full", map: full, options: .fast),
    Golden(name: "wide-identifiers", map: wide, options: .fast),
    Golden(
      name: "millimeter", map: WorldMap(cloud: Samples.cloud(300)),
      options: EncodingOptions(precision: .within(bound: 0.0005), effort: .fast)),
    Golden(name: "compact", map: full, options: .lossless),
    Golden(name: "survey", map: Samples.survey, options: .fast),
    Golden(name: "parity", map: WorldMap(cloud: Samples.cloud(300)), options: .kept),
    Golden(name: "compact-room", map: WorldMap(cloud: Samples.cloud(700)), options: .lossless),
  ]

  @Test(arguments: all)
  func goldenFilesAreReadAndWritten(golden: Golden) throws {
    if ProcessInfo.processInfo.environment["WRITE_FIXTURES"] != nil {
      try Data(golden.map.encoded(golden.options)).write(to: golden.url)
    }
    let bytes = try golden.bytes
    let decoded = try WorldMap(decoding: bytes)
    if golden.options.precision == .lossless {
      #expect(decoded == golden.map)
    } else {
      #expect(decoded.cloud.identifiers == golden.map.cloud.identifiers)
      #expect(try decoded.encoded(golden.options) == bytes)
    }
    #expect(try golden.map.encoded(golden.options) == bytes)
  }

  @Test(arguments: all)
  func everyPrefixAndEveryFlippedByteIsRefused(golden: Golden) throws {
    let bytes = try golden.bytes
    for count in 0..<bytes.count {
      let part = Array(bytes[..<count])
      #expect(throws: WorldMapError.self) { try WorldMap(decoding: part) }
      #expect(throws: WorldMapError.self) {
        let decoder = try WorldMapDecoder(beginningOf: part)
        _ = try decoder.points(ofBlocks: 0..<decoder.arrivedBlockCount)
        _ = try decoder.map()
      }
    }
    var damaged = bytes
    for index in bytes.indices {
      damaged[index] ^= UInt8(1 << (index % 8))
      #expect(throws: WorldMapError.self, "byte \(index)") { try WorldMap(decoding: damaged) }
      damaged[index] = bytes[index]
    }
  }

  /// Runs `reader.py`, which was written from Documentation/Protocol/worldmap-format.md, and compares every line.
  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/python3")), arguments: all)
  func theIndependentReaderAgrees(golden: Golden) async throws {
    let reader = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("reader.py")
    let read = try await ProgramRun(of: "/usr/bin/python3", [reader.path, golden.url.path])
    #expect(read.status == 0)
    let map = try WorldMap(decoding: golden.bytes)
    #expect(read.text.split(separator: "\n").map(String.init) == Self.lines(map))
  }

  /// The lines that `reader.py` prints for a map.
  private static func lines(_ map: WorldMap) -> [String] {
    func hex<V: SIMD>(_ vectors: V...) -> String where V.Scalar == Float {
      var writer = ByteWriter()
      for vector in vectors { writer.write(vector) }
      return writer.bytes.hexadecimal
    }
    func kind(_ kind: Anchor.Kind) -> String {
      switch kind {
      case .plain: "plain"
      case .plane(let plane):
        "plane \(plane.alignment.rawValue) \(plane.classification.rawValue) \(hex(plane.extent)) "
          + plane.boundary.map { hex($0) }.joined()
      case .image(let image): "image \(image.referenceName) \(hex(image.physicalSize))"
      case .object(let object): "object \(object.referenceName) \(hex(object.extent))"
      case .mesh(let mesh):
        "mesh \(mesh.referenceName) \(hex(mesh.extent)) \((mesh.digest?.bytes ?? []).hexadecimal)"
      case .participant(let peer): "participant \(peer)"
      }
    }
    let anchors = map.anchors.map { anchor in
      let (x, y, z) = anchor.transform.axes
      let payload = anchor.payload.map { "\($0.contentType):\($0.bytes.hexadecimal)" } ?? "-"
      let created = anchor.createdAt.map { "\($0.milliseconds)" } ?? "-"
      return "anchor \(anchor.id.bytes.hexadecimal) \(anchor.name) \(hex(x, y, z, anchor.transform.translation)) "
        + "\(kind(anchor.kind)) \(payload) \(anchor.creator?.description ?? "-") \(created)"
    }
    let channels = map.cloud.channels
    let points = map.cloud.indices.map { index in
      let point = map.cloud[index]
      func bits(_ value: Float) -> String {
        let text = String(value.bitPattern, radix: 16)
        return String(repeating: "0", count: 8 - text.count) + text
      }
      var fields = ["point", channels.descriptors?.kind ?? "-", "\(point.identifier)"]
      fields += (0..<3).map { bits(point.position[$0]) }
      if let confidence = point.confidence { fields.append(bits(confidence)) }
      if let color = point.color { fields += (0..<3).map { [color[$0]].hexadecimal } }
      if let normal = point.normal { fields += (0..<3).map { bits(normal[$0]) } }
      if let descriptors = channels.descriptors { fields.append(Array(descriptors[index]).hexadecimal) }
      return fields.joined(separator: " ")
    }
    return (map.views.map { ["views \($0)"] } ?? []) + anchors + survey(of: map) + points
  }

  /// The lines of keyframes and evidence.
  private static func survey(of map: WorldMap) -> [String] {
    let keyframes = map.keyframes.map { keyframe in
      var writer = ByteWriter()
      keyframe.pose.write(to: &writer)
      let lens = keyframe.lens
      let numbers =
        [lens.focalLength.x, lens.focalLength.y, lens.center.x, lens.center.y]
        + (0..<4).map { lens.distortion[$0] }
      for number in numbers { writer.write(number.bitPattern) }
      return "keyframe \(keyframe.session) \(keyframe.number) \(keyframe.camera) \(keyframe.time) "
        + "\(lens.model.rawValue) \(writer.bytes.hexadecimal)"
    }
    let evidence = zip(map.cloud.identifiers, map.cloud.channels.evidence ?? []).compactMap { identifier, row in
      row == FeatureEvidence()
        ? nil
        : "evidence \(identifier) \(row.session) \(row.number) \(row.sightings) \(row.residual ?? -1) "
          + "\(row.depthDeviation ?? -1)"
    }
    return keyframes + evidence
  }
}

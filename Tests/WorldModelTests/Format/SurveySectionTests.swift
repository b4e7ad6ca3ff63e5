import Basics
import Testing

@testable import WorldModel

@Suite("Keyframes and evidence")
struct SurveySectionTests {
  private static let map = Samples.survey

  /// The section of the evidence as a program keeps it that does not know it.
  private static func kept() throws -> WorldMap.UnknownSection {
    let body = try #require(try SurveySections.encodeEvidence(of: map.cloud))
    return WorldMap.UnknownSection(
      code: body.code.rawValue, codec: body.codec, rawLength: body.rawLength, coveredLength: body.covered.count,
      bytes: body.covered)
  }

  @Test func `a file without them is of minor version 0, with one of them of 1`() throws {
    var (evidence, keyframes) = (Self.map, Self.map)
    evidence.keyframes = []
    keyframes.cloud.channels.evidence = nil
    for (map, minor) in [(evidence, UInt8(1)), (keyframes, 1), (WorldMap(cloud: Samples.cloud(3)), 0)] {
      let file = try map.encoded()
      #expect(file[10] == minor)
      #expect(try WorldMap(decoding: file) == map)
    }
  }

  @Test func `the provider is in the file, and of a wrong length it is refused`() throws {
    var map = Self.map
    map.provider = PeerID(SHA256Digest(words: [1, 2, 3, 4]))
    let file = try map.encoded()
    #expect(file[10] == 1)
    #expect(try WorldMap(decoding: file) == map)
    #expect(WorldMap.salvage(Array(file.dropLast())).map.provider == map.provider)
    let other = WorldMap(cloud: FeatureCloud())
    #expect(try map.merged(with: map).provider == map.provider && map.merged(with: other).provider == nil)
    map.provider = nil
    map.unknownSections = [
      WorldMap.UnknownSection(
        code: SectionCode.provider.rawValue, codec: 0, rawLength: 31, coveredLength: 31,
        bytes: [UInt8](repeating: 7, count: 31))
    ]
    let error = #expect(throws: WorldMapError.self) { try WorldMap(decoding: map.encoded()) }
    #expect(error.map { "\($0)".contains("a PROV section is 32 bytes") } == true)
  }

  @Test func `rows of points that are gone are passed over, and new points have none`() throws {
    let cloud = Self.map.cloud
    var map = WorldMap(cloud: cloud.selecting([0, 2, 3, 11]))
    map.cloud.channels.evidence = nil
    map.cloud.append(FeatureCloud(positions: [.zero], identifiers: [1_000_000]))
    map.unknownSections = [try Self.kept()]
    let found = try WorldMap(decoding: map.encoded())
    let rows = try #require(cloud.channels.evidence)
    #expect(found.cloud.channels.evidence == [rows[0], rows[2], rows[3], rows[11], FeatureEvidence()])
    #expect(found.unknownSections.isEmpty)
  }

  @Test func `points out of order keep their rows`() throws {
    var map = Self.map
    map.cloud = map.cloud.selecting(map.cloud.indices.reversed())
    #expect(try map.encoded() == Self.map.encoded())
    #expect(try map.cloud.sorted() == Self.map.cloud)
  }

  @Test func `several tasks decode the same`() async throws {
    let map = try await WorldMap(decoding: Self.map.encoded(), tasks: 3)
    #expect(map == Self.map)
  }

  @Test func `a section of a wrong length, order or codec is refused`() throws {
    let sound = try Self.kept()
    var (short, swapped, plain) = (sound, sound, sound)
    short.bytes.removeLast()
    short.coveredLength -= 1
    swapped.bytes.replaceSubrange(4..<40, with: sound.bytes[40..<76])
    plain.codec = 1
    for (section, message) in [
      (short, "the length of the EVID section does not fit its count"), (swapped, "evidence out of order"),
      (plain, "a EVID section is plain"),
    ] {
      var map = WorldMap(cloud: Samples.cloud(12))
      map.unknownSections = [section]
      let file = try map.encoded()
      let error = #expect(throws: WorldMapError.self) { try WorldMap(decoding: file) }
      #expect(error?.description.hasPrefix(message) == true)
    }
  }

  @Test func `what breaks a rule of the model is refused before it is written`() {
    var map = Self.map
    map.keyframes[0].lens.focalLength.x = 0
    #expect(throws: WorldMapError.model(.outOfRange(field: "focal length"))) { try map.encoded() }
    map = Self.map
    map.keyframes[1].time = .nan
    #expect(throws: WorldMapError.model(.notFinite("time of a keyframe"))) { try map.encoded() }
    map = Self.map
    map.cloud.channels.evidence?[0].residual = -1
    #expect(throws: WorldMapError.model(.outOfRange(field: "residual"))) { try map.encoded() }
    map = Self.map
    map.cloud.channels.evidence?.removeLast()
    #expect(throws: WorldMapError.model(.unevenChannel("evidence"))) { try map.encoded() }
  }

  @Test func `they move, merge and are cropped with the map`() throws {
    let pose = Transform(x: [0, 0, -1], y: [0, 1, 0], z: [1, 0, 0], translation: [1, 2, 3])
    let moved = try Self.map.transformed(by: pose)
    #expect(moved.keyframes[0].pose == pose * Self.map.keyframes[0].pose)
    #expect(moved.cloud.channels.evidence == Self.map.cloud.channels.evidence)
    var other = moved
    other.keyframes[1].number = 11
    let merged = try Self.map.merged(with: other)
    #expect(merged.keyframes == [Self.map.keyframes[1]] + other.keyframes)
    #expect(merged.cloud.channels.evidence == Self.map.cloud.channels.evidence)
    #expect(try Self.map.cloud.merged(with: Samples.cloud(3, seed: 9)).channels.evidence == nil)
    var cropped = Self.map.cloud
    cropped.removeAll { $0.identifier == Self.map.cloud.identifiers[3] }
    let rows = try #require(Self.map.cloud.channels.evidence)
    #expect(cropped.channels.evidence == Array(rows[..<3] + rows[4...]))
  }

  @Test func `salvage keeps them where they are sound, and names what is not`() throws {
    let file = try Self.map.encoded()
    let sections = try Container(reading: file.span.bytes).sections
    var damaged = file
    damaged[damaged.count - 1] ^= 1
    let salvage = WorldMap.salvage(damaged)
    #expect(salvage.map.keyframes == Self.map.keyframes && salvage.map.cloud.isEmpty)
    let evidence = try #require(sections.first { $0.entry.code == .evidence })
    damaged = file
    damaged[evidence.offset + 9] ^= 1
    let rest = WorldMap.salvage(damaged)
    #expect(rest.map.cloud.count == 12 && rest.map.cloud.channels.evidence == nil)
    #expect(rest.faults == [.damaged("section EVID", offset: evidence.offset)])
  }
}

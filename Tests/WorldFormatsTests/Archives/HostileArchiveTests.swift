import Basics
import Testing
import WorldModel

@testable import WorldFormats

@Suite struct HostileArchiveTests {
  private static func error(_ name: String) throws -> ARKitArchiveError {
    let bytes = try ArchiveFixture.bytes("refused-\(name)")
    return try #require(throws: ARKitArchiveError.self) { try ARKitArchive(reading: bytes) }
  }

  @Test(arguments: [
    ("cycle", "not a sound archive: object 6 holds itself"),
    ("reference", "not a sound archive: a reference to object 9999, which it lacks"),
    ("deep", "not a sound archive: its objects nest more than 24 levels deep"),
    ("fan", "not a sound archive: its objects are visited more than 200000 times"),
    ("skew", "anchor 1 of the archive: its transform is not a rotation and a shift"),
    ("infinite", "anchor 1 of the archive: its transform is not finite or too far away"),
    ("scale", "anchor 1 of the archive: the last row of its transform is not 0 0 0 1"),
    ("short-matrix", "anchor 1 of the archive: its transform is not 16 numbers"),
    ("twice", "anchor 2 of the archive: one before it has the identifier 00000000-0000-4000-8000-000000000001"),
    ("corner", "anchor 1 of the archive: a triangle of its geometry has a corner that is no vertex"),
    ("other", "the archive holds no ARWorldMap; save one with NSKeyedArchiver on the device"),
    ("plain", "not a sound archive: it was not written by NSKeyedArchiver"),
  ])
  func `a hostile archive is refused with the reason`(name: String, message: String) throws {
    #expect(try "\(Self.error(name))" == message)
  }

  @Test func `every refused fixture is tried`() {
    #expect(ArchiveFixture.refused.count == 12)
  }

  // The fan costs 200,000 visits however one byte of it changes.
  @Test(arguments: ArchiveFixture.refused.filter { $0 != "fan" }.map { "refused-\($0)" } + ["wrapped"])
  func `every prefix and every changed byte is a map or an error`(name: String) throws {
    let bytes = try ArchiveFixture.bytes(name)
    // Of the one file with points a part: the fuzz target sees the rest.
    let step = bytes.count > 2000 ? 5 : 1
    for end in stride(from: 0, to: bytes.count, by: step) { Self.check(Array(bytes[..<end])) }
    for place in stride(from: 0, to: bytes.count, by: step) {
      for change: UInt8 in [1, 0xff] {
        var changed = bytes
        changed[place] ^= change
        Self.check(changed)
      }
    }
  }

  /// What is read obeys the rules of the model, and what is unreadable has no points.
  private static func check(_ bytes: [UInt8]) {
    guard let archive = try? ARKitArchive(reading: bytes) else { return }
    #expect(throws: Never.self) { try archive.map.validate() }
    #expect(archive.unreadablePoints == nil || archive.map.cloud.isEmpty)
  }

  @Test func `a file over the limit is refused before it is looked at`() {
    let bytes = [UInt8](repeating: 0, count: ARKitArchive.largestFile + 1)
    #expect(throws: ARKitArchiveError.tooLarge(limit: 256 << 20)) { try ARKitArchive(reading: bytes) }
  }

  @Test func `the trailer of a list must fit its bytes`() throws {
    let sound = try ArchiveFixture.bytes("refused-plain")
    let trailer = sound.count - 32
    for (place, value) in [(6, UInt8(0)), (7, 9), (8, 1), (15, 200), (16, 1), (23, 200), (24, 1), (31, 255), (31, 7)] {
      var bytes = sound
      bytes[trailer + place] = value
      #expect(throws: ARKitArchiveError.self) { try BinaryPropertyList(bytes) }
    }
    #expect(throws: Never.self) { try BinaryPropertyList(sound) }
  }

  @Test func `data that many objects share costs no more than the file has bytes`() throws {
    var archive = try KeyedArchive(try BinaryPropertyList(try ArchiveFixture.bytes("wrapped")))
    try archive.spend(0..<7000)
    #expect(throws: ARKitArchiveError.malformedArchive("its objects share more data than it has")) {
      try archive.spend(0..<7000)
    }
  }

  @Test func `a name is cut and cleaned to what the model allows`() throws {
    // The name "kept" becomes four characters that steer a terminal.
    var bytes = try ArchiveFixture.bytes("wrapped")
    let name = Array("kept".utf8)
    let place = try #require(bytes.indices.first { bytes[$0...].starts(with: name) })
    for offset in 0..<4 { bytes[place + offset] = 0x1b }
    #expect(try ARKitArchive(reading: bytes).map.anchors[0].name == "\u{fffd}\u{fffd}\u{fffd}\u{fffd}")
  }
}

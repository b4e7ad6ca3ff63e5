import Basics
import Testing

@testable import WorldModel

@Suite("The parity of points")
struct ParityTests {
  private static let map = WorldMap(
    anchors: Samples.anchors.sorted { $0.id < $1.id }, cloud: Samples.cloud(60, channels: true), views: 3)
  private static let kept = EncodingOptions(effort: .fast, hasParity: true)

  /// A file with one block of points, and where it stands.
  private static func file() throws -> (bytes: [UInt8], block: Range<Int>) {
    let bytes = try map.encoded(kept)
    let row = try #require(try WorldMapDecoder(bytes).pointBlocks.rows.first)
    return (bytes, row.offset..<row.end)
  }

  @Test func `it costs less than a hundredth, and is no part of the map`() throws {
    let cloud = WorldMap(cloud: Samples.cloud(20_000))
    let (plain, kept) = (try cloud.encoded(), try cloud.encoded(.kept))
    #expect(kept.count > plain.count && Double(kept.count) <= 1.01 * Double(plain.count))
    #expect(try WorldMap(decoding: kept) == WorldMap(decoding: plain))
    #expect(try WorldMap(decoding: kept).unknownSections.isEmpty)
    // Without points there is nothing to repair.
    #expect(try WorldMap().encoded(.kept) == WorldMap().encoded())
  }

  @Test func `one wrong byte anywhere in the points costs nothing`() throws {
    var (bytes, block) = try Self.file()
    for place in block where place < block.lowerBound + 40 || place % 5 == 0 {
      bytes[place] ^= UInt8(1 + place % 255)
      let salvage = WorldMap.salvage(bytes)
      #expect(salvage.faults.isEmpty && salvage.repairedBlocks == [0], "byte \(place)")
      #expect(salvage.map == Self.map)
      bytes[place] ^= UInt8(1 + place % 255)
    }
  }

  @Test func `a run no longer than half a piece is repaired wherever it begins`() throws {
    let (bytes, block) = try Self.file()
    let length = ParitySection.length(of: block.count) / 2
    var random = SplitMix64(seed: 3)
    for start in stride(from: block.lowerBound, through: block.upperBound - length, by: 7) {
      var damaged = bytes
      // Some bytes of the run may be right.
      for place in start..<(start + length) {
        damaged[place] ^= random.next() % 3 == 0 ? 0 : UInt8(1 + random.next() % 255)
      }
      let salvage = WorldMap.salvage(damaged)
      #expect(salvage.faults.isEmpty && salvage.map == Self.map, "from byte \(start)")
    }
  }

  @Test func `more damage costs the block, and is named`() throws {
    let (bytes, block) = try Self.file()
    var damaged = bytes
    for place in [100, block.count / 2] { damaged[block.lowerBound + place] ^= 1 }
    let salvage = WorldMap.salvage(damaged)
    #expect(salvage.repairedBlocks.isEmpty && salvage.faults.count == 1 && salvage.map.cloud.isEmpty)
    #expect(salvage.map.anchors == Self.map.anchors)
  }

  @Test func `a damaged parity, or one of other blocks, costs nothing`() throws {
    var (bytes, block) = try Self.file()
    bytes[bytes.count - 1] ^= 1
    #expect(throws: WorldMapError.self) { try WorldMap(decoding: bytes) }
    let salvage = WorldMap.salvage(bytes)
    #expect(salvage.map == Self.map && salvage.faults.count == 1)
    // A program that does not know the section has changed the points and kept it.
    var other = WorldMap(cloud: Samples.cloud(61, channels: true))
    other.unknownSections = [
      .init(
        code: SectionCode.parity.rawValue, codec: 0, rawLength: 5, coveredLength: 5,
        bytes: Array(repeating: 1, count: 5))
    ]
    var stale = try other.encoded()
    #expect(try WorldMap(decoding: stale).cloud == other.cloud)
    block = try #require(try WorldMapDecoder(stale).pointBlocks.rows.first.map { $0.offset..<$0.end })
    stale[block.lowerBound + 200] ^= 1
    #expect(WorldMap.salvage(stale).repairedBlocks.isEmpty && WorldMap.salvage(stale).map.cloud.isEmpty)
  }

  @Test func `each damaged block is repaired on its own`() throws {
    let map = WorldMap(cloud: Samples.cloud(100_000))
    var bytes = try map.encoded(.kept)
    let rows = try WorldMapDecoder(bytes).pointBlocks.rows
    #expect(rows.count > 1)
    for row in rows { bytes[row.offset + row.storedLength / 3] ^= 0x40 }
    let salvage = WorldMap.salvage(bytes)
    #expect(salvage.repairedBlocks == Array(rows.indices) && salvage.faults.isEmpty && salvage.map == map)
  }

  @Test func `several tasks write the same parity`() async throws {
    let map = WorldMap(cloud: Samples.cloud(100_000))
    let tasks = try await map.encoded(.kept, tasks: 3)
    #expect(try tasks == map.encoded(.kept))
  }
}

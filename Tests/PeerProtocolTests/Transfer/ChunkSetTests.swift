import Basics
import PeerProtocol
import Testing

@Suite("Chunk set")
struct ChunkSetTests {
  @Test("gives members in turn, from any start and round", arguments: [1, 3, 63, 64, 65, 200])
  func findsInTurn(capacity: Int) {
    var random = SeededRandom(seed: UInt64(capacity))
    for _ in 0..<50 {
      let members = (0..<capacity).filter { _ in random.chance(percent: 30) }
      let others = (0..<capacity).filter { _ in random.chance(percent: 50) }
      let (set, other) = (Self.set(members, capacity), Self.set(others, capacity))
      let start = random.below(capacity)
      let common = members.filter(others.contains)
      #expect(set.first(from: start, alsoIn: other) == (common.first { $0 >= start } ?? common.first))
      #expect(set.first(from: start, alsoIn: nil) == (members.first { $0 >= start } ?? members.first))
      #expect(set.count == members.count && (0..<capacity).filter(set.contains) == members)
    }
    #expect(ChunkSet.all(capacity).count == capacity)
  }

  @Test("is read back from its bits, and refuses a chunk beyond the last", arguments: [1, 8, 12, 64, 100])
  func roundTrips(capacity: Int) throws {
    let set = Self.set(stride(from: 0, to: capacity, by: 3).map { $0 }, capacity)
    var writer = ByteWriter()
    set.write(to: &writer)
    #expect(writer.count == (capacity + 7) / 8)
    var bytes = writer.bytes
    var reader = ByteReader(bytes.span)
    let again = try ChunkSet(reading: &reader, capacity: capacity)
    #expect(again == set)
    guard capacity % 8 != 0 else { return }
    bytes[bytes.count - 1] |= 0x80
    #expect(throws: DecodingFailure.self) {
      var reader = ByteReader(bytes.span)
      _ = try ChunkSet(reading: &reader, capacity: capacity)
    }
  }

  private static func set(_ members: [Int], _ capacity: Int) -> ChunkSet {
    var set = ChunkSet(capacity: capacity)
    for member in members { set.insert(member) }
    return set
  }
}

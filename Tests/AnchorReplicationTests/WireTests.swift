import AnchorReplication
import Basics
import Foundation
import Testing
import WorldModel

/// The bytes of Documentation/Protocol/anchors.md, as another implementation would read them from Fixtures/Wire.
@Suite("Wire format of anchors")
struct WireTests {
  /// The bytes of a golden file: hexadecimal digits, white space ignored.
  private func golden(_ name: String) throws -> [UInt8] {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Fixtures/Wire/anchors-\(name).hex").standardizedFileURL
    let text = try String(contentsOf: file, encoding: .utf8)
    return try #require([UInt8](hexadecimal: text.filter { !$0.isWhitespace }))
  }

  /// The state of the golden files: what Documentation/Protocol/anchors.md describes in words.
  private func example() throws -> AnchorSet {
    var (left, right) = (makeSet(1), makeSet(2))
    try left.importAnchors(of: SHA256Digest(hashing: [1, 2, 3]), anchors: [anchor(1, "from the map", x: 1)])
    var lamp = anchor(2, "lamp")
    lamp.kind = .image(.init(referenceName: "poster", physicalSize: [0.5, 0.7]))
    lamp.payload = .init(contentType: "text/plain", bytes: Array("hi".utf8))
    _ = try left.place(lamp, at: 1_000)
    _ = try left.place(anchor(3, "gone"), at: 1_001)
    try right.pull(from: left)
    _ = try right.move(id(2), to: Transform(translation: [1, -2, 0.5]), at: 1_500)
    _ = try right.rename(id(2), to: "Lämpchen", at: 1_501)
    _ = try right.setPayload(nil, of: id(2), at: 1_502)
    _ = try right.setFlags(0x8000_0001, of: id(2), at: 1_503)
    let lock = AnchorLock(owner: peer(2), leaseUntil: 9_000, epoch: 3, number: 4)
    _ = try right.setLock(lock, of: id(2), at: 1_504)
    _ = try right.remove(id(3), at: 1_505)
    _ = try right.restore(anchor(4, "back"), from: id(3), at: 1_506)
    _ = try right.move(id(4), to: Transform(translation: [0, 1, 0]), at: 1_507)
    let outline: [SIMD2<Float>] = [[-1, -0.25], [1, -0.25], [0, 0.25]]
    let table = Anchor.Plane(alignment: .horizontal, classification: .table, extent: [2, 0.5], boundary: outline)
    _ = try right.setKind(.plane(table), of: id(4), at: 1_508)
    return right
  }

  @Test("operations, vector, snapshot and digest are written as the golden vectors")
  func encodes() throws {
    var set = try example()
    #expect(try set.batches(for: VersionVector(), limit: 100_000) == [golden("batch")])
    var vector = ByteWriter()
    set.vector.encode(into: &vector)
    #expect(try vector.bytes == golden("vector"))
    #expect(try set.encodeSnapshot() == golden("snapshot"))
    #expect(try set.digest.bytes == golden("digest"))
    var chunks = SnapshotChunks(set.encodeSnapshot())
    var chunk = ByteWriter()
    while chunks.next(limit: 300, into: &chunk) {}
    #expect(try chunk.bytes == golden("chunks"))
  }

  @Test("the golden vectors are read back")
  func decodes() throws {
    let set = try example()
    var fromBatch = makeSet(9)
    try fromBatch.receive([golden("batch")])
    #expect(fromBatch.encodeSnapshot() == set.encodeSnapshot())
    var fromSnapshot = makeSet(9)
    let snapshot = try golden("snapshot")
    try fromSnapshot.merge(snapshot: snapshot.span.bytes)
    #expect(fromSnapshot.anchors == fromBatch.anchors)
    #expect(try fromSnapshot.digest.bytes == golden("digest"))
    var assembly = OperationAssembly()
    let batch = try golden("batch")
    let delta = try AnchorDelta(decoding: batch.span.bytes, assembly: &assembly)
    #expect(delta.operations.count == 12)
    var again = ByteWriter()
    delta.encode(into: &again)
    #expect(again.bytes == batch)
  }

  @Test("a large operation in parts is read back")
  func parts() throws {
    var set = makeSet(1)
    _ = try set.place(anchor(1), at: 1)
    _ = try set.setPayload(.init(contentType: "x", bytes: Array(0..<200) + Array(0..<200)), of: id(1), at: 2)
    let parts = try set.batches(for: VersionVector(covering: [Dot(actor: actor(1), sequence: 1)]), limit: 256)
    #expect(try parts.count == 2 && Array(parts.joined()) == golden("parts"))
    var other = makeSet(2)
    _ = try other.receive(set.batches(for: VersionVector(), limit: 256))
    #expect(other.digest == set.digest)
  }

  private func decode(_ bytes: [UInt8], limit: Int = 10) throws -> VersionVector {
    var reader = ByteReader(bytes.span.bytes)
    let vector = try VersionVector(decoding: &reader, limit: limit)
    try reader.finish()
    return vector
  }

  @Test("a vector's every prefix is refused, and whatever is accepted is canonical")
  func vectors() throws {
    let bytes = try golden("vector")
    for count in 0..<bytes.count { #expect(throws: DecodingFailure.self) { try decode(Array(bytes.prefix(count))) } }
    for bit in 0..<(bytes.count * 8) {
      var mangled = bytes
      mangled[bit / 8] ^= 1 << UInt8(bit % 8)
      guard let vector = try? decode(mangled) else { continue }
      var again = ByteWriter()
      vector.encode(into: &again)
      #expect(again.bytes == mangled)
    }
    #expect(throws: DecodingFailure.overLimit(limit: 2, offset: 0)) { try decode(bytes, limit: 2) }
  }

  @Test("chunks out of order, too long or too many are refused")
  func chunks() throws {
    var chunks = SnapshotChunks(Array(0..<250))
    var all: [[UInt8]] = []
    var writer = ByteWriter()
    while chunks.next(limit: 108, into: &writer) {
      all.append(writer.bytes)
      writer.removeAll()
    }
    #expect(all.map(\.count) == [108, 108, 58])
    var assembly = SnapshotAssembly(limit: 250)
    // The third chunk below is the first again: the sender starts over.
    for index in [0, 1, 0] {
      let isWhole = try assembly.take(bytes: all[index])
      #expect(!isWhole)
    }
    #expect(throws: DecodingFailure.self) { try assembly.take(bytes: all[2]) }
    #expect(throws: Never.self) { try assembly.take(bytes: all[1]) }
    let isWhole = try assembly.take(bytes: all[2])
    #expect(isWhole)
    #expect(assembly.bytes == Array(0..<250))
    var small = SnapshotAssembly(limit: 249)
    #expect(throws: DecodingFailure.overLimit(limit: 249, offset: 0)) { try small.take(bytes: all[0]) }
  }
}

import AnchorReplication
import Basics
import PeerProtocol
import WorldModel

/// The people of a simulated session: they place, move, name, lock and remove anchors, and share maps.
struct SessionApp {
  private var random: SeededRandom
  /// The last map of many chunks; empty before the first.
  private var largeMap: [UInt8] = []

  init(random: SeededRandom) {
    self.random = random
  }

  /// One edit, of whatever kind.
  mutating func edit(in world: inout SessionWorld, at index: Int) {
    var dice = random.split()
    world.edit(index) { anchors, time in Self.edit(anchors, time, &dice) }
  }

  /// A new anchor.
  mutating func place(in world: inout SessionWorld, at index: Int) {
    var dice = random.split()
    world.edit(index) { _, _ in .place(Anchor(id: AnchorID(using: &dice), name: "a")) }
  }

  private static func edit(_ known: [Anchor], _ time: UInt64, _ dice: inout SeededRandom) -> AnchorEdit {
    let place = Transform(translation: [Float(dice.below(100)), Float(dice.below(100)), 0])
    guard !known.isEmpty, dice.below(10) >= 4 else {
      return .place(Anchor(id: AnchorID(using: &dice), name: "a\(dice.below(100))", transform: place))
    }
    let id = known[dice.below(known.count)].id
    switch dice.below(12) {
    case 0, 1: return .remove(id)
    case 2, 3: return .rename(id, to: "n\(dice.below(100))")
    case 4: return .setFlags(UInt32(dice.below(8)), of: id)
    case 5:
      let bytes = [UInt8](repeating: 7, count: dice.below(4) == 0 ? 40_000 : dice.below(200))
      return .setPayload(Anchor.Payload(contentType: "x/y", bytes: bytes), of: id)
    case 6:
      let owner = SessionPeer.identity(of: dice.below(4))
      let end = dice.below(3) == 0 ? AnchorLock.endless : time + UInt64(dice.below(10_000))
      return .setLock(
        AnchorLock(owner: owner, leaseUntil: end, epoch: dice.below(3), number: dice.below(UInt64(5))), of: id)
    case 7:
      let extent = SIMD2(Float(1 + dice.below(9)), Float(dice.below(9)))
      return .setKind(.plane(Anchor.Plane(alignment: .horizontal, extent: extent)), of: id)
    default: return .move(id, to: place)
    }
  }

  /// A map that does not compress, with up to three anchors: of up to three chunks, or one time in four of many small ones.
  mutating func shareMap(in world: inout SessionWorld, from index: Int) {
    var dice = random.split()
    let package = dice.below(4) == 0 ? manyChunks(&dice) : MapPackage(map: Self.noise(3 * ProtocolLimits.chunk, &dice))
    let anchors = (0..<dice.below(4)).map { Anchor(id: AnchorID(using: &dice), name: "map \($0)") }
    world.share(package, anchors: anchors, from: index)
  }

  /// A map of more chunks than a receiver asks of one holder at a time, or the last such map with some of them changed.
  private mutating func manyChunks(_ dice: inout SeededRandom) -> MapPackage {
    let size = Self.smallChunk
    if largeMap.isEmpty || dice.below(2) == 0 {
      largeMap = Self.noise(80 * size, &dice) + Self.noise(size, &dice)
    } else {
      for _ in 0..<3 { largeMap[dice.below(largeMap.count)] ^= 1 }
    }
    let ranges = stride(from: 0, to: largeMap.count, by: size).map { $0..<min($0 + size, largeMap.count) }
    return MapPackage(map: largeMap, ranges: ranges[...])
  }

  /// Bytes of a chunk of such a map.
  private static let smallChunk = 4 * 1024

  /// Random bytes, one to `most`, rounded up to words.
  private static func noise(_ most: Int, _ dice: inout SeededRandom) -> [UInt8] {
    let size = 1 + dice.below(most)
    var map = ByteWriter(capacity: size + 8)
    while map.count < size { map.write(dice.next()) }
    return map.bytes
  }
}

import Basics
import PeerProtocol
import WorldModel

/// The attachments of the people of a simulated session: they attach some, and remove their own and, as host, those of others.
struct AttachmentApp {
  private var random: SeededRandom
  private static let chunk = 1024

  init(random: SeededRandom) {
    self.random = random
  }

  /// An attachment, or the removal of one.
  mutating func act(in world: inout SessionWorld, at index: Int) {
    var dice = random.split()
    guard dice.below(3) > 0 else { return remove(&dice, in: &world, at: index) }
    let size = dice.below(8) == 0 ? 0 : 1 + dice.below(12 * Self.chunk)
    let bytes = (0..<size).map { _ in UInt8(truncatingIfNeeded: dice.next()) }
    let ranges = stride(from: 0, to: size, by: Self.chunk).map { $0..<min($0 + Self.chunk, size) }
    let package = MapPackage(map: bytes, ranges: ranges[...])
    var attached: ResourceID?
    world.perform(index) { peer, now in
      let input = Input.attach(ResourcePackage(name: "a", names: package.names))
      guard case .offered(let id) = peer.handle(input, at: now) else { return }
      peer.shelf.chunks[id.content] = ranges.map { Array(bytes[$0]) }
      attached = id
    }
    if let attached { world.simulation.monitor.attached(attached, bytes) }
  }

  private func remove(_ dice: inout SeededRandom, in world: inout SessionWorld, at index: Int) {
    let pick = dice.below(8)
    world.perform(index) { peer, now in
      let known = peer.node.attachments.map(\.offer.id).sorted()
      guard pick < known.count else { return }
      peer.handle(.detach(known[pick]), at: now)
    }
  }

  /// B3 and B4 at rest: an attachment that is not listed everywhere, or that somebody has and somebody lacks.
  func disagreement(in world: SessionWorld) -> String? {
    var listed: [ResourceID]?
    var (here, missing): (Set<ResourceID>, [ResourceID: Int]) = ([], [:])
    for index in 0..<world.count {
      guard let node = world.node(index) else { continue }
      let mine = node.attachments.map(\.offer.id).sorted()
      if let listed, listed != mine {
        return "B3 \(index + 1) lists \(mine.count) attachments, another one \(listed.count)"
      }
      listed = mine
      for (offer, isHere) in node.attachments {
        if isHere { here.insert(offer.id) } else { missing[offer.id] = index }
      }
    }
    let lacking = missing.filter { here.contains($0.key) }.min { $0.key < $1.key }
    return lacking.map { "B4 \($0.value + 1) lacks attachment \($0.key.description.prefix(6))" }
  }
}

/// Watches the attachments of apps: each arrives as it was attached, and one whose removal a start has seen stays away there.
package struct AttachmentWatch: Sendable {
  private var hashes: [ResourceID: SHA256Digest] = [:]
  private var removed: [Int: Set<ResourceID>] = [:]
  /// Attachments that came, over all nodes.
  private(set) var receivedCount = 0

  mutating func attached(_ id: ResourceID, _ bytes: [UInt8]) { hashes[id] = SHA256Digest(hashing: bytes) }

  /// A machine has another start.
  mutating func started(_ index: Int) { removed[index] = nil }

  /// A node has told its app of an attachment, of which so many bytes are on its machine; a text says what is wrong with that.
  mutating func changed(
    _ offer: OfferedResource, _ stage: AttachmentStage, _ bytes: [UInt8], at index: Int
  ) -> String? {
    switch stage {
    case .listed:
      return removed[index]?.contains(offer.id) == true ? "B5 a removed attachment is back at \(index + 1)" : nil
    case .removed:
      removed[index, default: []].insert(offer.id)
      return nil
    case .here:
      receivedCount += 1
      guard hashes[offer.id] == SHA256Digest(hashing: bytes), bytes.count == offer.size else {
        return "B4 an attachment is not what was attached"
      }
      return nil
    case .failed(let failure): return "B4 \(index + 1) loses an attachment: \(failure.word)"
    }
  }
}

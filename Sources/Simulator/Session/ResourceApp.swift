import Basics
import PeerProtocol
import WorldModel

/// The resources of the people of a simulated session: they offer some to each other, accept, decline, leave unanswered and
/// give up; and one machine now and then reads other bytes than it should.
struct ResourceApp {
  private var random: SeededRandom
  /// The bytes that were offered last.
  private var last: [UInt8] = []

  init(random: SeededRandom) {
    self.random = random
  }

  /// An offer, or the end of one, by whichever side.
  mutating func act(in world: inout SessionWorld, at index: Int) {
    var dice = random.split()
    world.perform(0) { peer, _ in peer.shelf.isFaulty = true }
    guard dice.below(4) > 0 else { return giveUp(&dice, in: &world, at: index) }
    // Now and then none, and now and then those that receivers may have in their caches.
    let size = dice.below(8) == 0 ? 0 : 1 + dice.below(20 * Self.chunk)
    let fresh = (0..<size).map { _ in UInt8(truncatingIfNeeded: dice.next()) }
    let bytes = dice.below(4) == 0 ? last : fresh
    last = bytes
    let receivers = (0..<(1 + dice.below(world.count))).map { _ in SessionPeer.identity(of: dice.below(world.count)) }
    let ranges = stride(from: 0, to: bytes.count, by: Self.chunk).map { $0..<min($0 + Self.chunk, bytes.count) }
    let package = MapPackage(map: bytes, ranges: ranges[...])
    var offered: (id: ResourceID, sender: NodeID)?
    world.perform(index) { peer, now in
      let input = Input.offerResource(ResourcePackage(name: "../r", names: package.names), to: receivers)
      guard case .offered(let id) = peer.handle(input, at: now) else { return }
      peer.shelf.chunks[id.content] = ranges.map { Array(bytes[$0]) }
      offered = (id, peer.node.me)
    }
    if let offered {
      world.simulation.monitor.offered(offered.id, bytes, from: offered.sender, to: receivers)
    }
  }

  private func giveUp(_ dice: inout SeededRandom, in world: inout SessionWorld, at index: Int) {
    let pick = dice.below(8)
    let failure: ResourceFailure = dice.below(2) == 0 ? .diskFull : .cancelled
    world.perform(index) { peer, now in
      let known = peer.shelf.chunks.keys.sorted { $0.digest < $1.digest }
      guard pick < known.count else { return }
      peer.handle(.endResource(ResourceID(known[pick]), failure), at: now)
    }
  }

  /// Everybody answers every offer from now on.
  func answerAll(in world: inout SessionWorld) {
    for index in 0..<world.count { world.perform(index) { peer, now in peer.answerResources(at: now) } }
  }

  private static let chunk = 1024

  /// B2 at rest: a resource that has neither come nor failed.
  func disagreement(in world: SessionWorld) -> String? {
    for index in 0..<world.count {
      guard let node = world.node(index), node.openResources > 0 else { continue }
      return "B2 \(index + 1) has \(node.openResources) resources that have not ended"
    }
    return nil
  }
}

/// One machine's files of resources, and its app's part in them.
struct ResourceShelf {
  /// The chunks of resources that were offered here, or written so far.
  var chunks: [ContentID: [[UInt8]]] = [:]
  /// Offers that the app has not answered.
  var unanswered: [OfferedResource] = []
  /// Whether it answers every offer at once.
  var answersAll = false
  /// Whether the machine reads wrong bytes now and then.
  var isFaulty = false
  private var reads = 0

  /// The chunk that the node is to send; nil when there is none.
  mutating func read(_ load: ChunkLoad) -> StoredChunk? {
    guard let chunks = chunks[load.content], chunks.indices.contains(load.index) else { return nil }
    var bytes = chunks[load.index]
    reads += 1
    if isFaulty, reads.isMultiple(of: 7), !bytes.isEmpty { bytes[0] ^= 1 }
    return StoredChunk(compressing: bytes[...])
  }

  /// Writes a chunk that is proven.
  mutating func write(_ check: ChunkCheck) {
    write(check.chunk, size: check.name.size, at: check.index, of: check.content)
  }

  /// Writes chunks that the cache had.
  mutating func write(_ found: [FoundChunk], of search: ChunkSearch) {
    let sizes = Dictionary(uniqueKeysWithValues: search.wanted.map { ($0.index, $0.name.size) })
    for chunk in found { write(chunk.chunk, size: sizes[chunk.index] ?? 0, at: chunk.index, of: search.content) }
  }

  private mutating func write(_ chunk: StoredChunk, size: Int, at index: Int, of content: ContentID) {
    guard let raw = try? chunk.expanded(to: size) else { return }
    while chunks[content, default: []].count <= index { chunks[content]?.append([]) }
    chunks[content]?[index] = raw
  }
}

/// Watches the resources of apps: what is received is what was offered, and what its sender is told is true.
package struct ResourceWatch: Sendable {
  private struct Offer: Sendable {
    let sender: NodeID
    let hash: SHA256Digest
    let receivers: [PeerID]
    /// Receivers that have all of it.
    var received: Set<PeerID> = []
    /// Receivers whose result its sender knows.
    var settled: Set<PeerID> = []
  }

  private var offers: [ResourceID: Offer] = [:]
  /// Resources that came, over all nodes.
  private(set) var receivedCount = 0

  mutating func offered(_ id: ResourceID, _ bytes: [UInt8], from sender: NodeID, to receivers: [PeerID]) {
    offers[id] = Offer(sender: sender, hash: SHA256Digest(hashing: bytes), receivers: receivers)
  }

  /// A node has a resource; a text says what is wrong with that.
  mutating func received(_ offer: OfferedResource, _ bytes: [UInt8], by receiver: PeerID) -> String? {
    guard let known = offers[offer.id], known.receivers.contains(receiver), known.sender.peer == offer.from else {
      return "B1 a resource that nobody offered to it"
    }
    guard SHA256Digest(hashing: bytes) == known.hash, bytes.count == offer.size else {
      return "B1 a resource is not what was offered"
    }
    receivedCount += 1
    offers[offer.id]?.received.insert(receiver)
    return nil
  }

  /// A sender learns what became of a resource; a text says what is wrong with that.
  mutating func settled(_ id: ResourceID, _ receiver: PeerID, _ failure: ResourceFailure?) -> String? {
    guard offers[id]?.settled.insert(receiver).inserted == true else { return "B2 a resource ends twice" }
    guard failure != nil || offers[id]?.received.contains(receiver) == true else {
      return "B1 \(receiver.prefix) has not received what its sender takes for received"
    }
    return nil
  }
}

package import Basics

/// The head of a message that finds its way through members: who sent it, which one it is, whom it is for.
package struct FloodHeader: Equatable, Sendable, FrameBody {
  /// Bytes of the longest one on the wire.
  package static let largest = 2 * NodeID.wireSize + 13

  /// The node that sent it first.
  package var origin: NodeID
  /// Counts the origin's messages, from 1.
  package var nonce: UInt64
  /// The version of the origin's announcement that says whom it reached itself; 0 if none does.
  package var linkVersion: UInt32
  /// The node that it is for; nil for all.
  package var destination: NodeID?

  package init(origin: NodeID, nonce: UInt64, linkVersion: UInt32, destination: NodeID?) {
    self.origin = origin
    self.nonce = nonce
    self.linkVersion = linkVersion
    self.destination = destination
  }

  /// Appends origin, nonce, link version, and 0 or 1 and the destination.
  package func write(to writer: inout ByteWriter) {
    origin.write(to: &writer)
    writer.write(nonce)
    writer.write(linkVersion)
    writer.writeOptional(destination)
  }

  /// Reads what ``write(to:)`` wrote.
  package init(reading reader: inout ByteReader) throws(DecodingFailure) {
    origin = try NodeID(reading: &reader)
    nonce = try reader.read(UInt64.self)
    linkVersion = try reader.read(UInt32.self)
    destination = try reader.readOptionalNode()
  }
}

/// Brings messages to every member, or to one, where not every pair of members has a direct link.
///
/// To pass everything on to everybody costs n² messages in a mesh of n. A spanning tree costs n, but has to be mended
/// when a link dies, and that is when the election has most to say. So the relay keeps no structure of its own: the
/// presence graph, which every node has anyhow, says whom the origin reaches itself, and the rest is passed on.
///
/// The origin sends to its neighbours, and a receiver passes a message on, once, to those of its own neighbours that
/// have no direct link to the origin: n − 1 messages in a full mesh. If the receiver does not know the links that the
/// origin had it passes on to all. A message for one node takes a shortest path. A message that is lost on a dying link
/// is not sent again; the election repeats what matters.
///
/// *Once* needs a memory of what was seen, which a liar can try to fill: with made-up origins, which drive out each
/// other and not those of honest neighbours, and with made-up numbers of a true origin, each of which begins a range of
/// its own (``SeenMessages``). Without that memory one message would circle permanently.
package struct FloodRelay: Sendable {
  /// The treatment of a message.
  package struct Decision: Equatable, Sendable {
    /// Whether this node is to take the message itself.
    package var deliver: Bool
    /// The slots, in the graph, of the neighbours to pass it on to.
    package var targets: NodeSet
  }

  /// Origins remembered at a time.
  static let originLimit = 256

  private var origins: [SeenMessages] = []

  package init() {}

  /// Decides about a message that came over the link to `sender`; one that was seen before is dropped.
  package mutating func receive(
    _ header: FloodHeader, from sender: NodeID, over graph: borrowing PresenceGraph, at now: Instant
  ) -> Decision {
    guard header.origin != graph.me, isNew(header, from: sender, over: graph, at: now) else {
      return Decision(deliver: false, targets: NodeSet())
    }
    if header.destination == graph.me { return Decision(deliver: true, targets: NodeSet()) }
    let from = graph.slot(of: sender)
    let origin = graph.slot(of: header.origin)
    var targets = graph.neighbors
    if let destination = header.destination {
      if let hop = graph.nextHop(to: destination, avoiding: from) {
        targets = NodeSet()
        targets.insert(hop)
      }
    } else if let origin, knowsLinks(of: origin, header.linkVersion, in: graph) {
      targets = graph.withoutRelayed(targets.subtracting(graph.slots[origin].mutual), from: origin)
    }
    if let from { targets.remove(from) }
    if let origin { targets.remove(origin) }
    return Decision(deliver: header.destination == nil, targets: targets)
  }

  /// Whether it is known well enough whom the origin of a message reached itself.
  ///
  /// In a large session new links wait to be announced: those of the version before are still there, since a loss does not.
  private func knowsLinks(of origin: Int, _ version: UInt32, in graph: borrowing PresenceGraph) -> Bool {
    guard let state = graph.slots[origin].state else { return false }
    return state.version == version || graph.isLarge && state.version > 0 && version > 0
  }

  /// Whether a message was not seen before.
  private mutating func isNew(
    _ header: FloodHeader, from sender: NodeID, over graph: borrowing PresenceGraph, at now: Instant
  ) -> Bool {
    guard header.nonce > 0 else { return false }
    let isDirect = header.origin == sender
    if let index = origins.firstIndex(where: { $0.origin == header.origin }) {
      return origins[index].insert(header.nonce, isDirect: isDirect, at: now)
    }
    if origins.count == Self.originLimit { origins.remove(at: leastNeeded(over: graph)) }
    assert(origins.count < Self.originLimit, "more origins are remembered than may be")
    origins.append(SeenMessages(origin: header.origin, teller: sender))
    return origins[origins.count - 1].insert(header.nonce, isDirect: isDirect, at: now)
  }

  /// Which origin to forget: of those that the neighbour with most of them has brought the oldest that is out of reach, so that
  /// made-up origins drive out each other.
  private func leastNeeded(over graph: borrowing PresenceGraph) -> Int {
    var (teller, most) = (origins[0].teller, 0)
    for origin in origins {
      let count = origins.count { $0.teller == origin.teller }
      if count > most { (teller, most) = (origin.teller, count) }
    }
    for (index, seen) in origins.enumerated() where seen.teller == teller {
      guard let slot = graph.slot(of: seen.origin), graph.reachable.contains(slot) else { return index }
    }
    return origins.firstIndex { $0.teller == teller } ?? 0
  }
}

/// Heads the messages of one node.
package struct FloodSource: Sendable {
  private var nonce: UInt64 = 0

  package init() {}

  /// Heads a new message; it goes to the neighbours at `targets`.
  package mutating func originate(
    to destination: NodeID?, over graph: borrowing PresenceGraph
  ) -> (header: FloodHeader, targets: NodeSet) {
    nonce += 1
    let header = FloodHeader(
      origin: graph.me, nonce: nonce, linkVersion: graph.relayVersion, destination: destination)
    guard let destination, let hop = graph.nextHop(to: destination) else { return (header, graph.neighbors) }
    var targets = NodeSet()
    targets.insert(hop)
    return (header, targets)
  }
}

extension Turn {
  /// Sends a message to all members, or to one, through others where there is no direct link.
  mutating func flood(_ type: FrameType, to destination: NodeID?, _ build: (inout ByteWriter) -> Void) {
    let (header, targets) = floods.originate(to: destination, over: mesh.graph)
    send(type, to: targets) { body in
      header.write(to: &body)
      build(&body)
    }
  }

  /// Sends a frame to the neighbours at some slots of the graph.
  mutating func send(_ type: FrameType, to targets: NodeSet, _ build: (inout ByteWriter) -> Void) {
    var rest = targets
    while let slot = rest.popFirst() {
      guard let node = mesh.graph.node(at: slot), let link = mesh.links.carrier(of: node) else { continue }
      send(type, on: link, build)
    }
  }
}

/// Which of one origin's messages were seen, in a few ranges of their numbers.
///
/// An origin counts its messages, so one range moves along with it. A number far from that is a lie, or this node was out of
/// reach for long; it begins a range of its own, beside which the others go on.
struct SeenMessages: Sendable {
  /// Ranges remembered; the one that was used least recently gives way.
  static let ranges = 8

  let origin: NodeID
  /// The neighbour that brought the first of them.
  let teller: NodeID
  /// The one that was used last is the last.
  private var windows: [NonceWindow] = []
  /// Without a pause messages with made-up numbers could circulate without an end, each forgotten for the next.
  private var pause = RestartPause()

  init(origin: NodeID, teller: NodeID) { (self.origin, self.teller) = (origin, teller) }

  /// Remembers a number; false if it was seen before or cannot be told from one that was.
  ///
  /// - Parameter isDirect: Whether the origin itself brings it: then it may begin a range at any time.
  mutating func insert(_ nonce: UInt64, isDirect: Bool, at now: Instant) -> Bool {
    if let last = windows.indices.last, windows[last].isNear(nonce) { return windows[last].insert(nonce) }
    if let index = windows.lastIndex(where: { $0.isNear(nonce) }) {
      windows.append(windows.remove(at: index))
      return windows[windows.count - 1].insert(nonce)
    }
    guard isDirect || pause.admits(at: now) else { return false }
    // Below a later range lies what was seen before the first one moved on.
    let window = NonceWindow(from: nonce, isAllBelowSeen: windows.contains { $0.isAbove(nonce) })
    if windows.count == Self.ranges { windows.removeFirst() }
    windows.append(window)
    assert(windows.count <= Self.ranges, "more ranges are remembered than may be")
    return true
  }
}

/// A range of numbers: the highest that was seen, and one bit for each of the 4,096 up to it.
struct NonceWindow: Sendable {
  /// Numbers remembered.
  static let size: UInt64 = 4096

  private var highest: UInt64
  private var seen: [UInt64]

  /// A range that begins with a number.
  init(from nonce: UInt64, isAllBelowSeen: Bool) {
    highest = nonce
    seen = [UInt64](repeating: isAllBelowSeen ? .max : 0, count: Int(Self.size / 64))
    if !isAllBelowSeen { seen[Int(nonce % Self.size / 64)] |= 1 << (nonce % 64) }
  }

  /// Whether a number is one of those remembered, or so close above them that some of them stay.
  func isNear(_ nonce: UInt64) -> Bool {
    nonce > highest ? nonce - highest < Self.size : highest - nonce < Self.size
  }

  /// Whether the range lies above a number.
  func isAbove(_ nonce: UInt64) -> Bool { highest > nonce }

  /// Remembers a number that is near; false if it was seen before.
  mutating func insert(_ nonce: UInt64) -> Bool {
    // A far number would clear the bits of the whole range, one by one.
    assert(isNear(nonce), "a number of another range")
    if nonce > highest {
      for next in (highest + 1)...nonce { seen[Int(next % Self.size / 64)] &= ~(1 << (next % 64)) }
      highest = nonce
    }
    let (word, bit) = (Int(nonce % Self.size / 64), UInt64(1) << (nonce % 64))
    guard seen[word] & bit == 0 else { return false }
    seen[word] |= bit
    return true
  }
}

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
/// The origin sends to its neighbours, and a receiver passes a message on, once, to those of its own neighbours that
/// have no direct link to the origin: n − 1 messages in a full mesh. If the receiver does not know the links that the
/// origin had it passes on to all. A message for one node takes a shortest path. A message that is lost on a dying link
/// is not sent again; the election repeats what matters.
package struct FloodRelay: Sendable {
  /// The treatment of a message.
  package struct Decision: Equatable, Sendable {
    /// Whether this node is to take the message itself.
    package var deliver: Bool
    /// The places, in the graph, of the neighbours to pass it on to.
    package var targets: NodeSet
  }

  /// Origins remembered at a time.
  static let originLimit = 256

  private var windows: [NonceWindow] = []

  package init() {}

  /// Decides about a message that came over the link to `sender`; one that was seen before is dropped.
  package mutating func receive(
    _ header: FloodHeader, from sender: NodeID, over graph: borrowing PresenceGraph
  ) -> Decision {
    guard header.origin != graph.me, isNew(header, isDirect: header.origin == sender) else {
      return Decision(deliver: false, targets: NodeSet())
    }
    if header.destination == graph.me { return Decision(deliver: true, targets: NodeSet()) }
    let from = graph.place(of: sender)
    let origin = graph.place(of: header.origin)
    var targets = graph.neighbours
    if let destination = header.destination {
      if let hop = graph.nextHop(to: destination, avoiding: from) {
        targets = NodeSet()
        targets.insert(hop)
      }
    } else if let origin, let state = graph.places[origin].state, state.version == header.linkVersion {
      targets = targets.subtracting(graph.places[origin].mutual)
    }
    if let from { targets.remove(from) }
    if let origin { targets.remove(origin) }
    return Decision(deliver: header.destination == nil, targets: targets)
  }

  /// Whether a message was not seen before.
  ///
  /// A message that the origin itself brings, in order, is never too old: then somebody has used numbers of the future.
  private mutating func isNew(_ header: FloodHeader, isDirect: Bool) -> Bool {
    if let index = windows.firstIndex(where: { $0.origin == header.origin }) {
      if isDirect, windows[index].isTooOld(header.nonce) { windows[index] = NonceWindow(origin: header.origin) }
      return windows[index].insert(header.nonce)
    }
    if windows.count == Self.originLimit { windows.removeFirst() }
    windows.append(NonceWindow(origin: header.origin))
    return windows[windows.count - 1].insert(header.nonce)
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
    guard let destination, let hop = graph.nextHop(to: destination) else { return (header, graph.neighbours) }
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

  /// Sends a frame to the neighbours at some places of the graph.
  mutating func send(_ type: FrameType, to targets: NodeSet, _ build: (inout ByteWriter) -> Void) {
    var rest = targets
    while let place = rest.popFirst() {
      guard let node = mesh.graph.node(at: place), let link = mesh.links.carrier(of: node) else { continue }
      send(type, on: link, build)
    }
  }
}

/// Which of one origin's messages were seen: the highest nonce, and one bit for each of the 4,096 up to it.
struct NonceWindow: Equatable, Sendable {
  /// Nonces remembered; older ones count as seen.
  static let size: UInt64 = 4096

  let origin: NodeID
  private var highest: UInt64 = 0
  private var seen = [UInt64](repeating: 0, count: Int(size / 64))

  init(origin: NodeID) {
    self.origin = origin
  }

  /// Whether a nonce lies before those remembered.
  func isTooOld(_ nonce: UInt64) -> Bool { nonce < highest && highest - nonce >= Self.size }

  /// Remembers a nonce; false if it was seen before or is too old to tell.
  mutating func insert(_ nonce: UInt64) -> Bool {
    if nonce > highest {
      forget(upTo: nonce)
      highest = nonce
    } else if isTooOld(nonce) || nonce == 0 {
      return false
    }
    let (word, bit) = (Int(nonce % Self.size / 64), UInt64(1) << (nonce % 64))
    guard seen[word] & bit == 0 else { return false }
    seen[word] |= bit
    return true
  }

  /// Clears the bits of the nonces above the highest, which take the places of older ones.
  private mutating func forget(upTo nonce: UInt64) {
    guard nonce - highest < Self.size else {
      for word in seen.indices { seen[word] = 0 }
      return
    }
    for next in (highest + 1)...nonce { seen[Int(next % Self.size / 64)] &= ~(1 << (next % 64)) }
  }
}

package import Basics
import PeerProtocol

/// A node of a ``Simulation``: anything that owns connections to numbered peers and has a deadline.
///
/// All instants are of the node's own clock. After every call the simulation drains ``nextOutput()`` to nil.
package protocol SimulatedNode {
  /// A packet, which travels over a connection in one piece.
  associatedtype Packet

  /// Bytes that a packet takes on the wire, for networks with a limited rate.
  static func byteCount(of packet: Packet) -> Int

  /// A connection to `peer` is up, dialled by this node or by the other one.
  mutating func opened(_ connection: ConnectionID, peer: Int, isDialler: Bool, at now: Instant)
  /// A connection is gone; nothing more comes over it.
  mutating func closed(_ connection: ConnectionID, at now: Instant)
  /// A dialled connection failed.
  mutating func refused(peer: Int, at now: Instant)
  /// A packet arrived.
  mutating func received(_ packet: Packet, on connection: ConnectionID, at now: Instant)
  /// The deadline has come.
  mutating func tick(at now: Instant)
  /// The machine slept for `gap`, which the clock does not show.
  mutating func clockJumped(by gap: Duration, at now: Instant)
  /// When ``tick(at:)`` is due; nil for never.
  var deadline: Instant? { mutating get }
  /// Takes the next thing to do, oldest first.
  mutating func nextOutput() -> SimulatedOutput<Packet>?

  /// Whether ``delivered(byteCount:on:at:)`` is called.
  static var wantsReceipts: Bool { get }
  /// The other end has taken a packet of this many bytes: its place in the connection's buffers is free again.
  ///
  /// Returns whether the node has something to do about it.
  mutating func delivered(byteCount: Int, on connection: ConnectionID, at now: Instant) -> Bool
}

extension SimulatedNode {
  /// Nodes that send little need not know.
  package static var wantsReceipts: Bool { false }
  package mutating func delivered(byteCount: Int, on connection: ConnectionID, at now: Instant) -> Bool { false }
}

/// An order of a simulated node.
package enum SimulatedOutput<Packet> {
  /// Send the packet.
  case transmit(Packet, on: ConnectionID)
  /// Open a connection to the node with this number.
  case dial(peer: Int)
  /// Close a connection after what was sent before has arrived.
  case close(ConnectionID)
}

/// One connection of a simulation; its index in the simulation's table, not reused.
package typealias ConnectionID = ID<ConnectionTag>

package enum ConnectionTag: IDTag { package static var noun: String { "connection" } }

/// A monitor of a simulation that checks its invariants.
package protocol SimulationMonitor<Node> {
  associatedtype Node: SimulatedNode

  /// A node has been started, for the first time or again.
  mutating func started(_ index: Int, node: borrowing Node, at now: Instant)
  /// A node has handled one input or one deadline; `local` is the time on its clock, `now` that of the simulation.
  mutating func stepped(_ index: Int, node: borrowing Node, local: Instant, at now: Instant)
  /// A node comes back after standing still, and its clock has stood still for `slept` of that (ns).
  mutating func resumed(_ index: Int, node: borrowing Node, slept: Int64, local: Instant, at now: Instant)
}

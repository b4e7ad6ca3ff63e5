package import Basics
import WorldModel

/// The way of a frame through members: its two ends, and the members that passed it on.
///
/// It comes first in each routed frame.
package struct FrameRoute: Equatable, Sendable, FrameBody {
  /// Bytes on the wire.
  package static let size = 1 + 2 * NodeID.wireSize

  /// Members that have passed it on.
  package var hops: UInt8 = 0
  /// The sender of what it carries.
  package let from: NodeID
  /// The receiver of what it carries.
  package let to: NodeID

  package init(from: NodeID, to: NodeID) {
    self.from = from
    self.to = to
  }

  /// Appends hops and both nodes.
  package func write(to writer: inout ByteWriter) {
    writer.write(hops)
    from.write(to: &writer)
    to.write(to: &writer)
  }

  /// Reads what ``write(to:)`` wrote.
  package init(reading reader: inout ByteReader) throws(DecodingFailure) {
    hops = try reader.readByte()
    from = try NodeID(reading: &reader)
    to = try NodeID(reading: &reader)
  }
}

/// A frame for one member; where there is no link to it, it takes the way of the presence graph.
package protocol RoutedFrame: Sendable {
  static var type: FrameType { get }
  var route: FrameRoute { get set }
  func write(to writer: inout ByteWriter)
}

extension RoutedFrame {
  package var from: NodeID { route.from }
  package var to: NodeID { route.to }
}

extension Turn {
  /// Sends a frame on the link of its destination, or towards it; what finds no way is lost.
  mutating func route(_ frame: some RoutedFrame, from sender: NodeID? = nil) {
    guard frame.route.hops < ProtocolLimits.hops, let link = nextLink(to: frame.to, avoiding: sender) else { return }
    var frame = frame
    if sender != nil { frame.route.hops += 1 }
    send(type(of: frame).type, on: link) { frame.write(to: &$0) }
  }

  /// Whether a frame that arrived is for this node and can be believed; one for another node is passed on.
  mutating func isForMe(_ frame: some RoutedFrame, from sender: MemberLink) -> Bool {
    guard believes(frame.from, on: sender) else { return false }
    if frame.to == me { return true }
    route(frame, from: sender.node)
    return false
  }

  /// The link to the next member on the way to `node`, which may be the destination itself; nil without a way.
  func nextLink(to node: NodeID, avoiding sender: NodeID? = nil) -> LinkRef? {
    guard let hop = mesh.graph.nextHop(to: node, avoiding: sender.flatMap(mesh.graph.slot)),
      let next = mesh.graph.node(at: hop)
    else { return nil }
    return mesh.links.carrier(of: next)
  }

  /// Whether a frame of `origin` is believed on this link: a member with a link of its own is believed on that link alone.
  func believes(_ origin: NodeID, on sender: MemberLink) -> Bool {
    origin == sender.node || mesh.isHeardThroughOthers(origin)
  }
}

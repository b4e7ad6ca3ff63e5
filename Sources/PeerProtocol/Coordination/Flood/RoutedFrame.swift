package import Basics
import WorldModel

/// A frame for one member; where there is no link to it, it takes the way of the presence graph.
package protocol RoutedFrame: Sendable {
  static var type: FrameType { get }
  /// Members that have passed it on.
  var hops: UInt8 { get set }
  var from: NodeID { get }
  var to: NodeID { get }
  func write(to writer: inout ByteWriter)
}

extension Turn {
  /// Sends a frame on the link of its destination, or towards it; what finds no way is lost.
  mutating func route(_ frame: some RoutedFrame, from sender: NodeID? = nil) {
    guard frame.hops < ProtocolLimits.hops,
      let hop = mesh.graph.nextHop(to: frame.to, avoiding: sender.flatMap(mesh.graph.place)),
      let node = mesh.graph.node(at: hop), let link = mesh.links.carrier(of: node)
    else { return }
    var frame = frame
    if sender != nil { frame.hops += 1 }
    send(type(of: frame).type, on: link) { frame.write(to: &$0) }
  }

  /// Whether a frame that arrived is for this node and can be believed; one for another node is passed on.
  mutating func isForMe(_ frame: some RoutedFrame, from sender: MemberLink) -> Bool {
    // Who has a link of its own is believed on that link alone.
    guard frame.from == sender.node || mesh.isHeardThroughOthers(frame.from) else { return false }
    if frame.to == me { return true }
    route(frame, from: sender.node)
    return false
  }
}

import AnchorReplication
import Basics
package import WorldModel

/// The content of a live pose: an anchor where it is now, or a device as one, and whose it is.
struct MovedAnchor: Sendable {
  var anchor: Anchor
  var owner: PeerID?
  /// The frame that it is in; nil when that is not known.
  var frame: WorldFrame?
}

extension FrameView {
  /// The same in the frame of a reader; nil when nothing says where that is.
  func content(_ moved: MovedAnchor, seenBy reader: NodeID) -> MovedAnchor? {
    if isTrivial { return moved }
    guard let placed = place(moved.anchor.transform, from: moved.frame, to: frame(of: reader)) else { return nil }
    var moved = moved
    moved.anchor.transform = placed
    return moved
  }
}

extension AnchorFilter {
  /// Whether what moves meets every condition where it is.
  func matches(_ moved: MovedAnchor) -> Bool { matches(moved.anchor, owner: moved.owner) }
}

extension Turn {
  /// The content of an update, as an anchor; nil when it is not known here.
  func anchor(movedBy update: EphemeralUpdate) -> MovedAnchor? {
    guard let transform = update.pose?.transform else { return nil }
    let peer = update.origin.peer
    let frame = mesh.frames.frame(of: update)
    guard case .anchor(let id) = update.subject else {
      var anchor = Anchor(
        id: .participant(peer), name: mesh.roster[peer]?.name ?? "", transform: transform, kind: .participant(peer))
      anchor.creator = peer
      return MovedAnchor(anchor: anchor, owner: peer, frame: frame)
    }
    guard var anchor = anchors[id] else { return nil }
    anchor.transform = transform
    return MovedAnchor(anchor: anchor, owner: anchors.lock(of: id)?.owner, frame: frame)
  }
}

extension AnchorID {
  /// The id under which a peer's device is shown as an anchor: the same everywhere.
  package static func participant(_ peer: PeerID) -> AnchorID {
    let digest = SHA256Digest(hashing: Array("participant".utf8) + peer.bytes)
    // A UUID of version 8: made by a rule of one's own (RFC 9562 §5.8).
    return AnchorID(high: digest.words[0] & ~0xf000 | 0x8000, low: digest.words[1] & ~(3 << 62) | 2 << 62)
  }
}

import Basics
import WorldModel

extension Node {
  /// Sends an app's message on the direct links of `peers`, or of all members.
  mutating func sendMessage(_ bytes: [UInt8], to peers: [PeerID]?) {
    for id in memberLinks {
      guard let peer = links[id]?.peer, peers?.contains(peer) ?? true else { continue }
      sendControl(.message, on: id) { $0.write(bytes: bytes) }
    }
  }
}

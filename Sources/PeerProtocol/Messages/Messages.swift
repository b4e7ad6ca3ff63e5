import Basics
import WorldModel

/// The organ of the app's messages: each goes on the direct links of its receivers, and comes as an event.
struct Messages: Sendable {
  /// Sends a message to these members, or to all.
  func send(_ bytes: [UInt8], to peers: [PeerID]?, in turn: inout Turn) {
    for member in turn.mesh.links.members where peers?.contains(member.peer) ?? true {
      turn.send(.message, on: member.link) { $0.write(bytes: bytes) }
    }
  }

  /// Takes a member's message.
  func receive(_ body: RawSpan, from sender: MemberLink, in turn: inout Turn) throws(DecodingFailure) {
    var reader = ByteReader(body)
    turn.report(.message(try reader.readBytes(reader.remaining), from: sender.peer))
  }
}

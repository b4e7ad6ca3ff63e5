import PeerProtocol
import PeerTransport
import WorldModel

extension Session {
  /// Who is connected to whom, and what the connections carry, at one moment.
  public struct Statistics: Sendable {
    /// A direct connection between two peers; it has no direction.
    public struct Connection: Hashable, Sendable {
      /// The peer with the lower id.
      public let one: PeerID
      /// The other one.
      public let other: PeerID

      init(_ one: PeerID, _ other: PeerID) {
        (self.one, self.other) = one < other ? (one, other) : (other, one)
      }
    }

    /// A direct connection of this peer.
    public struct Link: Hashable, Sendable {
      /// Who is at the other end.
      public let peer: Peer
      /// The time a small message takes there and back, once measured.
      public let roundTrip: Duration?
      /// Bytes sent so far.
      public let bytesSent: UInt64
      /// Bytes received so far.
      public let bytesReceived: UInt64
      /// Bytes that wait to be sent: a number that stays high says that the network is slower than what is to be said.
      public let queuedBytes: Int
    }

    /// Every direct connection in the session that this peer knows of, its own included, in the order of the ids.
    ///
    /// Peers announce their connections to all, so those of others are known a moment later.
    public let connections: [Connection]
    /// The direct connections of this peer, in the order of the ids.
    public let links: [Link]
  }
}

extension Session {
  /// Who is connected to whom, and what this peer's own connections carry.
  public func statistics() -> Statistics {
    let found = try? read { node, _ in (node.presence, node.memberSnapshots) }
    guard let (presence, members) = found else { return Statistics(connections: [], links: []) }
    let links = members.filter(\.isDirect).map { member in
      Statistics.Link(
        peer: Peer(id: member.peerID, name: member.name), roundTrip: member.roundTrip, bytesSent: member.bytesSent,
        bytesReceived: member.bytesReceived,
        queuedBytes: member.bytesWaiting + (member.link.flatMap { driver?.queuedBytes(on: $0) } ?? 0))
    }
    let connections = presence.map { Statistics.Connection($0, $1) }
      .sorted { ($0.one, $0.other) < ($1.one, $1.other) }
    return Statistics(connections: connections, links: links)
  }
}

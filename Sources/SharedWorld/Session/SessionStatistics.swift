import WorldModel

extension Session {
  /// The connections of a session, and what they carry, at one moment.
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
      /// The peer at the other end.
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
    /// Turns of the protocol so far: one for each command, each read of a connection and each deadline; questions take
    /// none.
    ///
    /// A number that rises fast says what the session's thread works on.
    public let turns: UInt64
  }
}

import PeerProtocol
public import WorldModel

extension Session {
  /// Everything an app shows of a session, at one moment.
  public struct State: Sendable {
    /// The other peers, in the order of their ids.
    public let peers: [PeerStatus]
    /// The peers this one invites: those that are connected and have not answered yet.
    public let inviting: [Peer]
    /// The host; nil while an election runs.
    public let host: Peer?
    /// Counts the hosts of a session; a new host has a higher one.
    public let epoch: UInt64
    /// The session's map, once it is here.
    public let mapID: MapID?
    /// How far this peer has come with the session's map; of others ``PeerStatus/map`` tells.
    public let mapStatus: MapStatus
    /// Whether all is here that the connected peers had when they were connected.
    public let isSynchronized: Bool
    /// The feature points of that map.
    public let mapPoints: Int
    /// The anchors in the session.
    public let anchorCount: Int
    /// The time all members share.
    public let sessionTime: SessionTime
    /// Whether newcomers are turned away.
    public let isLocked: Bool
    /// The most peers that the session may have, this one included.
    public let memberLimit: Int
    /// Services seen on the network, in the order of their ids.
    public let candidates: [Candidate]
  }
}

extension Session {
  /// A session at one moment, for a render loop: everything in it is of the same turn, and never changes.
  public final class Snapshot: Sendable {
    /// Counts the snapshots of this session; 0 before the first.
    public let revision: UInt64
    /// Peers, host, map and candidates.
    public let state: State
    /// The anchors that have a place in this peer's frame, in the order of their ids, as ``Session/World/anchors``.
    public let anchors: [Anchor]
    /// The hash of the replicated state, as ``Session/World/digest``.
    public let digest: SHA256Digest
    /// Where the devices of other peers are, in this peer's frame.
    public let participants: [LivePose]
    /// The anchors that other peers drag, and where.
    public let drags: [LivePose]
    /// Whether the session is over; then this is what it was last.
    public let hasEnded: Bool

    init(
      revision: UInt64, state: State, anchors: [Anchor], digest: SHA256Digest, participants: [LivePose],
      drags: [LivePose], hasEnded: Bool
    ) {
      (self.revision, self.state) = (revision, state)
      (self.anchors, self.digest) = (anchors, digest)
      (self.participants, self.drags) = (participants, drags)
      self.hasEnded = hasEnded
    }
  }
}

extension PeerStatus {
  init(_ member: MemberSummary, map: MapStatus, recognition: Recognition) {
    let state: State =
      switch member.status {
      case .connecting: .connecting
      case .connected: .connected
      // The state is that of the events: one who looks between a state and the next event would wait for ever for a change
      // that no event tells.
      case .reconnecting: member.isNoticed ? .reconnecting : .connected
      case .lost: .lost
      }
    self.init(
      peer: Peer(id: member.peerID, name: member.name), state: state, isDirect: member.isDirect,
      roundTrip: member.roundTrip, bytesSent: member.bytesSent, bytesReceived: member.bytesReceived,
      map: map, recognition: recognition)
  }
}

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

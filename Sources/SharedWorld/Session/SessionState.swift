import PeerProtocol
import WorldModel

extension Session {
  /// Everything an app shows of a session, at one moment.
  public struct State: Sendable {
    /// The other peers, in the order of their ids.
    public let peers: [PeerStatus]
    /// The peers this one invites: those that are connected and have not answered yet.
    public let inviting: [Peer]
    /// The host; nil while an election runs.
    public let host: PeerID?
    /// Counts the hosts of a session; a new host has a higher one.
    public let epoch: UInt64
    /// The session's map, once it is here.
    public let mapID: MapID?
    /// How far this peer has come with the session's map; of others ``PeerStatus/map`` tells.
    public let mapStatus: MapStatus
    /// Whether all is here that the connected peers had when they were connected.
    public let isSynchronised: Bool
    /// The feature points of that map.
    public let mapPoints: Int
    /// The anchors in the session.
    public let anchorCount: Int
    /// The time all members share (milliseconds since the session's first host began).
    public let sessionTime: UInt64
    /// Whether newcomers are turned away.
    public let isLocked: Bool
    /// The most peers that the session may have, this one included.
    public let memberLimit: Int
    /// Services seen on the network, in the order of their ids.
    public let candidates: [Candidate]
  }
}

extension PeerStatus {
  init(_ member: MemberSnapshot, map: MapStatus, recognition: Recognition) {
    let state: State =
      switch member.status {
      case .connecting: .connecting
      case .connected: .connected
      case .reconnecting: .reconnecting
      case .lost: .lost
      }
    self.init(
      peer: Peer(id: member.peerID, name: member.name), state: state, isDirect: member.isDirect,
      roundTrip: member.roundTrip, bytesSent: member.bytesSent, bytesReceived: member.bytesReceived,
      map: map, recognition: recognition)
  }
}

/// A device that runs an app: an identity that cannot be forged, and a name for people.
public struct Peer: Hashable, Sendable, Codable, Identifiable {
  /// The key of the peer.
  public let id: PeerID
  /// The name that it gives itself: at most 63 bytes of UTF-8, not necessarily unique.
  public let name: String

  package init(id: PeerID, name: String) {
    self.id = id
    self.name = name
  }
}

/// A peer of a session and how well it can be reached.
public struct PeerStatus: Hashable, Sendable, Identifiable {
  /// How well a peer can be reached.
  @nonexhaustive
  public enum State: String, Hashable, Sendable {
    /// Admitted, not reached yet.
    case connecting
    /// Reachable, directly or through other peers.
    case connected
    /// Its connection broke and is being dialled again, as ``Session/Event/peerReconnecting(_:)`` has told.
    case reconnecting
    /// It could not be reached for too long; it may still come back.
    case lost
  }

  /// Which peer.
  public let peer: Peer
  /// How well it can be reached.
  public let state: State
  /// Whether there is a direct connection to it.
  public let isDirect: Bool
  /// The round trip of the direct connection, once measured.
  public let roundTrip: Duration?
  /// Bytes sent on the direct connection.
  public let bytesSent: UInt64
  /// Bytes received on the direct connection.
  public let bytesReceived: UInt64
  /// How far it has come with the session's map.
  public let map: MapStatus
  /// How its key compares with those that this device has admitted before.
  public let recognition: Recognition

  /// Which peer.
  public var id: PeerID { peer.id }
}

/// A service seen on the network that may be invited.
///
/// All that it says of itself is a hint: anybody may advertise anything.
public struct Candidate: Hashable, Sendable, Identifiable {
  /// The name of the service.
  public typealias ID = String

  /// Whether a session lets newcomers in.
  @nonexhaustive
  public enum Standing: String, Hashable, Sendable {
    /// It does.
    case open
    /// Its host has locked it.
    case locked
    /// It has as many members as it takes.
    case full
  }

  /// A way by which a peer is found.
  @nonexhaustive
  public enum Way: String, Hashable, Sendable {
    /// DNS-SD over multicast DNS.
    case multicastDNS = "mdns"
    /// An announcement.
    case announcement
  }

  /// The name of the service: the same each time that this device advertises, unless it hides
  /// (``Session/Configuration/Advertising/hidesDevice``).
  public let id: ID
  /// The name it shows, if it chose to show one; at most 63 bytes of UTF-8.
  public let name: String?
  /// The peer that answered when this session dialled the service; nil before that.
  ///
  /// Neither an advertisement nor the word of a peer changes it.
  public internal(set) var peer: Peer?
  /// The known peer that it seems to be, by the name recorded then: its device was admitted before, under a ``TrustPolicy`` that
  /// records keys, and told this one how to recognise it.
  ///
  /// Strangers cannot tell who it is, but can repeat the sign on the same day: an invitation is sent to that peer's key alone.
  public let seenBefore: Peer?
  /// Whether the session behind it says that it lets newcomers in.
  public let standing: Standing
  /// Whether it says that it asks for a passcode (``Session/Configuration/Authentication/passcode``).
  public let asksForPasscode: Bool
  /// The highest version of the protocol that it says it speaks; nil when it does not say.
  public let protocolVersion: Int?
  /// The key that signed its announcement (``Session/Configuration/Discovery/announcements``): an invitation is sent to that key alone.
  public let announcedKey: PeerID?
  /// The ways by which it was found.
  public let ways: Set<Way>
  /// The words of its app (``Session/Configuration/Advertising/info``).
  public let info: [String: String]

  /// The peer that an invitation of it is sent to, as far as that is known.
  package var likelyPeer: PeerID? { peer?.id ?? announcedKey ?? seenBefore?.id }

  init(
    id: ID, name: String?, peer: Peer?, seenBefore: Peer? = nil, standing: Standing = .open,
    asksForPasscode: Bool = false,
    protocolVersion: Int? = nil, info: [String: String] = [:], announcedKey: PeerID? = nil,
    ways: Set<Way> = [.multicastDNS]
  ) {
    (self.id, self.name, self.peer, self.seenBefore) = (id, name, peer, seenBefore)
    (self.standing, self.asksForPasscode) = (standing, asksForPasscode)
    (self.protocolVersion, self.info) = (protocolVersion, info)
    (self.announcedKey, self.ways) = (announcedKey, ways)
  }
}

package import AnchorReplication
package import Authentication
package import Basics
package import WorldModel

/// The configuration of a node.
package struct NodeConfiguration: Sendable {
  /// The identity of the peer.
  package var peerID: PeerID
  /// A random number of this start of the process.
  package var incarnation: UInt64
  /// The name people know it by.
  package var name: String
  /// The DNS-SD service type without underscore.
  package var service: String
  /// The name it advertises under, or empty.
  package var instance: String
  /// The key that members are told to recognise the advertisement by; nil tells none.
  package var recognitionKey: RecognitionKey?
  /// Where it listens.
  package var addresses: [SocketAddress]
  /// How it takes part in the election of a host.
  package var election: ElectionConfiguration
  /// Whether this node, as host, hands over to a member that asks to be host.
  package var hostRequests = HostRequestRule.byPriority
  /// The most members, oneself included, of a session that this node starts; 2 to ``ProtocolLimits/members``.
  package var memberLimit = ProtocolLimits.members
  /// Signs with this peer's key and checks signatures; nil: this node enters no owned session.
  package var signatures: Signatures?
  /// ``Genesis/nonceSize`` random bytes to begin an owned session; nil begins an open one.
  package var genesisNonce: [UInt8]?
  /// Whether that session's members share no maps unless they are publishers.
  package var curatesMaps = false
  /// Whether newcomers of that session are guests until its creator gives them another role.
  package var newcomersAreGuests = false
  /// The time at the beginning of the node's clock (milliseconds since 1970), by which admissions end.
  package var wallClock: UInt64 = 0
  /// Whether the app is asked before ownership of its anchor passes to another member; else it passes at once.
  package var asksBeforeGiving = false
  /// Whether this node, as host, retains the ownership of members that left until the lease ends; else it frees them.
  package var keepsOrphans = false
  /// The members that may share a map with the whole session.
  package var mapPolicy: MapProviders
  /// Bytes of another peer's map, encoded, above which it is not fetched.
  package var mapMemoryLimit = ProtocolLimits.map
  /// Whether chunks of maps are looked up and stored in a cache.
  package var cachesChunks = false
  /// Remaining bytes of a map above which it gets a bulk link; smaller in the simulator, whose maps are small.
  package var bulkWorth = ProtocolLimits.bulkWorth
  /// Cost of the messages that one receiver has not acknowledged, or that one sender has not had read (bytes); smaller in
  /// the simulator, whose apps send little.
  package var messageWindow = ProtocolLimits.messageWindow
  /// Cost of the messages that one receiver has not acknowledged, of its critical ones or of the others (bytes).
  @inline(__always)
  func messageWindow(of track: MessageTrack) -> Int { track == .critical ? firstMessageWindow : messageWindow }
  /// Cost of the messages that all receivers together have not acknowledged (bytes); smaller in the simulator.
  package var messageTotal = ProtocolLimits.messageTotal
  /// Cost of all those messages beyond which none of a track is accepted (bytes).
  func messageTotal(of track: MessageTrack) -> Int { track == .critical ? messageTotal : messageTotal / 4 * 3 }
  /// Cost of the messages of a chain that a receiver takes before its first report (bytes).
  @inline(__always)
  var firstMessageWindow: Int { messageWindow / 4 }
  /// Bytes of other members' messages that wait on one link to be passed on; more are dropped, and sent again.
  var relayedMessageLimit: Int { messageWindow / 4 }
  /// Cost of the unreliable messages that wait for one receiver or, to be passed on, on one link (bytes); more drop the oldest.
  var unreliableLimit: Int { messageWindow / 4 }
  /// Whether the node emits ``Output/persist(_:)``.
  package var keepsRecord = false
  /// The keys that may be linked, whatever other members say; nil for any.
  package var admitted: Set<PeerID>?
  /// The passcode of the room; nil for none.
  package var passcode: Passcode?
  /// Whether the app can show a code to its user, who compares it.
  package var showsCodes = false
  /// The keys that need no comparison of codes; nil asks nobody for one.
  package var compared: Set<PeerID>?
  /// How long the drivers of two apps may take on a link; nil for an app without a driver.
  package var driverTime: Duration?
  /// The delay of the first anti-entropy round, which repeats every ``ProtocolTimes/antiEntropy``.
  ///
  /// It differs among processes that start together, or they would all hash and compare at the same moments.
  package var firstAntiEntropy = ProtocolTimes.antiEntropy
  /// Seeds every random choice of the node.
  package var seed: UInt64
  /// The rules in force: all of them, except in a test that shows that one is needed.
  package var rules = ProtocolRules.all

  package init(
    peerID: PeerID, incarnation: UInt64, name: String, service: String, instance: String = "",
    addresses: [SocketAddress] = [], election: ElectionConfiguration = ElectionConfiguration(),
    mapPolicy: MapProviders = .anyone, seed: UInt64
  ) {
    self.peerID = peerID
    self.incarnation = incarnation
    self.name = name
    self.service = service
    self.instance = instance
    self.addresses = addresses
    self.election = election
    self.mapPolicy = mapPolicy
    self.seed = seed
  }

  /// Whether this node makes a link to a peer.
  func admits(_ peer: PeerID) -> Bool { admitted?.contains(peer) ?? true }
}

package import AnchorReplication
package import Basics
package import WorldModel

/// What a node is told at its start.
package struct NodeConfiguration: Sendable {
  /// Who it is.
  package var peerID: PeerID
  /// A random number of this start of the process.
  package var incarnation: UInt64
  /// The name people know it by.
  package var name: String
  /// The DNS-SD service type without underscore.
  package var service: String
  /// The name it advertises under, or empty.
  package var instance: String
  /// Where it listens.
  package var addresses: [SocketAddress]
  /// How it takes part in the election of a host.
  package var election: ElectionConfiguration
  /// The most members, oneself included, of a session that this node starts; 2 to ``ProtocolLimits/members``.
  package var memberLimit = ProtocolLimits.members
  /// Whether the app is asked before an anchor it owns goes to another member; else it goes at once.
  package var asksBeforeGiving = false
  /// Whether this node, as host, keeps anchors for owners that left, until their lease ends; else it frees them.
  package var keepsOrphans = false
  /// Who may share a map with the whole session.
  package var mapPolicy: MapProviders
  /// Whether chunks of maps are looked for and kept in a cache.
  package var cachesChunks = false
  /// Bytes of a map that are still to come from which on a second connection is worth its while; the simulator's maps are small.
  package var bulkWorth = ProtocolLimits.bulkWorth
  /// Whether ``Output/persist(_:)`` is asked for.
  package var keepsRecord = false
  /// When vectors are first compared with all members, to go on every ``ProtocolTimes/antiEntropy``: different for processes
  /// that start together, or they would all hash and compare at the same moments ever after.
  package var firstAntiEntropy = ProtocolTimes.antiEntropy
  /// Seeds every random choice of the node.
  package var seed: UInt64
  /// The rules that it keeps: all of them, but in a test that shows that one is needed.
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
}

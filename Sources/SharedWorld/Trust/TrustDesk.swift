import WorldModel

/// The keys that a session recognises, by its policy.
struct TrustDesk {
  private let policy: TrustPolicy
  /// The peers that were recorded when the session began.
  private let known: [PeerID: String]
  /// The peers that this session has recorded, or is recording.
  private var recorded: Set<PeerID> = []
  /// Peers that the app was warned of.
  private var warned: Set<PeerID> = []

  /// Reads the pin store, if the policy has one.
  init(_ policy: TrustPolicy) throws(SessionError) {
    self.policy = policy
    if case .firstUse(let store) = policy {
      known = Dictionary(try store.pins().map { ($0.id, $0.name) }) { first, _ in first }
    } else {
      known = [:]
    }
  }

  /// The keys that may be linked; nil for any.
  var admitted: Set<PeerID>? { if case .pinned(let peers) = policy { peers } else { nil } }

  /// How the key of a peer compares with the recorded ones.
  func recognition(of peer: Peer) -> Recognition {
    switch policy {
    case .anyone: .untracked
    case .pinned(let peers): peers.contains(peer.id) ? .known : .refused
    case .firstUse: known[peer.id] != nil ? .known : namesakes(of: peer).isEmpty ? .neverSeen : .newDevice
    }
  }

  /// The recorded peers with the name of a peer, the first of them first; none for one that is recorded itself.
  private func namesakes(of peer: Peer) -> [PeerID] {
    guard known[peer.id] == nil, !peer.name.isEmpty else { return [] }
    return known.filter { $0.value == peer.name }.map(\.key).sorted()
  }

  /// The recorded key of the name of a peer with another key, the first time that the peer is met.
  mutating func warning(about peer: Peer) -> PeerID? {
    guard let other = namesakes(of: peer).first, warned.count < PinStore.limit, warned.insert(peer.id).inserted else {
      return nil
    }
    return other
  }

  /// The store in which a member that is linked is to be recorded; nil where there is nothing to record.
  mutating func storeToRecord(_ peer: PeerID) -> PinStore? {
    guard case .firstUse(let store) = policy, known[peer] == nil, recorded.insert(peer).inserted else { return nil }
    return store
  }
}

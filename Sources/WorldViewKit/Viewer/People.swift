import SharedWorld

/// The names of peers and services in sight, and the numbers of their colors.
struct People {
  private var names: [PeerID: String]
  private var services: [Candidate.ID: String] = [:]
  /// In the order in which the page saw them: hashes of keys would give two peers one color.
  private var colors: [PeerID: Int]

  /// The places at which users point.
  private(set) var pointers: [PeerID: Transform] = [:]

  /// The lines of their users.
  var talk = Talk()

  /// This device has the first color.
  init(_ local: Peer) {
    (names, colors) = ([local.id: local.name], [local.id: 0])
  }

  /// Records the name that a peer gives itself.
  mutating func note(_ peer: Peer) { names[peer.id] = peer.name }

  mutating func note(_ candidate: Candidate) { services[candidate.id] = candidate.seenBefore?.name ?? candidate.name }

  mutating func forget(_ candidate: Candidate) { services[candidate.id] = nil }

  /// A user points elsewhere, or nowhere any more.
  mutating func point(_ peer: PeerID, at place: Transform?) { pointers[peer] = place }

  /// The name of a peer, or the beginning of its id.
  func name(of peer: PeerID) -> String { names[peer] ?? peer.short }

  /// A target of an invitation as people know it.
  func name(of target: InvitationTarget) -> String {
    target.candidate.map { services[$0] ?? $0 } ?? target.description
  }

  /// The number of a peer's color, which it keeps.
  mutating func color(of peer: PeerID) -> Int {
    if let color = colors[peer] { return color }
    colors[peer] = colors.count
    return colors.count - 1
  }
}

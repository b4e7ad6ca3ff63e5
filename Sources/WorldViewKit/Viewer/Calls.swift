import SharedWorld

/// The invitations of this page's users that nobody has answered yet, and those of others that ended without an answer.
struct Calls {
  /// An invitation of a user of the page.
  struct Call {
    /// Names it to the page.
    let number: Int
    let target: InvitationTarget
    /// The target as people know it.
    let name: String
    fileprivate let end: AsyncStream<Never>.Continuation
  }

  /// The missed invitations that are shown.
  private static let missedLimit = 8

  /// Oldest first.
  private(set) var open: [Call] = []
  /// The peers that invited this one and have stopped waiting, oldest first.
  private(set) var missed: [Peer] = []
  /// The invitations that wait for the user.
  private var asked: [Invitation.ID: PeerID] = [:]
  private var count = 0

  /// Begins an invitation; nil when the target is being invited already.
  ///
  /// - Returns: Its number, and a stream that ends when the user withdraws it.
  mutating func begin(_ target: InvitationTarget, named name: String) -> (number: Int, end: AsyncStream<Never>)? {
    guard !open.contains(where: { $0.target == target }) else { return nil }
    let (stream, end) = AsyncStream.makeStream(of: Never.self)
    count += 1
    open.append(Call(number: count, target: target, name: name, end: end))
    return (count, stream)
  }

  /// Withdraws an invitation; whether there was one.
  func withdraw(_ number: Int) -> Bool {
    let call = open.first { $0.number == number }
    call?.end.finish()
    return call != nil
  }

  /// An invitation has its answer.
  mutating func end(_ number: Int) { open.removeAll { $0.number == number } }

  /// The user is asked.
  mutating func ask(_ invitation: Invitation) {
    forget(invitation.peer.id)
    asked[invitation.id] = invitation.peer.id
  }

  /// The user has answered a peer.
  mutating func answer(_ peer: PeerID) { asked = asked.filter { $0.value != peer } }

  /// An invitation of a peer has ended; where the user was still to answer, the peer has waited in vain.
  mutating func end(_ id: Invitation.ID, of peer: Peer) {
    guard asked.removeValue(forKey: id) != nil else { return }
    forget(peer.id)
    missed.append(peer)
    if missed.count > Self.missedLimit { missed.removeFirst() }
  }

  /// A peer invites again or has joined, or the user wants to read no more of it.
  mutating func forget(_ peer: PeerID) { missed.removeAll { $0.id == peer } }
}

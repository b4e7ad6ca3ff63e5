package import WorldModel

extension Node {
  /// Notes who can be reached now, and tells the app and the election.
  mutating func updateReachability(at now: Instant) {
    quiet = nil
    let current = turn.mesh.reachable
    let nodes = Set(current.map(\.node))
    var isJoined = false
    for entry in roster.entries where entry.status == .present && entry.peerID != me.peer {
      let before = members[entry.peerID]?.status
      updateStatus(of: entry, isReachable: nodes.contains(entry.node), at: now)
      isJoined = isJoined || (members[entry.peerID]?.status == .connected && before != .connected)
    }
    replication.reachable(nodes, came: isJoined, in: turn)
    poses.reachable(nodes, in: &turn)
    // Whoever came has heard nothing of it yet.
    if isJoined { maps.membersCame(in: &turn) }
    elect(.reachable(current), at: now)
  }

  private mutating func updateStatus(of entry: RosterEntry, isReachable: Bool, at now: Instant) {
    guard var member = members[entry.peerID] else { return }
    switch (member.status, isReachable) {
    case (.connected, true), (.connecting, false), (.reconnecting, false), (.lost, false): return
    case (_, true):
      member.status = .connected
      member.isNoticed = false
      member.lastEnd = .connectionLost
      if !member.isJoined {
        member.isJoined = true
        tell(.peerJoined(entry.peerID, name: entry.name))
      }
    case (.connected, false):
      member.status = .reconnecting(since: now)
    }
    members[entry.peerID] = member
    if isReachable { hastenDial(to: entry.peerID, at: now) }
  }

  /// Tells the app of members that stay away.
  mutating func expireMembers(at now: Instant) {
    for entry in roster.entries {
      guard var member = members[entry.peerID], case .reconnecting(let since) = member.status else { continue }
      let (away, patience) = (now - since, member.patience)
      if away >= patience.lost {
        member.status = .lost
        member.isJoined = false
        ownership.memberGone(in: &turn)
        tell(.peerLeft(entry.peerID, name: entry.name, reason: member.lastEnd))
      } else if away >= patience.notice, !member.isNoticed {
        member.isNoticed = true
        tell(.peerReconnecting(entry.peerID))
      }
      members[entry.peerID] = member
    }
  }

  /// Who is linked to whom among the members that can be reached, as they announce it.
  package var presence: [(PeerID, PeerID)] {
    turn.mesh.graph.pairs.filter { roster[$0.peer]?.node == $0 && roster[$1.peer]?.node == $1 }.map { ($0.peer, $1.peer) }
  }

  /// The other members as the app may see them, in the order of their ids.
  package var memberSnapshots: [MemberSnapshot] {
    roster.entries.compactMap { entry in
      guard let member = members[entry.peerID] else { return nil }
      let link = controlLinks[entry.peerID].flatMap { links[$0] }
      let second = bulk.link(to: entry.peerID).flatMap { links[$0] }
      return MemberSnapshot(
        peerID: entry.peerID, name: entry.name, status: member.status, roundTrip: link?.roundTrip,
        isDirect: link?.phase == .member, bytesSent: (link?.bytesSent ?? 0) + (second?.bytesSent ?? 0),
        bytesReceived: (link?.bytesReceived ?? 0) + (second?.bytesReceived ?? 0),
        link: link?.id, bytesWaiting: bytesWaiting(link) + bytesWaiting(second))
    }
  }

  private func bytesWaiting(_ link: Link?) -> Int {
    link.flatMap { directory.link($0.id) }.map { turn.outbox.controlBytes(on: $0) } ?? 0
  }
}

package import WorldModel

extension Node {
  /// This node's own links changed: everybody is told, and paths are computed anew.
  mutating func linksChanged(at now: Instant) {
    floodLinkState(at: now)
    updateReachability(at: now)
  }

  /// The nodes at the other end of the members' links, in order.
  var neighbours: [NodeID] {
    memberLinks.compactMap { links[$0]?.node }.sorted()
  }

  mutating func updateReachability(at now: Instant) {
    let current = linkStates.reachable(from: me, over: neighbours).filter { roster[$0.peer]?.node == $0 }
    for entry in roster.entries where entry.status == .present && entry.peerID != me.peer {
      updateStatus(of: entry, isReachable: current.contains(entry.node), at: now)
    }
    reachable = current
    updateElection(at: now)
    updateRelays(at: now)
  }

  private mutating func updateStatus(of entry: RosterEntry, isReachable: Bool, at now: Instant) {
    guard var member = members[entry.peerID] else { return }
    switch (member.status, isReachable) {
    case (.connected, true), (.connecting, false), (.reconnecting, false), (.lost, false): return
    case (_, true):
      member.status = .connected
      member.isNoticed = false
      if !member.isJoined {
        member.isJoined = true
        tell(.peerJoined(entry.peerID, name: entry.name))
      }
    case (.connected, false):
      member.status = .reconnecting(since: now)
    }
    members[entry.peerID] = member
  }

  /// Tells the app of members that stay away.
  mutating func expireMembers(at now: Instant) {
    for entry in roster.entries {
      guard var member = members[entry.peerID], case .reconnecting(let since) = member.status else { continue }
      let away = now - since
      if away >= ProtocolTimes.lost || (member.plan.allRefused && away >= ProtocolTimes.refused) {
        member.status = .lost
        member.isJoined = false
        tell(.peerLeft(entry.peerID, name: entry.name, reason: .connectionLost))
      } else if away >= ProtocolTimes.reconnectNotice, !member.isNoticed {
        member.isNoticed = true
        tell(.peerReconnecting(entry.peerID))
      }
      members[entry.peerID] = member
    }
  }

  /// The other members as the app may see them, in the order of their ids.
  package var memberSnapshots: [MemberSnapshot] {
    roster.entries.compactMap { entry in
      guard let member = members[entry.peerID] else { return nil }
      let link = controlLinks[entry.peerID].flatMap { links[$0] }
      return MemberSnapshot(
        peerID: entry.peerID, name: entry.name, status: member.status, roundTrip: link?.roundTrip,
        isDirect: link?.phase == .member, bytesSent: link?.bytesSent ?? 0, bytesReceived: link?.bytesReceived ?? 0)
    }
  }
}

import Basics
package import WorldModel

extension Node {
  /// The members that a path of links leads to.
  var reachable: [ElectionMember] {
    graph.members.filter { roster.admits($0.node.peer) && roster[$0.node.peer]?.node == $0.node }
  }

  mutating func receiveLinkState(_ reader: inout ByteReader, from link: Link, at now: Instant) throws(DecodingFailure) {
    let state = try LinkState(reading: &reader)
    try reader.finish()
    guard let sender = link.node else { return }
    graph.receive(state, from: sender)
    drainGraph(at: now)
  }

  /// Sends what the graph has to say, and draws the consequences of a change.
  mutating func drainGraph(at now: Instant) {
    var hasChanged = false
    while let output = graph.nextOutput() {
      switch output {
      case .membersChanged: hasChanged = true
      case .send(let state, let node):
        guard let id = controlLinks[node.peer], links[id]?.node == node else { continue }
        sendControl(.linkState, on: id) { state.write(to: &$0) }
        introducePose(of: state.node, on: id)
      }
    }
    updateRelays()
    if interests.isNarrow { reconsiderPoses() }
    guard hasChanged else { return }
    updateReachability(at: now)
    hasNewEvidence = true
  }

  /// Notes who can be reached now, and tells the app and the election.
  mutating func updateReachability(at now: Instant) {
    quiet = nil
    forgetRelayedActors()
    let current = reachable
    let nodes = Set(current.map(\.node))
    var isJoined = false
    for entry in roster.entries where entry.status == .present && entry.peerID != me.peer {
      let before = members[entry.peerID]?.status
      updateStatus(of: entry, isReachable: nodes.contains(entry.node), at: now)
      isJoined = isJoined || (members[entry.peerID]?.status == .connected && before != .connected)
    }
    showPoses(of: nodes)
    forgetInterests()
    acknowledgements.keepQuestions(nodes.contains)
    // Whoever came has heard nothing of it yet.
    if isJoined { repeatMapStatus(at: now) }
    elect(.reachable(current), at: now)
  }

  private mutating func updateStatus(of entry: RosterEntry, isReachable: Bool, at now: Instant) {
    guard var member = members[entry.peerID] else { return }
    switch (member.status, isReachable) {
    case (.connected, true), (.connecting, false), (.reconnecting, false), (.lost, false): return
    case (_, true):
      member.status = .connected
      replication.clocksJudgedFrom = now + ProtocolTimes.clockSettling
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
        lookForOrphans(at: now)
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
    graph.pairs.filter { roster[$0.peer]?.node == $0 && roster[$1.peer]?.node == $1 }.map { ($0.peer, $1.peer) }
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
        link: link?.id, bytesWaiting: (link?.control.count ?? 0) + (second?.control.count ?? 0))
    }
  }
}

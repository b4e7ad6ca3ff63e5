package import AnchorReplication
package import Basics
import WorldModel

/// The organ that knows who is linked to whom and who hosts, and that passes on what is meant for all or for one far away.
///
/// It feeds the presence graph with this node's links and with what the members announce, the election with what the graph
/// and the members say, and the others with a view of both.
package struct Coordination: Organ {
  /// This node's part in the choice of a host, and the session time; only ``elect(_:in:)`` changes it.
  package private(set) var election: HostElection
  /// The graph of links, as all members announce it.
  private var graph: PresenceGraph
  /// Which flooded messages have been seen.
  private var relay = FloodRelay()
  /// The waits of the app for a host.
  private var hostWaits = HostWaits()
  /// The requests of members that the app has not answered.
  private var hostRequests = HostRequests()

  /// A node without links.
  package init(
    me: NodeID, configuration: ElectionConfiguration, rules: ProtocolRules, random: SeededRandom, at now: Instant
  ) {
    election = HostElection(me: me, configuration: configuration, rules: rules, random: random, at: now)
    graph = PresenceGraph(me: me, configuration: configuration)
  }

  /// The part of it that all organs see, at its start.
  package var mesh: Mesh { Mesh(graph: graph, reign: election.reign) }

  /// Goes on where an earlier start of this peer was, before this one has met anybody.
  mutating func resume(epoch: UInt64, joinSequence: UInt32, in turn: inout Turn) {
    election.resume(epoch: epoch, joinSequence: joinSequence)
    turn.mesh.publish(reign: election.reign)
  }

  /// Announces the place in the order of joining that an earlier start of this peer had.
  mutating func announceSeat(in turn: inout Turn) {
    graph.setJoinSequence(election.joinSequence)
    turn.mesh.publish(graph: graph)
  }

  /// When something is due; nil for never.
  package func deadline(in turn: inout Turn) -> Instant? { deadline }

  private var deadline: Instant? {
    [graph.deadline, election.deadline, hostWaits.deadline].compactMap(\.self).min()
  }

  /// Does one thing that is due; whether there was one, after whose consequences to call again.
  package mutating func step(in turn: inout Turn) -> Bool {
    hostWaits.run(in: &turn)
    if let due = graph.deadline, due <= turn.now {
      graph.tick(at: turn.now)
      drain(in: &turn)
      return true
    }
    if let due = election.deadline, due <= turn.now { turn.tell(.elect(.tick)) }
    return false
  }

  /// The frames of this organ.
  package enum Frame: Sendable {
    case linkState, election
  }

  /// Takes a frame about links or the election, or passes on a flooded one.
  package mutating func receive(
    _ frame: Frame, _ body: RawSpan, from sender: MemberLink, in turn: inout Turn
  ) throws(DecodingFailure) {
    switch frame {
    case .linkState: receiveLinkState(try LinkState(body: body), from: sender, in: &turn)
    case .election: receiveElection(try Flooded<ElectionMessage>(body: body), from: sender, in: &turn)
    }
  }

  // MARK: Links

  /// A direct link to a member is up.
  package mutating func linked(_ link: LinkRef, in turn: inout Turn) {
    guard let node = turn.mesh.links.node(link) else { return }
    graph.linkUp(node, at: turn.now)
    drain(in: &turn)
  }

  /// A direct link to a member is down.
  package mutating func unlinked(_ node: NodeID, in turn: inout Turn) {
    graph.linkDown(node, at: turn.now)
    drain(in: &turn)
  }

  /// Takes a member's announcement of its links.
  private mutating func receiveLinkState(_ state: LinkState, from sender: MemberLink, in turn: inout Turn) {
    graph.receive(state, from: sender.node, at: turn.now)
    drain(in: &turn)
  }

  /// Sends what the graph has to say, and tells the others what has changed.
  private mutating func drain(in turn: inout Turn) {
    turn.mesh.publish(graph: graph)
    var haveMembersChanged = false
    while let output = graph.nextOutput() {
      switch output {
      case .membersChanged: haveMembersChanged = true
      case .send(let state, let node):
        guard let link = turn.mesh.links.carrier(of: node) else { continue }
        turn.send(.linkAnnouncement, on: link) { state.write(to: &$0) }
        turn.tell(.announced(state.node, on: link))
      }
    }
    turn.tell(.graphChanged(members: haveMembersChanged))
  }

  // MARK: Election

  /// Gives the election an input, and tells what comes of it; nothing else calls the election.
  package mutating func elect(_ input: ElectionInput, in turn: inout Turn) {
    election.take(input, at: turn.now)
    turn.mesh.publish(reign: election.reign)
    var said: [ElectionOutput] = []
    while let output = election.nextOutput() { said.append(output) }
    for case .hostChanged(_, let host?, _, _) in said where host != turn.me { turn.tell(.follows(host)) }
    for output in said { turn.tell(.election(output)) }
  }

  /// Carries out what the election said.
  package mutating func carryOut(_ output: ElectionOutput, in turn: inout Turn) {
    switch output {
    case .broadcast(let message): turn.flood(.election, to: nil) { message.write(to: &$0) }
    case .send(let message, let node): turn.flood(.election, to: node) { message.write(to: &$0) }
    case .hostChanged(let from, let to, let epoch, let reason):
      turn.report(.hostChanged(from: from, to: to, epoch: epoch, reason: reason))
      if to != turn.me { hostRequests.endAll() }
      hostWaits.run(in: &turn)
    case .joinSequenceChanged(let sequence):
      graph.setJoinSequence(sequence)
      drain(in: &turn)
    }
  }

  /// Takes a message of the election, or passes it on.
  private mutating func receiveElection(
    _ frame: Flooded<ElectionMessage>, from sender: MemberLink, in turn: inout Turn
  ) {
    let (header, message) = (frame.header, frame.message)
    let origin = header.origin
    let decision = relay.receive(header, from: sender.node, over: graph, at: turn.now)
    turn.send(.election, to: decision.targets) { body in
      header.write(to: &body)
      message.write(to: &body)
    }
    guard decision.deliver, turn.mesh.isMember(origin) else { return }
    if case .request(let request) = message, request.isExplicit, turn.mesh.host == turn.me {
      return receiveRequest(from: origin, in: &turn)
    }
    if case .preNack(let nack) = message, nack.host == origin, turn.mesh.host == origin {
      hostWaits.decline(turn.me.peer, in: &turn)
    }
    turn.tell(.elect(.message(message, from: origin)))
  }

  /// A member asks this node, which hosts, to hand over because its app wants to.
  private mutating func receiveRequest(from node: NodeID, in turn: inout Turn) {
    switch turn.configuration.hostRequests {
    case .granted: answerRequest(of: node, accepts: true, in: &turn)
    case .byPriority:
      // The priority that it has announced to all counts: it is part of the rank by which hosts are chosen.
      let priority = turn.mesh.reachable.first { $0.node == node }?.rank.priority ?? 0
      answerRequest(of: node, accepts: priority > turn.configuration.election.priority, in: &turn)
    case .asked: if hostRequests.begin(node) { turn.report(.hostRequested(by: node.peer)) }
    }
  }

  /// The app's answer to a member that asks to be host; a no-op when none does.
  mutating func answerRequest(of peer: PeerID, accepts: Bool, in turn: inout Turn) {
    if let node = hostRequests.end(peer) { answerRequest(of: node, accepts: accepts, in: &turn) }
  }

  private func answerRequest(of node: NodeID, accepts: Bool, in turn: inout Turn) {
    guard !accepts else { return turn.tell(.elect(.handover(to: node))) }
    let nack = ElectionMessage.PreNack(
      host: turn.me, epoch: election.epoch, leaseRemaining: election.leaseRemaining(at: turn.now))
    turn.flood(.election, to: node) { ElectionMessage.preNack(nack).write(to: &$0) }
  }

  /// Waits until `peer` hosts in the eyes of this node.
  mutating func awaitHost(_ id: HostWaitID, _ peer: PeerID, timeout: Duration, in turn: inout Turn) {
    hostWaits.begin(id, peer, until: turn.now + timeout)
    hostWaits.run(in: &turn)
  }

  /// Waits no longer.
  mutating func cancelHostWait(_ id: HostWaitID) { hostWaits.cancel(id) }
}

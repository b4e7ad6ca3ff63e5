package import Basics
import WorldModel

extension Node {
  /// Who hosts, as this node sees it.
  package var host: NodeID? { election.host }

  /// Counts the hosts of a session.
  package var epoch: UInt64 { election.epoch }

  /// The time all members share (milliseconds).
  package func sessionTime(at now: Instant) -> UInt64 { election.sessionTime(at: now) }

  mutating func handover(to peer: PeerID, at now: Instant) {
    guard let node = roster[peer]?.node else { return }
    elect(.handover(to: node), at: now)
  }

  /// Gives the election an input and does what it asks for; nothing else calls the election.
  mutating func elect(_ input: ElectionInput, at now: Instant) {
    election.take(input, at: now)
    var said: [ElectionOutput] = []
    while let output = election.nextOutput() { said.append(output) }
    if configuration.keepsElectionSteps {
      electionSteps.append(ElectionStep(input: input, said: said, election: election))
    }
    for case .hostChanged(_, let to?, _, _) in said where to != me { tellRules(to: to) }
    for output in said {
      switch output {
      case .broadcast(let message): flood(message, to: nil)
      case .send(let message, let node): flood(message, to: node)
      case .hostChanged(let from, let to, let epoch, let reason):
        if let to, to != me { lastHost = to.peer }
        hasNewEvidence = true
        tell(.hostChanged(from: from, to: to, epoch: epoch, reason: reason))
      case .joinSequenceChanged(let sequence):
        graph.setJoinSequence(sequence)
        drainGraph(at: now)
      }
    }
  }

  /// Takes the steps of the election since the last call, in order.
  package mutating func takeElectionSteps() -> [ElectionStep] {
    defer { electionSteps.removeAll(keepingCapacity: true) }
    return electionSteps
  }

  private mutating func flood(_ message: ElectionMessage, to destination: NodeID?) {
    let (header, targets) = relay.originate(to: destination, over: graph)
    send(.election, to: targets) { body in
      header.write(to: &body)
      message.write(to: &body)
    }
  }

  mutating func receiveElection(_ body: RawSpan, from link: Link, at now: Instant) throws(DecodingFailure) {
    guard let sender = link.node else { return }
    var reader = ByteReader(body)
    let header = try FloodHeader(reading: &reader)
    let message = try ElectionMessage(reading: &reader)
    try reader.finish()
    let decision = relay.receive(header, from: sender, over: graph)
    send(.election, to: decision.targets) { forwarded in
      header.write(to: &forwarded)
      message.write(to: &forwarded)
    }
    guard decision.deliver, roster.admits(header.origin.peer), roster[header.origin.peer]?.node == header.origin else {
      return
    }
    elect(.message(message, from: header.origin), at: now)
  }

  /// Queues a flooded frame for the neighbours at `targets`.
  mutating func send(_ type: FrameType, to targets: NodeSet, _ build: (inout ByteWriter) -> Void) {
    var rest = targets
    while let place = rest.popFirst() {
      guard let node = graph.node(at: place), let id = controlLinks[node.peer], links[id]?.node == node else {
        continue
      }
      sendControl(type, on: id, build)
    }
  }
}

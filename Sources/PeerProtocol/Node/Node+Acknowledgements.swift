import AnchorReplication
package import Basics
import WorldModel

/// Waiting until others have applied what this node wrote.
extension Node {
  /// Waits until those of `level` have applied everything this node has written so far.
  ///
  /// It ends with ``NodeEvent/acknowledged(_:_:)``, perhaps at once.
  package mutating func awaitAcknowledgement(
    _ id: AcknowledgementID, _ level: AcknowledgementLevel, timeout: Duration, at now: Instant
  ) {
    let present = roster.entries.map(\.peerID).filter { members[$0]?.isJoined == true }
    acknowledgements.begin(
      Acknowledgements.Wait(
        id: id, sequence: anchors.appliedCount(of: anchors.actor), level: level, deadline: now + timeout,
        members: level == .everyPresentMember ? present : []))
    runAcknowledgements(at: now)
  }

  /// Waits no longer; nothing is told.
  package mutating func cancelAcknowledgement(_ id: AcknowledgementID) {
    acknowledgements.end(id)
  }

  /// Ends the waits that are satisfied or over, and asks those whose word is missing.
  mutating func runAcknowledgements(at now: Instant) {
    for wait in acknowledgements.waits {
      let missing = missing(for: wait)
      if missing?.isEmpty == true || wait.deadline <= now {
        acknowledgements.end(wait.id)
        tell(.acknowledged(wait.id, missing?.isEmpty == true ? .acknowledged : .timedOut))
        continue
      }
      for node in missing ?? [] where acknowledgements.asks(node, for: wait.sequence, at: now) {
        let question = AcknowledgementFrame(kind: .question, from: me, to: node, sequence: wait.sequence)
        route(question, from: nil)
      }
    }
    acknowledgements.scheduleRepeat(at: now)
  }

  /// Who has not yet said to have what a wait is for; nil while there is no host to ask.
  private func missing(for wait: Acknowledgements.Wait) -> [NodeID]? {
    let nodes: [NodeID]
    switch wait.level {
    case .host:
      guard let host else { return nil }
      nodes = host == me ? [] : [host]
    case .everyPresentMember:
      nodes = wait.members.compactMap { members[$0]?.isJoined == true ? roster[$0]?.node : nil }
    }
    return nodes.filter { acknowledgements.applied(by: $0) < wait.sequence }
  }

  mutating func receiveAcknowledgement(
    _ frame: AcknowledgementFrame, from link: Link, at now: Instant
  ) {
    guard isForMe(frame, from: link) else { return }
    switch frame.kind {
    case .answer: acknowledgements.note(frame.sequence, appliedBy: frame.from)
    case .question:
      let applied = appliedCount(of: frame.from)
      acknowledgements.remember(frame.sequence, of: frame.from, told: applied)
      if applied > 0 { answer(frame.from, applied) }
    }
  }

  /// Answers the questions to which there is more to say; called after operations were applied.
  mutating func answerQuestions() {
    for question in acknowledgements.questions {
      let applied = appliedCount(of: question.from)
      guard applied > question.told else { continue }
      acknowledgements.remember(question.sequence, of: question.from, told: applied)
      answer(question.from, applied)
    }
  }

  private func appliedCount(of node: NodeID) -> UInt64 {
    anchors.appliedCount(of: ActorID(peer: node.peer, incarnation: node.incarnation))
  }

  private mutating func answer(_ node: NodeID, _ sequence: UInt64) {
    route(AcknowledgementFrame(kind: .answer, from: me, to: node, sequence: sequence), from: nil)
  }
}

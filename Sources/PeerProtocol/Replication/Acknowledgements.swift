import AnchorReplication
import Basics
import WorldModel

/// Pending acknowledgements: the waits of this node's app, and the questions of other members.
struct Acknowledgements: Sendable {
  /// One wait of the app.
  private struct Wait: Sendable {
    let id: AcknowledgementID
    /// The number of this node's last operation that is waited for.
    let sequence: UInt64
    let level: AcknowledgementLevel
    let deadline: Instant
    /// The members present when it began; none for ``AcknowledgementLevel/host``.
    let members: [PeerID]
  }

  /// The questions to one member about this node's operations, and its answers.
  private struct Partner: Sendable {
    let node: NodeID
    var applied: UInt64 = 0
    var asked: UInt64 = 0
    var askedAt = Instant(nanoseconds: 0)
  }

  /// A question of another member that is not answered to the full.
  private struct Question: Sendable {
    let from: NodeID
    var sequence: UInt64
    /// The number that it was told last.
    var told: UInt64
  }

  private var waits: [Wait] = []
  private var questions: [Question] = []
  private var partners: [Partner] = []
  /// When those who have not answered are asked again.
  private var repeatAt = Instant(nanoseconds: 0)

  /// When a wait runs out or a question is to be repeated; nil for never.
  var deadline: Instant? {
    waits.map(\.deadline).min().map { min($0, repeatAt) }
  }

  /// Whether nobody of this node waits.
  var isIdle: Bool { waits.isEmpty }

  /// Waits until those of `level` have applied everything this node has written so far.
  mutating func begin(
    _ id: AcknowledgementID, _ level: AcknowledgementLevel, timeout: Duration, messagesAreOpen: Bool,
    in turn: inout Turn
  ) {
    let present = turn.mesh.roster.entries.map(\.peerID).filter { turn.mesh.standings[$0]?.isJoined == true }
    waits.append(
      Wait(
        id: id, sequence: turn.anchors.appliedCount(of: turn.anchors.actor), level: level,
        deadline: turn.now + timeout, members: level == .host ? [] : present))
    run(messagesAreOpen: messagesAreOpen, in: &turn)
  }

  /// Ends the waits that are satisfied or over, and asks those whose word is missing.
  mutating func run(messagesAreOpen: Bool, in turn: inout Turn) {
    for wait in waits {
      let missing = missing(for: wait, in: turn)
      let isSatisfied = missing?.isEmpty == true && !(wait.level == .delivery && messagesAreOpen)
      if isSatisfied || wait.deadline <= turn.now {
        end(wait.id)
        turn.report(.acknowledged(wait.id, isSatisfied ? .acknowledged : .timedOut))
        continue
      }
      for node in missing ?? [] where asks(node, for: wait.sequence, at: turn.now) {
        turn.route(AcknowledgementFrame(kind: .question, from: turn.me, to: node, sequence: wait.sequence))
      }
    }
    scheduleRepeat(at: turn.now)
  }

  /// The nodes that have not confirmed what a wait is for; nil while there is no host to ask.
  private func missing(for wait: Wait, in turn: borrowing Turn) -> [NodeID]? {
    let nodes: [NodeID]
    switch wait.level {
    case .host:
      guard let host = turn.mesh.host else { return nil }
      nodes = host == turn.me ? [] : [host]
    case .everyPresentMember, .delivery:
      nodes = wait.members.compactMap { peer in
        turn.mesh.standings[peer]?.isJoined == true ? turn.mesh.roster[peer]?.node : nil
      }
    }
    return nodes.filter { applied(by: $0) < wait.sequence }
  }

  /// Takes a question or an answer of a member, or passes it on.
  mutating func receive(_ frame: AcknowledgementFrame, from sender: MemberLink, in turn: inout Turn) {
    guard turn.isForMe(frame, from: sender) else { return }
    switch frame.kind {
    case .answer: note(frame.sequence, appliedBy: frame.from)
    case .question:
      let applied = turn.appliedCount(of: frame.from)
      remember(frame.sequence, of: frame.from, told: applied)
      if applied > 0 { turn.answer(frame.from, applied) }
    }
  }

  /// Answers the questions to which there is more to say; called after operations were applied.
  mutating func answerQuestions(in turn: inout Turn) {
    for question in questions {
      let applied = turn.appliedCount(of: question.from)
      guard applied > question.told else { continue }
      remember(question.sequence, of: question.from, told: applied)
      turn.answer(question.from, applied)
    }
  }

  /// Waits no longer; nothing is told.
  mutating func end(_ id: AcknowledgementID) {
    waits.removeAll { $0.id == id }
    if waits.isEmpty { partners.removeAll() }
  }

  /// The number of this node's operations that a member is known to have applied.
  private func applied(by node: NodeID) -> UInt64 { partners.first { $0.node == node }?.applied ?? 0 }

  /// Notes what a member said it has applied of this node's operations.
  mutating func note(_ sequence: UInt64, appliedBy node: NodeID) {
    guard !waits.isEmpty else { return }
    let index = partner(node)
    partners[index].applied = max(partners[index].applied, sequence)
  }

  /// Whether a member is to be asked now: for a number it was not asked for, or because it has not answered for long.
  private mutating func asks(_ node: NodeID, for sequence: UInt64, at now: Instant) -> Bool {
    let index = partner(node)
    let isLate = now - partners[index].askedAt >= ProtocolTimes.acknowledgementRepeat
    guard sequence > partners[index].asked || isLate else { return false }
    partners[index].asked = max(sequence, partners[index].asked)
    partners[index].askedAt = now
    return true
  }

  /// Sets the time of the next repetition, when the last one is over.
  private mutating func scheduleRepeat(at now: Instant) {
    if repeatAt <= now { repeatAt = now + ProtocolTimes.acknowledgementRepeat }
  }

  /// Notes a question that was answered with `told` and wants more.
  private mutating func remember(_ sequence: UInt64, of node: NodeID, told: UInt64) {
    questions.removeAll { $0.from == node }
    guard told < sequence, questions.count < ProtocolLimits.members else { return }
    questions.append(Question(from: node, sequence: sequence, told: told))
  }

  /// Forgets questions of those who cannot be reached.
  mutating func keepQuestions(_ isReachable: (NodeID) -> Bool) {
    questions.removeAll { !isReachable($0.from) }
  }

  private mutating func partner(_ node: NodeID) -> Int {
    if let index = partners.firstIndex(where: { $0.node == node }) { return index }
    partners.append(Partner(node: node))
    return partners.count - 1
  }
}

extension Turn {
  /// How many operations of a node are applied here.
  fileprivate func appliedCount(of node: NodeID) -> UInt64 {
    anchors.appliedCount(of: ActorID(peer: node.peer, incarnation: node.incarnation))
  }

  /// Tells a node how many of its operations are applied here.
  fileprivate mutating func answer(_ node: NodeID, _ sequence: UInt64) {
    route(AcknowledgementFrame(kind: .answer, from: me, to: node, sequence: sequence))
  }
}

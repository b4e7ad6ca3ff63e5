import Basics
import WorldModel

/// Who waits for whose acknowledgement: the waits of this node's app, and the questions of other members.
///
/// It keeps the books; the node knows who is host and who is present.
struct Acknowledgements: Sendable {
  /// One wait of the app.
  struct Wait: Sendable {
    let id: AcknowledgementID
    /// The number of this node's last operation that is waited for.
    let sequence: UInt64
    let level: AcknowledgementLevel
    let deadline: Instant
    /// Who was present when it began; only for ``AcknowledgementLevel/everyPresentMember``.
    let members: [PeerID]
  }

  /// What one member was asked and has said of this node's operations.
  private struct Partner: Sendable {
    let node: NodeID
    var applied: UInt64 = 0
    var asked: UInt64 = 0
    var askedAt = Instant(nanoseconds: 0)
  }

  /// A question of another member that is not answered to the full.
  struct Question: Sendable {
    let from: NodeID
    var sequence: UInt64
    /// What it was told last.
    var told: UInt64
  }

  private(set) var waits: [Wait] = []
  private(set) var questions: [Question] = []
  private var partners: [Partner] = []
  /// When those who have not answered are asked again.
  private var repeatAt = Instant(nanoseconds: 0)

  /// When a wait runs out or a question is to be repeated; nil for never.
  var deadline: Instant? {
    waits.map(\.deadline).min().map { min($0, repeatAt) }
  }

  mutating func begin(_ wait: Wait) {
    waits.append(wait)
  }

  mutating func end(_ id: AcknowledgementID) {
    waits.removeAll { $0.id == id }
    if waits.isEmpty { partners.removeAll() }
  }

  /// The number of this node's operations that a member is known to have applied.
  func applied(by node: NodeID) -> UInt64 { partners.first { $0.node == node }?.applied ?? 0 }

  /// Notes what a member said it has applied of this node's operations.
  mutating func note(_ sequence: UInt64, appliedBy node: NodeID) {
    guard !waits.isEmpty else { return }
    let index = partner(node)
    partners[index].applied = max(partners[index].applied, sequence)
  }

  /// Whether a member is to be asked now: for a number it was not asked for, or because it has not answered for long.
  mutating func asks(_ node: NodeID, for sequence: UInt64, at now: Instant) -> Bool {
    let index = partner(node)
    let isLate = now - partners[index].askedAt >= ProtocolTimes.acknowledgementRepeat
    guard sequence > partners[index].asked || isLate else { return false }
    partners[index].asked = max(sequence, partners[index].asked)
    partners[index].askedAt = now
    return true
  }

  /// Sets the time of the next repetition, when the last one is over.
  mutating func scheduleRepeat(at now: Instant) {
    if repeatAt <= now { repeatAt = now + ProtocolTimes.acknowledgementRepeat }
  }

  /// Notes a question that was answered with `told` and wants more.
  mutating func remember(_ sequence: UInt64, of node: NodeID, told: UInt64) {
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

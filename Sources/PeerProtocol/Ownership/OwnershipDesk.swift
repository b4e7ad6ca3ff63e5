package import AnchorReplication
import Basics
package import WorldModel

/// Wishes about ownership that are not settled: of this node's app, of those this node decides on as host, and of those who
/// want what it owns.
struct OwnershipDesk: Sendable {
  /// A wish of this node's app.
  struct Request: Sendable {
    let id: OwnershipRequestID
    let wish: OwnershipWish
    let anchor: AnchorID
    /// The grant that stood when it was made.
    let before: AnchorLock
    let deadline: Instant
    var askedAt: Instant?
  }

  /// A request about which this node, as host, has asked the owner.
  struct Hearing: Sendable {
    let request: OwnershipFrame
    let owner: PeerID
    let deadline: Instant
  }

  /// The questions to this node's app as owner.
  struct Question: Sendable {
    let id: OwnershipQuestionID
    var frame: OwnershipFrame
    let deadline: Instant
  }

  var requests: [Request] = []
  var hearings: [Hearing] = []
  var questions: [Question] = []

  var isIdle: Bool { requests.isEmpty && hearings.isEmpty && questions.isEmpty }

  /// When something runs out or is to be repeated; nil for never.
  var deadline: Instant? {
    var next: Instant?
    func consider(_ time: Instant) { next = min(next ?? time, time) }
    for request in requests {
      consider(min(request.deadline, request.askedAt.map { $0 + ProtocolTimes.ownershipRepeat } ?? request.deadline))
    }
    for hearing in hearings { consider(hearing.deadline) }
    for question in questions { consider(question.deadline) }
    return next
  }
}

extension AnchorLock {
  /// The lease of a grant that has no end.
  package static let endless: UInt64 = 1 << 62

  /// The owner of the anchor at a session time; nil when there is none, or the lease is over.
  package func holder(at time: UInt64) -> PeerID? { leaseUntil > time ? owner : nil }

  /// Whether this grant takes the place of `other`.
  func isLater(than other: AnchorLock) -> Bool { (epoch, number) > (other.epoch, other.number) }

  /// The grant that takes this one's place, made by the host of `epoch`; nil when a lie has used all of them up.
  func successor(owner: PeerID?, until: UInt64, epoch: UInt64) -> AnchorLock? {
    guard epoch <= self.epoch else { return AnchorLock(owner: owner, leaseUntil: until, epoch: epoch, number: 1) }
    if number < .max {
      return AnchorLock(owner: owner, leaseUntil: until, epoch: self.epoch, number: number + 1)
    }
    guard self.epoch < .max else { return nil }
    return AnchorLock(owner: owner, leaseUntil: until, epoch: self.epoch + 1, number: 1)
  }
}

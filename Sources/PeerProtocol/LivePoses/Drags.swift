package import AnchorReplication
import Basics
import WorldModel

/// Why a drag could not begin or go on.
package enum DragError: Error, Equatable, Sendable {
  /// It has ended, or a later drag of the same anchor by this peer took its place.
  case ended
  /// This peer drags as many anchors as it may.
  case tooMany(limit: Int)
  /// The anchor is gone, or the pose is not allowed.
  case refused(AnchorError)
}

/// The anchors that this node drags, and which of their poses only the ephemeral lane has seen.
struct Drags: Sendable {
  struct Drag: Sendable {
    let id: DragID
    let anchor: AnchorID
    /// A pose that is not durable yet.
    var pending: Pose?
    /// When it is made durable at the latest.
    var durableAt: Instant
  }

  private(set) var all: [Drag] = []

  /// When a pose has to be made durable; nil for never.
  var deadline: Instant? { all.filter { $0.pending != nil }.map(\.durableAt).min() }

  /// Begins a drag; an earlier one of the same anchor ends.
  mutating func begin(_ id: DragID, _ anchor: AnchorID, at now: Instant) throws(DragError) {
    all.removeAll { $0.anchor == anchor }
    guard all.count < ProtocolLimits.drags else { throw .tooMany(limit: ProtocolLimits.drags) }
    all.append(Drag(id: id, anchor: anchor, durableAt: now + ProtocolTimes.dragDurable))
  }

  /// The drag with this number; nil when it has ended.
  subscript(id: DragID) -> Drag? { all.first { $0.id == id } }

  /// Notes a pose that only the ephemeral lane has seen.
  mutating func move(_ id: DragID, to pose: Pose) {
    if let index = all.firstIndex(where: { $0.id == id }) { all[index].pending = pose }
  }

  mutating func remove(_ id: DragID) {
    all.removeAll { $0.id == id }
  }

  /// The drags whose pose is to be made durable now.
  mutating func takeDue(at now: Instant) -> [Drag] {
    var due: [Drag] = []
    for index in all.indices where all[index].pending != nil && all[index].durableAt <= now {
      due.append(all[index])
      all[index].pending = nil
      all[index].durableAt = now + ProtocolTimes.dragDurable
    }
    return due
  }
}

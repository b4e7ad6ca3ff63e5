public import CSharedWorldHeaders
import SharedWorld
import Synchronization

/// A view of a session behind a handle, whose lists are copied for C when it first looks at them.
final class SnapshotBox: HandleObject {
  static let word = "a snapshot"

  /// The lists that C has looked at.
  private struct Lists {
    var anchors: RecordList<sw_anchor>?
    var contents: RecordList<sw_anchor_content>?
    var peers: RecordList<sw_peer>?
    var drags: RecordList<sw_live_pose>?
    var devices: RecordList<sw_live_pose>?
  }

  let snapshot: Session.Snapshot
  private let lists = Mutex(Lists())

  init(_ snapshot: Session.Snapshot) { self.snapshot = snapshot }

  var anchors: RecordList<sw_anchor> { list(\.anchors) { RecordList(anchors: snapshot.anchors) } }
  var contents: RecordList<sw_anchor_content> { list(\.contents) { RecordList(contentsOf: snapshot.anchors) } }
  var peers: RecordList<sw_peer> { list(\.peers) { RecordList(peers: snapshot.state.peers) } }
  var drags: RecordList<sw_live_pose> { list(\.drags) { RecordList(poses: snapshot.drags) } }
  var devices: RecordList<sw_live_pose> { list(\.devices) { RecordList(poses: snapshot.participants) } }

  private func list<Record>(
    _ place: WritableKeyPath<Lists, RecordList<Record>?>, _ make: () -> RecordList<Record>
  ) -> RecordList<Record> {
    lists.withLock { lists in
      if let made = lists[keyPath: place] { return made }
      let made = make()
      lists[keyPath: place] = made
      return made
    }
  }
}

extension RecordList<sw_live_pose> {
  /// Live poses as C sees them.
  fileprivate convenience init(poses: [LivePose]) {
    let records = poses.map { pose in
      var record = sw_live_pose()
      record.anchor = sw_anchor_id(copying: pose.anchor.bytes)
      record.peer = sw_peer_id(copying: pose.peer.id.bytes)
      let floats = pose.transform.floats
      withUnsafeMutableBytes(of: &record.transform) { place in floats.withUnsafeBytes { place.copyBytes(from: $0) } }
      (record.time, record.sequence) = (pose.sessionTime.milliseconds, pose.sequence)
      return record
    }
    self.init(records) { _ in }
  }
}

extension sw_state {
  /// The state of a session as C sees it.
  fileprivate init(_ snapshot: Session.Snapshot) {
    self.init()
    let state = snapshot.state
    revision = snapshot.revision
    host = sw_peer_id(copying: state.host?.id.bytes ?? [])
    (epoch, session_time) = (state.epoch, state.sessionTime.milliseconds)
    map = sw_map_id(copying: state.mapID?.digest.bytes ?? [])
    map_points = UInt64(state.mapPoints)
    (map_stage, map_percent) = state.mapStatus.numbers
    member_limit = UInt32(state.memberLimit)
    digest = sw_digest(copying: snapshot.digest.bytes)
    is_synchronized = state.isSynchronized ? 1 : 0
    is_locked = state.isLocked ? 1 : 0
    has_ended = snapshot.hasEnded ? 1 : 0
  }
}

/// The latest view of a session.
@c @implementation
public func sw_session_snapshot(
  _ session: OpaquePointer?, _ after: UInt64, _ snapshot: UnsafeMutablePointer<OpaquePointer?>?
) -> sw_status {
  attempt {
    let place = try output(snapshot, "snapshot")
    let latest = try object(session, as: RunningSession.self).session.snapshot
    place.pointee = latest.revision > after ? handle(SnapshotBox(latest)) : nil
  }
}

/// Gives a view back.
@c @implementation
public func sw_snapshot_destroy(_ snapshot: OpaquePointer?) { drop(snapshot, as: SnapshotBox.self) }

/// The state in a view.
@c @implementation
public func sw_snapshot_state(_ snapshot: OpaquePointer?, _ state: UnsafeMutablePointer<sw_state>?) -> sw_status {
  attempt {
    let box = try object(snapshot, as: SnapshotBox.self)
    let state = try output(state, "state")
    try checkRoom(state, "state")
    give(sw_state(box.snapshot), to: state)
  }
}

/// The number of anchors in a view.
@c @implementation
public func sw_snapshot_anchor_count(_ snapshot: OpaquePointer?) -> Int {
  (try? object(snapshot, as: SnapshotBox.self).snapshot.anchors.count) ?? 0
}

/// An anchor of a view.
@c @implementation
public func sw_snapshot_anchor(_ snapshot: OpaquePointer?, _ index: Int) -> UnsafePointer<sw_anchor>? {
  try? object(snapshot, as: SnapshotBox.self).anchors.pointer(to: index)
}

/// Kind and payload of an anchor of a view.
@c @implementation
public func sw_snapshot_anchor_content(
  _ snapshot: OpaquePointer?, _ index: Int
) -> UnsafePointer<sw_anchor_content>? {
  try? object(snapshot, as: SnapshotBox.self).contents.pointer(to: index)
}

/// The number of other members in a view.
@c @implementation
public func sw_snapshot_peer_count(_ snapshot: OpaquePointer?) -> Int {
  (try? object(snapshot, as: SnapshotBox.self).snapshot.state.peers.count) ?? 0
}

/// Another member of a view.
@c @implementation
public func sw_snapshot_peer(_ snapshot: OpaquePointer?, _ index: Int) -> UnsafePointer<sw_peer>? {
  try? object(snapshot, as: SnapshotBox.self).peers.pointer(to: index)
}

/// The number of drags in a view.
@c @implementation
public func sw_snapshot_drag_count(_ snapshot: OpaquePointer?) -> Int {
  (try? object(snapshot, as: SnapshotBox.self).snapshot.drags.count) ?? 0
}

/// A drag of a view.
@c @implementation
public func sw_snapshot_drag(_ snapshot: OpaquePointer?, _ index: Int) -> UnsafePointer<sw_live_pose>? {
  try? object(snapshot, as: SnapshotBox.self).drags.pointer(to: index)
}

/// The number of devices in a view.
@c @implementation
public func sw_snapshot_device_count(_ snapshot: OpaquePointer?) -> Int {
  (try? object(snapshot, as: SnapshotBox.self).snapshot.participants.count) ?? 0
}

/// A device of a view.
@c @implementation
public func sw_snapshot_device(_ snapshot: OpaquePointer?, _ index: Int) -> UnsafePointer<sw_live_pose>? {
  try? object(snapshot, as: SnapshotBox.self).devices.pointer(to: index)
}

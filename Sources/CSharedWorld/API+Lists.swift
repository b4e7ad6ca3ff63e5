public import CSharedWorldHeaders
import Glibc
import SharedWorld

/// A list of C structures, each of which points to memory that is freed with it.
final class RecordList<Record>: HandleObject {
  static var word: String { "a list" }

  // Written once, before C has the handle.
  private nonisolated(unsafe) let records: UnsafeMutableBufferPointer<Record>
  private let release: @Sendable (Record) -> Void

  init(_ records: [Record], release: @escaping @Sendable (Record) -> Void) {
    self.records = .allocate(capacity: records.count)
    _ = self.records.initialize(from: records)
    self.release = release
  }

  deinit {
    for record in records { release(record) }
    records.deallocate()
  }

  var count: Int { records.count }

  /// The place of a record; nil beyond the end.
  func pointer(to index: Int) -> UnsafePointer<Record>? {
    guard records.indices.contains(index), let base = records.baseAddress else { return nil }
    return UnsafePointer(base + index)
  }
}

/// Frees what C reads only.
func freeConstant<T>(_ pointer: UnsafePointer<T>?) {
  free(UnsafeMutableRawPointer(mutating: pointer))
}

extension sw_anchor {
  /// An anchor as C sees it; its name must be freed.
  init(_ anchor: Anchor) {
    self.init()
    id = sw_anchor_id(copying: anchor.id.bytes)
    creator = sw_peer_id(copying: anchor.creator?.bytes ?? [])
    set(anchor.transform)
    name = UnsafePointer(copyText(anchor.name))
  }

  /// Writes where it is, by columns.
  mutating func set(_ place: Transform) {
    let floats = place.floats
    withUnsafeMutableBytes(of: &transform) { place in floats.withUnsafeBytes { place.copyBytes(from: $0) } }
  }
}

extension Transform {
  /// Its 16 numbers, by columns.
  var floats: [Float] {
    [columns.0, columns.1, columns.2, columns.3].flatMap { column in (0..<4).map { column[$0] } }
  }
}

extension Recognition {
  /// Its number in C.
  var number: UInt32 {
    switch self {
    case .known: UInt32(SW_RECOGNITION_KNOWN)
    case .neverSeen: UInt32(SW_RECOGNITION_NEVER_SEEN)
    case .newDevice: UInt32(SW_RECOGNITION_NEW_DEVICE)
    case .refused: UInt32(SW_RECOGNITION_REFUSED)
    case .untracked: UInt32(SW_RECOGNITION_UNTRACKED)
    }
  }
}

extension sw_peer {
  /// A peer as C sees it; its name must be freed.
  init(_ status: PeerStatus) {
    self.init()
    id = sw_peer_id(copying: status.id.bytes)
    name = UnsafePointer(copyText(status.peer.name))
    state =
      switch status.state {
      case .connecting: UInt32(SW_PEER_CONNECTING)
      case .connected: UInt32(SW_PEER_CONNECTED)
      case .reconnecting: UInt32(SW_PEER_RECONNECTING)
      case .lost: UInt32(SW_PEER_LOST)
      }
    is_direct = status.isDirect ? 1 : 0
    recognition = status.recognition.number
    round_trip_ns = status.roundTrip.map { Int64($0 / .nanoseconds(1)) } ?? -1
  }
}

extension RecordList<sw_peer> {
  /// Peers as C sees them.
  convenience init(peers: [PeerStatus]) {
    self.init(peers.map { sw_peer($0) }) { freeConstant($0.name) }
  }
}

/// Takes a list of the other members.
@c @implementation
public func sw_session_peers(_ session: OpaquePointer?, _ peers: UnsafeMutablePointer<OpaquePointer?>?) -> sw_status {
  attempt {
    let peers = try output(peers, "peers")
    let state = try object(session, as: RunningSession.self).wait { await $0.state }
    peers.pointee = handle(RecordList<sw_peer>(peers: state.peers))
  }
}

/// The number of peers in a list.
@c @implementation
public func sw_peer_list_count(_ peers: OpaquePointer?) -> Int {
  (try? object(peers, as: RecordList<sw_peer>.self).count) ?? 0
}

/// A peer of a list.
@c @implementation
public func sw_peer_list_get(_ peers: OpaquePointer?, _ index: Int) -> UnsafePointer<sw_peer>? {
  try? object(peers, as: RecordList<sw_peer>.self).pointer(to: index)
}

/// Gives a list of peers back.
@c @implementation
public func sw_peer_list_destroy(_ peers: OpaquePointer?) { drop(peers, as: RecordList<sw_peer>.self) }

/// Takes a list of the anchors.
@c @implementation
public func sw_session_anchors(
  _ session: OpaquePointer?, _ anchors: UnsafeMutablePointer<OpaquePointer?>?
) -> sw_status {
  attempt {
    let anchors = try output(anchors, "anchors")
    let current = try object(session, as: RunningSession.self).wait { await $0.world.anchors }
    anchors.pointee = handle(AnchorBox(current))
  }
}

/// The number of anchors in a list.
@c @implementation
public func sw_anchor_list_count(_ anchors: OpaquePointer?) -> Int {
  (try? object(anchors, as: AnchorBox.self).anchors.count) ?? 0
}

/// An anchor of a list.
@c @implementation
public func sw_anchor_list_get(_ anchors: OpaquePointer?, _ index: Int) -> UnsafePointer<sw_anchor>? {
  try? object(anchors, as: AnchorBox.self).anchors.pointer(to: index)
}

/// Gives a list of anchors back.
@c @implementation
public func sw_anchor_list_destroy(_ anchors: OpaquePointer?) { drop(anchors, as: AnchorBox.self) }

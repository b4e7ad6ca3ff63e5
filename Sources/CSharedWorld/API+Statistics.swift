public import CSharedWorldHeaders
import SharedWorld

/// The connections of a session behind a handle.
private final class StatisticsBox: HandleObject {
  static let word = "statistics"

  let links: RecordList<sw_link>
  let connections: RecordList<sw_connection>
  let turns: UInt64

  init(_ statistics: Session.Statistics) {
    links = RecordList(statistics.links.map { sw_link($0) }) { freeConstant($0.name) }
    connections = RecordList(
      statistics.connections.map {
        sw_connection(one: sw_peer_id(copying: $0.one.bytes), other: sw_peer_id(copying: $0.other.bytes))
      }
    ) { _ in }
    turns = statistics.turns
  }
}

extension sw_link {
  /// A connection as C sees it; its name must be freed.
  fileprivate init(_ link: Session.Statistics.Link) {
    self.init(
      peer: sw_peer_id(copying: link.peer.id.bytes), name: UnsafePointer(copyText(link.peer.name)),
      round_trip_ns: link.roundTrip.map { Int64($0 / .nanoseconds(1)) } ?? -1, bytes_sent: link.bytesSent,
      bytes_received: link.bytesReceived, queued_bytes: UInt64(clamping: link.queuedBytes))
  }
}

/// Takes the statistics of a session.
@c @implementation
public func sw_session_statistics(
  _ session: OpaquePointer?, _ statistics: UnsafeMutablePointer<OpaquePointer?>?
) -> sw_status {
  attempt {
    let place = try output(statistics, "statistics")
    place.pointee = handle(
      StatisticsBox(try object(session, as: RunningSession.self).wait { await $0.peers.statistics }))
  }
}

/// The turns of the protocol.
@c @implementation
public func sw_statistics_turns(_ statistics: OpaquePointer?) -> UInt64 {
  (try? object(statistics, as: StatisticsBox.self).turns) ?? 0
}

/// The number of this peer's connections.
@c @implementation
public func sw_statistics_link_count(_ statistics: OpaquePointer?) -> Int {
  (try? object(statistics, as: StatisticsBox.self).links.count) ?? 0
}

/// A connection of this peer.
@c @implementation
public func sw_statistics_link(_ statistics: OpaquePointer?, _ index: Int) -> UnsafePointer<sw_link>? {
  try? object(statistics, as: StatisticsBox.self).links.pointer(to: index)
}

/// The number of connections in the session.
@c @implementation
public func sw_statistics_connection_count(_ statistics: OpaquePointer?) -> Int {
  (try? object(statistics, as: StatisticsBox.self).connections.count) ?? 0
}

/// A connection of the session.
@c @implementation
public func sw_statistics_connection(_ statistics: OpaquePointer?, _ index: Int) -> UnsafePointer<sw_connection>? {
  try? object(statistics, as: StatisticsBox.self).connections.pointer(to: index)
}

/// Gives statistics back.
@c @implementation
public func sw_statistics_destroy(_ statistics: OpaquePointer?) { drop(statistics, as: StatisticsBox.self) }

public import CSharedWorldHeaders
import SharedWorld

/// The receivers of a message and the promise about it, as C gives them.
func delivery(_ delivery: UnsafePointer<sw_delivery>?) throws -> (MessageAudience, MessageMode) {
  guard delivery != nil else { return (.all, .reliable) }
  let known = try sized(delivery, sw_delivery(), "delivery")
  let mode: MessageMode
  switch Int(known.mode) {
  case SW_MODE_RELIABLE: mode = .reliable
  case SW_MODE_CRITICAL: mode = .critical
  case SW_MODE_UNRELIABLE: mode = .unreliable(key: try optionalText(known.key, "key") ?? "")
  default: throw Failure.argument("mode has no such value")
  }
  if let group = try optionalText(known.group, "group") {
    guard known.peers == nil else { throw Failure.argument("a message goes to a group or to peers, not to both") }
    return (.group(group), mode)
  }
  return (try peerIDs(known.peers, known.peer_count).map(MessageAudience.peers) ?? .all, mode)
}

/// Sends bytes, or refuses them at once.
@c @implementation
public func sw_session_send(
  _ session: OpaquePointer?, _ data: UnsafePointer<UInt8>?, _ size: Int, _ delivery: UnsafePointer<sw_delivery>?,
  _ number: UnsafeMutablePointer<UInt64>?
) -> sw_status {
  attempt {
    let running = try object(session, as: RunningSession.self)
    let message = try bytes(data, size, "bytes")
    let (audience, mode) = try CSharedWorld.delivery(delivery)
    let sent = try running.wait { try await $0.messages.sendNow(message, to: audience, mode: mode) }
    number?.pointee = sent.number
  }
}

/// Joins a group.
@c @implementation
public func sw_session_join_group(_ session: OpaquePointer?, _ group: UnsafePointer<CChar>?) -> sw_status {
  attempt {
    let running = try object(session, as: RunningSession.self)
    let name = try text(group, "group")
    try running.wait { try await $0.messages.join(group: name) }
  }
}

/// Leaves a group.
@c @implementation
public func sw_session_leave_group(_ session: OpaquePointer?, _ group: UnsafePointer<CChar>?) -> sw_status {
  attempt {
    let running = try object(session, as: RunningSession.self)
    let name = try text(group, "group")
    try running.wait { try await $0.messages.leave(group: name) }
  }
}

extension sw_group {
  /// A group as C sees it; its name and members must be freed.
  init(_ name: String, _ peers: Set<PeerID>) {
    let ids = peers.sorted().map { sw_peer_id(copying: $0.bytes) }
    let copies = UnsafeMutableBufferPointer<sw_peer_id>.allocate(capacity: ids.count)
    _ = copies.initialize(from: ids)
    self.init(name: UnsafePointer(copyText(name)), members: UnsafePointer(copies.baseAddress), member_count: ids.count)
  }
}

/// Takes a list of the groups.
@c @implementation
public func sw_session_groups(_ session: OpaquePointer?, _ groups: UnsafeMutablePointer<OpaquePointer?>?) -> sw_status {
  attempt {
    let groups = try output(groups, "groups")
    let current = try object(session, as: RunningSession.self).wait { await $0.messages.groups }
    let sorted = current.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    let list = RecordList(sorted.map { sw_group($0.key, $0.value) }) { group in
      freeConstant(group.name)
      group.members?.deallocate()
    }
    groups.pointee = handle(list)
  }
}

/// The number of groups in a list.
@c @implementation
public func sw_group_list_count(_ groups: OpaquePointer?) -> Int {
  (try? object(groups, as: RecordList<sw_group>.self).count) ?? 0
}

/// A group of a list.
@c @implementation
public func sw_group_list_get(_ groups: OpaquePointer?, _ index: Int) -> UnsafePointer<sw_group>? {
  try? object(groups, as: RecordList<sw_group>.self).pointer(to: index)
}

/// Gives a list of groups back.
@c @implementation
public func sw_group_list_destroy(_ groups: OpaquePointer?) { drop(groups, as: RecordList<sw_group>.self) }

#if Avahi
internal import CAvahiCore

/// A set of records that the embedded responder publishes together.
final class EntryGroup {
  private let avahi: AvahiCore
  private var group: OpaquePointer?
  private let onState: (AvahiEntryGroupState) -> Void

  /// Makes an empty group; `nil` when memory runs out.
  init?(_ avahi: AvahiCore, server: OpaquePointer, onState: @escaping (AvahiEntryGroupState) -> Void) {
    self.avahi = avahi
    self.onState = onState
    group = avahi.call.s_entry_group_new(server, takeGroupState, Unmanaged.passUnretained(self).toOpaque())
    guard group != nil else { return nil }
  }

  /// Withdraws what was published, then publishes what `fill` adds; returns avahi's error, or 0.
  func publish(_ fill: (OpaquePointer) -> Int32) -> Int32 {
    guard let group else { return 0 }
    avahi.call.s_entry_group_reset(group)
    let error = fill(group)
    guard error >= 0, avahi.call.s_entry_group_is_empty(group) == 0 else { return error }
    return avahi.call.s_entry_group_commit(group)
  }

  /// Does something to the published records; returns avahi's error, or 0.
  func modify(_ body: (OpaquePointer) -> Int32) -> Int32 {
    group.map(body) ?? 0
  }

  fileprivate func take(_ state: AvahiEntryGroupState) { onState(state) }
}

private func takeGroupState(
  _: OpaquePointer?, _: OpaquePointer?, state: AvahiEntryGroupState, context: UnsafeMutableRawPointer?
) {
  guard let context else { return }
  Unmanaged<EntryGroup>.fromOpaque(context).takeUnretainedValue().take(state)
}
#endif

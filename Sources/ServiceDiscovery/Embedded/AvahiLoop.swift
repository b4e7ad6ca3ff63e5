#if Avahi
internal import BasicsLinux
internal import CAvahiCore
internal import Glibc

/// avahi's event loop with a mailbox, run on a thread of ours.
///
/// Confined to that thread after the start. avahi's own wake-up is not used: a request that arrives just before the
/// loop sleeps would be overlooked.
final class AvahiLoop {
  /// The poll API through which avahi's objects wait for descriptors and timers.
  let api: UnsafePointer<AvahiPoll>

  let avahi: AvahiCore

  private let poll: OpaquePointer
  private let mailbox: Mailbox
  private var watch: OpaquePointer?

  /// A loop that carries out the letters of `mailbox`.
  init(mailbox: Mailbox) throws(DiscoveryError) {
    let avahi = try AvahiCore.shared.get()
    guard let poll = avahi.call.simple_poll_new() else {
      throw .unavailable(reason: "avahi's event loop cannot be made")
    }
    guard let api = avahi.call.simple_poll_get(poll) else {
      avahi.call.simple_poll_free(poll)
      throw .unavailable(reason: "avahi's event loop cannot be made")
    }
    self.avahi = avahi
    self.poll = poll
    self.api = api
    self.mailbox = mailbox
    watch = api.pointee.watch_new(
      api, mailbox.fileDescriptor, AVAHI_WATCH_IN, takeMail, Unmanaged.passUnretained(mailbox).toOpaque())
  }

  /// Waits for the next events, at most until `deadline`, and handles them; returns false if waiting is impossible.
  func turn(until deadline: ContinuousClock.Instant?) -> Bool {
    avahi.call.simple_poll_iterate(poll, milliseconds(until: deadline)) == 0 || errno == EINTR
  }

  /// Frees the loop, after everything that waits in it.
  func free() {
    if let watch { api.pointee.watch_free(watch) }
    avahi.call.simple_poll_free(poll)
  }
}

private func takeMail(_: OpaquePointer?, _: Int32, _: AvahiWatchEvent, context: UnsafeMutableRawPointer?) {
  guard let context else { return }
  Unmanaged<Mailbox>.fromOpaque(context).takeUnretainedValue().drain()
}
#endif

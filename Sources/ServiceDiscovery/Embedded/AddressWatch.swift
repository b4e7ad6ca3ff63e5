#if Avahi
internal import BasicsLinux
internal import CAvahiCore

/// Tells when the addresses of this machine may have changed.
///
/// avahi-core watches them too, but reports nothing, and here it does not publish them.
final class AddressWatch {
  private let news: AddressNews
  private let loop: UnsafePointer<AvahiPoll>
  private var watch: OpaquePointer?
  private let onChange: () -> Void

  /// Watches from `loop`; `nil` where the system forbids it, and the addresses then stay those of the start.
  init?(loop: UnsafePointer<AvahiPoll>, onChange: @escaping () -> Void) {
    guard let news = AddressNews() else { return nil }
    (self.news, self.loop, self.onChange) = (news, loop, onChange)
    watch = loop.pointee.watch_new(
      loop, news.descriptor, AVAHI_WATCH_IN, addressesChanged, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Ends the watch; call it before the loop is freed.
  func stop() {
    guard let watch else { return }
    loop.pointee.watch_free(watch)
    self.watch = nil
  }

  fileprivate func readable() {
    news.drain()
    onChange()
  }
}

private func addressesChanged(
  _: OpaquePointer?, _: Int32, _: AvahiWatchEvent, context: UnsafeMutableRawPointer?
) {
  guard let context else { return }
  Unmanaged<AddressWatch>.fromOpaque(context).takeUnretainedValue().readable()
}
#endif
